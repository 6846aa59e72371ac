import { X509Certificate } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { catalogue } from '../i18n/catalogue.ts';
import type { UserError } from '../i18n/user-error.ts';
import { HOUR } from '../platform/clock.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import * as z from '../platform/zod.ts';

const words = () => catalogue().installer;

const resourceSchema = z.object({ source: z.string().nullish(), compression: z.string().nullish() });
const ignitionSchema = z.object({
  ignition: z.object({
    version: z.string(),
    // `merge` since specification 3, `append` before.
    config: z
      .object({ merge: z.array(resourceSchema).optional(), append: z.array(resourceSchema).optional() })
      .optional(),
    security: z.object({ tls: z.object({ certificateAuthorities: z.array(resourceSchema).optional() }) }).optional(),
  }),
  storage: z
    .object({ files: z.array(z.object({ path: z.string(), contents: resourceSchema.optional() })).optional() })
    .optional(),
});
type Ignition = z.infer<typeof ignitionSchema>;
type Resource = z.infer<typeof resourceSchema>;

/** When an ignition file stops being usable. */
export interface IgnitionExpiry {
  /** Milliseconds since the epoch: expiry of the first certificate. */
  readonly earliest: number;
  /** The paths of the certificates that expire within an hour of the first. */
  readonly paths: readonly string[];
}

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;
/** Limit for an unpacked file of an ignition file (bytes). */
const MAX_UNPACKED_BYTES = 16 * 1024 * 1024;

/**
 * Finds the earliest expiry of any certificate in bootstrap.ign. The installer checks the same files (paths that end in
 * .crt, PEM in a data URL; openshift/installer b2c8e25050): the certificates of the first day expire 24 hours after
 * their creation.
 * @returns null if this is not an ignition file or holds no certificate
 */
export function findIgnitionExpiry(bootstrapIgnition: string): IgnitionExpiry | null {
  const files = parseIgnition(bootstrapIgnition)?.storage?.files ?? [];
  const expiries = files
    .filter(({ path }) => path.endsWith('.crt'))
    .flatMap(({ path, contents }) =>
      parseCertificates(contents).map((certificate) => ({
        path: sanitizeLine(path),
        expiresAt: certificate.validToDate.getTime(),
      })),
    );
  if (expiries.length === 0) return null;
  const earliest = Math.min(...expiries.map(({ expiresAt }) => expiresAt));
  const paths = [
    ...new Set(expiries.filter(({ expiresAt }) => expiresAt <= earliest + HOUR).map(({ path }) => path)),
  ].sort();
  return { earliest, paths };
}

/**
 * Lists what is wrong with a pointer ignition (master.ign, worker.ign): it must name the Machine Config Server of this
 * cluster and a CA for it that bootstrap.ign contains.
 * @param role the name of the file without its extension
 * @param expectedUrl URL that its node must fetch from, by the names of the design
 */
export function checkPointerIgnition(
  text: string,
  { role, expectedUrl, bootstrapIgnition }: { role: string; expectedUrl: string; bootstrapIgnition: string | null },
): UserError[] {
  const { unreadable, wrongUrl, noAuthority, foreignAuthority } = words().pointer;
  const pointer = parseIgnition(text);
  if (!pointer) return [{ ...unreadable, code: 'ignition-unreadable', cause: unreadable.cause(role) }];
  const problems: UserError[] = [];
  const sources = pointer.ignition.config?.merge ?? pointer.ignition.config?.append ?? [];
  const url = sanitizeLine(sources[0]?.source ?? '—');
  if (url !== expectedUrl)
    problems.push({ ...wrongUrl, code: 'ignition-wrong-url', cause: wrongUrl.cause(role, url, expectedUrl) });
  const authorities = (pointer.ignition.security?.tls.certificateAuthorities ?? []).flatMap(parseCertificates);
  if (authorities.length === 0) {
    problems.push({ ...noAuthority, code: 'ignition-no-authority', cause: noAuthority.cause(role) });
  } else if (bootstrapIgnition !== null && !containsAuthority(bootstrapIgnition, authorities)) {
    problems.push({ ...foreignAuthority, code: 'ignition-foreign-authority', cause: foreignAuthority.cause(role) });
  }
  return problems;
}

/** Content of a pointer ignition: where its node fetches the rest, and the CAs that the node trusts there. */
export interface PointerIgnition {
  readonly url: string;
  /**
   * The version of the Ignition specification: "3.2.0". An image reads its own version and older ones with the same
   * major number.
   */
  readonly specification: string;
  /** PEM certificates; the node refuses a server that none of them signed. */
  readonly authorities: readonly string[];
}

/** Parses a pointer ignition (worker.ign, `userData` of the secret worker-user-data); null: not a pointer ignition. */
export function parsePointerIgnition(text: string): PointerIgnition | null {
  const pointer = parseIgnition(text)?.ignition;
  const source = (pointer?.config?.merge ?? pointer?.config?.append ?? [])[0]?.source;
  if (!pointer || !source) return null;
  const authorities = (pointer.security?.tls.certificateAuthorities ?? []).flatMap(parseCertificates);
  return {
    url: sanitizeLine(source),
    specification: sanitizeLine(pointer.version),
    authorities: authorities.map((certificate) => certificate.toString()),
  };
}

/** Lists the CAs in bootstrap.ign that issue the certificates of the API server (PEM). */
export function listApiAuthorities(bootstrapIgnition: string): string[] {
  const files = parseIgnition(bootstrapIgnition)?.storage?.files ?? [];
  return files
    .filter(({ path }) => /\/tls\/kube-apiserver-[^/]*\.crt$/.test(path))
    .flatMap(({ contents }) => parseCertificates(contents))
    .filter(({ ca }) => ca)
    .map((certificate) => certificate.toString());
}

/** Whether a text is an ignition file, of any specification. */
function isIgnition(text: string): boolean {
  return parseIgnition(text) !== null;
}

/** Lists the fingerprints of the CAs that an ignition file trusts or holds. Every installer run creates new CAs. */
function listAuthorityFingerprints(text: string): string[] {
  const ignition = parseIgnition(text);
  const pointerAuthorities = (ignition?.ignition.security?.tls.certificateAuthorities ?? []).flatMap(parseCertificates);
  const fileCertificates = (ignition?.storage?.files ?? []).flatMap(({ contents }) => parseCertificates(contents));
  return [...pointerAuthorities, ...fileCertificates.filter(({ ca }) => ca)].map(
    ({ fingerprint256 }) => fingerprint256,
  );
}

function containsAuthority(bootstrapIgnition: string, authorities: readonly X509Certificate[]): boolean {
  const files = parseIgnition(bootstrapIgnition)?.storage?.files ?? [];
  const knownFingerprints = new Set(
    files.flatMap(({ contents }) => parseCertificates(contents)).map((certificate) => certificate.fingerprint256),
  );
  return authorities.some(({ fingerprint256 }) => knownFingerprints.has(fingerprint256));
}

function parseIgnition(text: string): Ignition | null {
  try {
    return ignitionSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function parseCertificates(contents: Resource | undefined): X509Certificate[] {
  const text = contents ? decodeDataUrl(contents) : null;
  return [...(text?.matchAll(PEM_CERTIFICATE) ?? [])].flatMap(([pem]) => {
    try {
      return [new X509Certificate(pem)];
    } catch {
      return [];
    }
  });
}

/** Decodes the text of a data URL (RFC 2397) and unpacks it; null for any other source. */
function decodeDataUrl({ source, compression }: Resource): string | null {
  const match = /^data:([^,]*),([\s\S]*)$/.exec(source ?? '');
  if (!match) return null;
  const [, header = '', body = ''] = match;
  try {
    const bytes = Buffer.from(decodeURIComponent(body), /;base64$/i.test(header) ? 'base64' : 'utf8');
    return (compression === 'gzip' ? gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED_BYTES }) : bytes).toString(
      'utf8',
    );
  } catch {
    return null;
  }
}

/** How a text differs from the ignition file that is expected in its place. */
type IgnitionDifference =
  | { readonly kind: 'empty' | 'damaged' | 'other-run' | 'changed' }
  | { readonly kind: 'html'; readonly title: string }
  /** Sizes in bytes: the text ends too early, and equals the expected file up to there. */
  | { readonly kind: 'cut'; readonly actualBytes: number; readonly expectedBytes: number }
  | { readonly kind: 'role'; readonly name: string }
  /** Milliseconds since the epoch. */
  | { readonly kind: 'expired'; readonly at: number }
  | { readonly kind: 'other-cluster'; readonly url: string };

/**
 * Classifies how a text differs from the ignition file that is expected in its place.
 * @param otherFiles texts of the other ignition files of this run, by name
 * @param now ms since the epoch
 */
export function classifyIgnitionDifference(
  actualText: string,
  expectedText: string,
  { otherFiles, now }: { readonly otherFiles: ReadonlyMap<string, string>; readonly now: number },
): IgnitionDifference {
  if (actualText.trim() === '') return { kind: 'empty' };
  if (/^\s*<(?:!doctype|html|head|body)/i.test(actualText))
    return { kind: 'html', title: sanitizeLine(/<(?:title|h1)>([^<]*)</i.exec(actualText)?.[1] ?? '', 60) };
  if (expectedText.startsWith(actualText))
    return { kind: 'cut', actualBytes: Buffer.byteLength(actualText), expectedBytes: Buffer.byteLength(expectedText) };
  if (!isIgnition(actualText)) return { kind: 'damaged' };
  const otherFileName = [...otherFiles].find(([, text]) => text === actualText)?.[0];
  if (otherFileName !== undefined) return { kind: 'role', name: otherFileName };
  const [url, expectedUrl] = [actualText, expectedText].map((text) => parsePointerIgnition(text)?.url ?? null);
  if (url !== null && url !== undefined && url !== expectedUrl) return { kind: 'other-cluster', url };
  const expiry = findIgnitionExpiry(actualText)?.earliest ?? null;
  const [fingerprints, expectedFingerprints] = [
    listAuthorityFingerprints(actualText),
    new Set(listAuthorityFingerprints(expectedText)),
  ];
  const isFromThisRun = fingerprints.some((fingerprint) => expectedFingerprints.has(fingerprint));
  if (isFromThisRun) return { kind: 'changed' };
  return expiry !== null && expiry < now ? { kind: 'expired', at: expiry } : { kind: 'other-run' };
}
