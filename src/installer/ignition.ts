import { X509Certificate } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import * as z from '../ports/zod.ts';
import { catalogue } from '../text/catalogue.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import type { Trouble } from '../text/trouble.ts';

const words = () => catalogue().installer;

const resource = z.object({ source: z.string().nullish(), compression: z.string().nullish() });
const ignition = z.object({
  ignition: z.object({
    version: z.string(),
    // `merge` since specification 3, `append` before.
    config: z.object({ merge: z.array(resource).optional(), append: z.array(resource).optional() }).optional(),
    security: z.object({ tls: z.object({ certificateAuthorities: z.array(resource).optional() }) }).optional(),
  }),
  storage: z
    .object({ files: z.array(z.object({ path: z.string(), contents: resource.optional() })).optional() })
    .optional(),
});
type Ignition = z.infer<typeof ignition>;
type Resource = z.infer<typeof resource>;

/** When an ignition file stops being usable. */
export interface IgnitionExpiry {
  /** Milliseconds since the epoch: the first certificate ends then. */
  readonly earliest: number;
  /** The paths of the certificates that end within the hour after it. */
  readonly names: readonly string[];
}

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;
const HOUR = 3_600_000;
/** No file in an ignition file is larger than this when unpacked. */
const LARGEST = 16 * 1024 * 1024;

/**
 * The earliest end of any certificate in bootstrap.ign. The installer asks the same (files whose path ends in .crt, PEM in a
 * data URL; openshift/installer b2c8e25050): the certificates of the first day end 24 hours after they were made.
 * @returns null for what is no ignition file or holds no certificate
 */
export function ignitionExpiry(bootstrapIgnition: string): IgnitionExpiry | null {
  const files = parse(bootstrapIgnition)?.storage?.files ?? [];
  const ends = files
    .filter(({ path }) => path.endsWith('.crt'))
    .flatMap(({ path, contents }) =>
      certificatesOf(contents).map((certificate) => ({
        path: sanitizeLine(path),
        at: certificate.validToDate.getTime(),
      })),
    );
  if (ends.length === 0) return null;
  const earliest = Math.min(...ends.map(({ at }) => at));
  const names = [...new Set(ends.filter(({ at }) => at <= earliest + HOUR).map(({ path }) => path))].sort();
  return { earliest, names };
}

/**
 * What is wrong with a pointer ignition (master.ign, worker.ign): it has to name the machine config server of this cluster
 * and an authority for it, one that bootstrap.ign knows.
 * @param role the name of the file without its ending
 * @param expectedUrl where its node has to fetch from, as names of the design make it
 */
export function pointerProblems(
  text: string,
  { role, expectedUrl, bootstrapIgnition }: { role: string; expectedUrl: string; bootstrapIgnition: string | null },
): Trouble[] {
  const { unreadable, wrongUrl, noAuthority, foreignAuthority } = words().pointer;
  const pointer = parse(text);
  if (!pointer) return [{ ...unreadable, code: 'ignition-unreadable', cause: unreadable.cause(role) }];
  const problems: Trouble[] = [];
  const sources = pointer.ignition.config?.merge ?? pointer.ignition.config?.append ?? [];
  const url = sanitizeLine(sources[0]?.source ?? '—');
  if (url !== expectedUrl)
    problems.push({ ...wrongUrl, code: 'ignition-wrong-url', cause: wrongUrl.cause(role, url, expectedUrl) });
  const authorities = (pointer.ignition.security?.tls.certificateAuthorities ?? []).flatMap(certificatesOf);
  if (authorities.length === 0) {
    problems.push({ ...noAuthority, code: 'ignition-no-authority', cause: noAuthority.cause(role) });
  } else if (bootstrapIgnition !== null && !knowsOne(bootstrapIgnition, authorities)) {
    problems.push({ ...foreignAuthority, code: 'ignition-foreign-authority', cause: foreignAuthority.cause(role) });
  }
  return problems;
}

/** Where a pointer ignition sends its node, and which authorities the node trusts there. */
export interface Pointer {
  readonly url: string;
  /** The version of its specification: "3.2.0". Images read their own and older ones of the same first number. */
  readonly specification: string;
  /** PEM certificates; the node refuses a server that none of them signed. */
  readonly authorities: readonly string[];
}

/** What a pointer ignition (worker.ign, `userData` of the secret worker-user-data) says; null: not a pointer ignition. */
export function readPointer(text: string): Pointer | null {
  const found = parse(text)?.ignition;
  const source = (found?.config?.merge ?? found?.config?.append ?? [])[0]?.source;
  if (!found || !source) return null;
  const authorities = (found.security?.tls.certificateAuthorities ?? []).flatMap(certificatesOf);
  return {
    url: sanitizeLine(source),
    specification: sanitizeLine(found.version),
    authorities: authorities.map((certificate) => certificate.toString()),
  };
}

function knowsOne(bootstrapIgnition: string, authorities: readonly X509Certificate[]): boolean {
  const files = parse(bootstrapIgnition)?.storage?.files ?? [];
  const known = new Set(files.flatMap(({ contents }) => certificatesOf(contents)).map((one) => one.fingerprint256));
  return authorities.some(({ fingerprint256 }) => known.has(fingerprint256));
}

function parse(text: string): Ignition | null {
  try {
    return ignition.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function certificatesOf(contents: Resource | undefined): X509Certificate[] {
  const text = contents ? dataOf(contents) : null;
  return [...(text?.matchAll(PEM) ?? [])].flatMap(([pem]) => {
    try {
      return [new X509Certificate(pem)];
    } catch {
      return [];
    }
  });
}

/** The text behind a data URL (RFC 2397), unpacked; null for any other source. */
function dataOf({ source, compression }: Resource): string | null {
  const match = /^data:([^,]*),([\s\S]*)$/.exec(source ?? '');
  if (!match) return null;
  const [, header = '', body = ''] = match;
  try {
    const bytes = Buffer.from(decodeURIComponent(body), /;base64$/i.test(header) ? 'base64' : 'utf8');
    return (compression === 'gzip' ? gunzipSync(bytes, { maxOutputLength: LARGEST }) : bytes).toString('utf8');
  } catch {
    return null;
  }
}
