import type { IncomingHttpHeaders } from 'node:http';
import { catalogue } from '../i18n/catalogue.ts';
import { describeSystemError, getErrorCode } from '../i18n/user-error.ts';
import type { Clock } from '../platform/clock.ts';
import { startDeadline } from '../platform/concurrency.ts';
import { request } from '../platform/http.ts';
import type { ResolveEndpoint } from '../platform/manual-actions.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { getUrlHost } from '../platform/text.ts';
import * as z from '../platform/zod.ts';
import { openTlsConnection, parseProxy, shouldBypassProxy, TunnelError } from './https-proxy.ts';
import { hasDigest, type ImagePolicy, isRefused, parseImagePolicy } from './image-policy.ts';
import { derivePresence, findSignature } from './image-signature.ts';
import { isLocalError } from './neighbour-probe.ts';
import type { PayloadSample, ProbeAnswer, RefusedImage, Unmeasurable } from './probe-types.ts';
import { type PayloadImage, parseJson, readReleasePayload } from './release-payload.ts';
import { toTcpFailure } from './tcp-probe.ts';
import { describeHandshakeFailure, TLS_ERROR } from './tls-probe.ts';

const words = () => catalogue().bastion;
const registryWords = () => catalogue().diagnosis.site.details.registry;

/** Maximum size of a response body in bytes: tokens and tag lists are short. */
const MAX_BYTES = 1024 * 1024;
/** Formats of an image and of a list of images (OCI image-spec, Docker image manifest v2). */
const MANIFEST_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

/** A registry, and how nodes reach it. */
interface RegistryQuery {
  /** `quay.io`, `mirror.example.com:5000`. */
  readonly registry: string;
  /** `ocp/release`: check that it exists as well; null: only check the login. */
  readonly repository: string | null;
  /** The release to look for in the repository; null: none. */
  readonly release: ReleaseQuery | null;
  /** user:password in base64, as in a pull secret; null: none. */
  readonly login: string | null;
  readonly httpsProxy: string;
  readonly noProxy: string;
  /** PEM certificates that are trusted besides the public CAs. */
  readonly authorities: readonly string[];
}

interface ReleaseQuery {
  /** The repository that nodes pull it from by its name, `quay.io/openshift-release-dev/ocp-release`. */
  readonly source: string;
  /** `sha256:…` */
  readonly digest: string;
  /** `amd64` */
  readonly architecture: string;
  /** Whether the images of the release need signatures, too. */
  readonly needsSignedImages: boolean;
  /**
   * Finds the repository of this registry that mirrors `quay.io/openshift-release-dev/ocp-release` or another source;
   * null: none.
   */
  readonly findMirror: (repository: string) => string | null;
}

interface RegistryResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Number of images of a release that are looked for: those that a node pulls first, and others spread evenly over the
 * rest.
 */
const SAMPLE_SIZE = 8;
const PRIORITY_IMAGES = [
  'machine-config-operator',
  'rhel-coreos',
  'rhel-coreos-10',
  'stream-coreos',
  'stream-coreos-10',
];

/**
 * Logs in to a registry as a node does to pull an image (distribution/distribution, docs/content/spec/auth/token.md):
 * without a login, the registry names its token server; that server takes the login; its token grants access to the
 * registry. The certificate is always verified. The result contains nothing of the login.
 * @param timeoutMs for the whole exchange, milliseconds of the clock
 */
export async function probeRegistry(
  resolveEndpoint: ResolveEndpoint,
  clock: Clock,
  query: RegistryQuery,
  timeoutMs: number,
): Promise<ProbeAnswer<'registry'> | Unmeasurable> {
  const { registry, repository, login, authorities } = query;
  const baseUrl = new URL(`https://${registry}/v2/`);
  const proxyText = findProxy(baseUrl, query);
  const deadline = startDeadline(clock, timeoutMs);
  try {
    const firstResponse = await fetchUrl(baseUrl, null);
    const challenge = firstResponse.status === 401 ? parseChallenge(firstResponse.headers) : null;
    if (firstResponse.status !== 401 && firstResponse.status !== 200)
      return { state: 'no-registry', proxy: proxyText, detail: describeResponse(firstResponse, baseUrl) };
    const target = repository === null ? baseUrl : new URL(`/v2/${repository}/tags/list`, baseUrl);
    if (challenge === null && firstResponse.status === 401)
      return { state: 'no-registry', proxy: proxyText, detail: describeResponse(firstResponse, baseUrl) };
    if (challenge !== null && login === null)
      return { state: 'needs-login', proxy: proxyText, detail: registryWords().needsLogin };
    const authorization = challenge === null ? null : await authorize(challenge, repository);
    if (typeof authorization === 'object' && authorization !== null) return authorization;
    const lastResponse =
      authorization === null && repository === null ? firstResponse : await fetchUrl(target, authorization);
    if (lastResponse.status === 401 || lastResponse.status === 403)
      return { state: 'refused', proxy: proxyText, detail: describeResponse(lastResponse, target) };
    if (lastResponse.status === 404 && repository !== null)
      return { state: 'no-repository', proxy: proxyText, detail: describeResponse(lastResponse, target) };
    if (lastResponse.status !== 200)
      return { state: 'unreachable', proxy: proxyText, detail: describeResponse(lastResponse, target) };
    const release = await probeRelease(authorization, challenge);
    return {
      state: challenge === null ? 'open' : 'accepted',
      proxy: proxyText,
      detail: challenge === null ? registryWords().noLogin : registryWords().accepted,
      ...(release === null ? {} : { release }),
    };
  } catch (error) {
    return toUnmeasurable(error) ?? { ...toFailure(error), proxy: proxyText };
  } finally {
    deadline.end();
  }

  /** Returns the value of the Authorization header, or the result of the probe if the registry gives no token. */
  async function authorize(challenge: Challenge, name: string | null): Promise<string | ProbeAnswer<'registry'>> {
    if (challenge.kind === 'basic') return `Basic ${login}`;
    const { realm, service, scope } = challenge;
    // A password is never sent in clear text.
    if (realm.protocol !== 'https:')
      return {
        state: 'no-registry',
        proxy: proxyText,
        detail: registryWords().insecureRealm(sanitizeLine(realm.host, 80)),
      };
    if (service !== null) realm.searchParams.set('service', service);
    const requestedScope = name === null ? scope : `repository:${name}:pull`;
    if (requestedScope !== null) realm.searchParams.set('scope', requestedScope);
    const tokenResponse = await fetchUrl(realm, `Basic ${login}`);
    const token = tokenResponse.status === 200 ? parseToken(tokenResponse.body) : null;
    if (token !== null) return `Bearer ${token}`;
    const state =
      tokenResponse.status === 401 || tokenResponse.status === 403 || tokenResponse.status === 400
        ? 'refused'
        : 'unreachable';
    return { state, proxy: proxyText, detail: describeResponse(tokenResponse, realm) };
  }

  /**
   * Looks for the release, its signature and some of its images. The policy of the release itself verifies the
   * signature: the digest, which comes from openshift-install, covers it. A failed request leaves the result unknown.
   */
  async function probeRelease(
    authorization: string | null,
    challenge: Challenge | null,
  ): Promise<ProbeAnswer<'registry'>['release'] | null> {
    if (query.release === null || repository === null) return null;
    const { digest, source, architecture } = query.release;
    const unknownRelease = { digest, signature: null, verdict: null, payload: null };
    const fetchPart = async (path: string, maxBytes?: number) =>
      await fetchUrl(new URL(`/v2/${repository}/${path}`, baseUrl), authorization, maxBytes).catch(() => null);
    const image = await fetchPart(`manifests/${digest}`);
    const isPresent = derivePresence(image);
    if (image === null || isPresent !== true) return { ...unknownRelease, isPresent };
    // Anything else than the image itself, such as a login page, says nothing about the release.
    if (!hasDigest(image.body, digest)) return { ...unknownRelease, isPresent: null };
    const content = await readReleasePayload(image.body, architecture, async (path, maxBytes) => {
      const part = await fetchPart(path, maxBytes);
      return part?.status === 200 ? part.body : null;
    });
    const policy = content === null || content.policy === null ? null : parseImagePolicy(content.policy);
    const signatureStatus = await findSignature({ repository: source, digest }, policy, fetchPart);
    const payload = content === null ? null : await samplePayload(content.images, policy, challenge).catch(() => null);
    return { digest, isPresent, ...signatureStatus, payload };
  }

  /**
   * Looks for some images of the release, in the repositories that this registry has for them.
   * @returns null if the registry does not report whether each of them is present
   */
  async function samplePayload(
    images: readonly PayloadImage[],
    policy: ImagePolicy | null,
    challenge: Challenge | null,
  ): Promise<PayloadSample | null> {
    const mirroredImages = images.flatMap(({ name, digest, repository: source }) => {
      const mirror = query.release?.findMirror(source) ?? null;
      return mirror === null ? [] : [{ name, digest, source, mirror }];
    });
    const sample = pickSample(mirroredImages);
    const authorizationByMirror = new Map<string, string | null>();
    const missingImages: string[] = [];
    const unsignedImages: string[] = [];
    const refusedImages: RefusedImage[] = [];
    for (const { name, digest, source, mirror } of sample) {
      const cachedAuthorization = authorizationByMirror.get(mirror);
      const authorization =
        cachedAuthorization !== undefined
          ? cachedAuthorization
          : challenge === null
            ? null
            : await authorize(challenge, mirror);
      if (typeof authorization === 'object' && authorization !== null) return null;
      authorizationByMirror.set(mirror, authorization);
      const fetchPart = async (path: string, maxBytes?: number) =>
        await fetchUrl(new URL(`/v2/${mirror}/${path}`, baseUrl), authorization, maxBytes);
      const isPresent = derivePresence(await fetchPart(`manifests/${digest}`));
      if (isPresent === null) return null;
      if (!isPresent) missingImages.push(name);
      if (!isPresent || !query.release?.needsSignedImages) continue;
      const { signature, verdict } = await findSignature({ repository: source, digest }, policy, fetchPart);
      if (verdict?.state === 'not-required') continue;
      if (signature === 'none' || signature === 'referrer') unsignedImages.push(name);
      else if (isRefused(verdict)) refusedImages.push({ name, verdict });
    }
    const [totalCount, queriedCount] = [mirroredImages.length, sample.length];
    return queriedCount === 0
      ? null
      : { totalCount, queriedCount, missing: missingImages, unsigned: unsignedImages, refused: refusedImages };
  }

  async function fetchUrl(
    url: URL,
    authorization: string | null,
    maxBytes: number = MAX_BYTES,
  ): Promise<RegistryResponse> {
    const [host, port] = [getUrlHost(url), Number(url.port || 443)];
    const proxy = findProxy(url, query) === null ? null : parseProxy(query.httpsProxy);
    const socket = await openTlsConnection(resolveEndpoint, host, port, {
      proxy,
      authorities,
      signal: deadline.signal,
    });
    return await new Promise((resolve, reject) => {
      const headers = {
        Host: url.host,
        ...(url.pathname.includes('/manifests/') ? { Accept: MANIFEST_TYPES } : {}),
        ...(authorization === null ? {} : { Authorization: authorization }),
      };
      const path = url.pathname + url.search;
      const clientRequest = request({ createConnection: () => socket, path, headers });
      socket.on('error', reject);
      clientRequest.on('error', reject);
      clientRequest.on('response', (response) => {
        const parts: Buffer[] = [];
        let length = 0;
        response.on('data', (part: Buffer) => {
          parts.push(part);
          length += part.length;
          if (length > maxBytes) response.destroy();
        });
        response.on('error', reject);
        response.on('close', () => {
          socket.destroy();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) });
        });
      });
      clientRequest.end();
    });
  }

  /** Returns Unmeasurable if this machine cannot resolve or reach the proxy, which nodes may; null for other errors. */
  function toUnmeasurable(error: unknown): Unmeasurable | null {
    if (!(error instanceof TunnelError) || error.hop !== 'proxy' || proxyText === null) return null;
    const { cause } = error;
    if (!isLocalError(cause) && !['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'].includes(getErrorCode(cause))) return null;
    return { isUnmeasured: true, detail: registryWords().onlyFromHere(toTcpFailure(proxyText, cause).detail) };
  }

  function toFailure(error: unknown): Pick<ProbeAnswer<'registry'>, 'state' | 'detail'> {
    const tunnel = error instanceof TunnelError ? error : null;
    const endpointText =
      tunnel?.hop === 'proxy' ? (proxyText ?? '') : words().probe.hostAndPort(getUrlHost(baseUrl), baseUrl.port || 443);
    const failureState = tunnel?.hop === 'proxy' ? 'proxy-failed' : 'unreachable';
    if (deadline.signal.aborted) return { state: failureState, detail: words().probe.timeout(endpointText) };
    if (tunnel?.hop === 'proxy' && tunnel.status !== null)
      return { state: 'proxy-refused', detail: registryWords().proxyAnswered(tunnel.status) };
    const cause = tunnel === null ? error : tunnel.cause;
    const code = getErrorCode(cause);
    const handshakeFailure = describeHandshakeFailure(endpointText, cause);
    if (handshakeFailure !== null) return { state: 'no-registry', detail: handshakeFailure };
    if (TLS_ERROR.test(code))
      return { state: 'untrusted', detail: registryWords().untrusted(endpointText, describeSystemError(cause)) };
    return { state: failureState, detail: toTcpFailure(endpointText, cause).detail };
  }
}

/** Finds the proxy for a URL, `proxy.example.com:3128`; null: none. */
export function findProxy(
  url: URL,
  { httpsProxy, noProxy }: Pick<RegistryQuery, 'httpsProxy' | 'noProxy'>,
): string | null {
  const proxy = parseProxy(httpsProxy);
  if (proxy === null || shouldBypassProxy(getUrlHost(url), Number(url.port || 443), noProxy)) return null;
  return words().probe.hostAndPort(proxy.host, proxy.port);
}

const describeResponse = ({ status }: RegistryResponse, { origin, pathname }: URL) =>
  words().probe.httpStatus(sanitizeLine(`${origin}${pathname}`, 160), status);

type Challenge =
  | { readonly kind: 'basic' }
  | { readonly kind: 'bearer'; readonly realm: URL; readonly service: string | null; readonly scope: string | null };

/** Parses the challenge of a registry (RFC 7235); null: a pull secret cannot satisfy it. */
function parseChallenge({ 'www-authenticate': header = '' }: IncomingHttpHeaders): Challenge | null {
  if (/^basic\b/i.test(header)) return { kind: 'basic' };
  if (!/^bearer\b/i.test(header)) return null;
  const getValue = (name: string) => new RegExp(`\\b${name}="([^"]*)"`, 'i').exec(header)?.[1] ?? null;
  const realm = getValue('realm');
  if (realm === null || !URL.canParse(realm)) return null;
  return { kind: 'bearer', realm: new URL(realm), service: getValue('service'), scope: getValue('scope') };
}

/** Parses the token; null if there is none, or if it could break out of a header. */
function parseToken(body: Buffer): string | null {
  const parseResult = tokenSchema.safeParse(parseJson(body));
  const token = parseResult.success ? (parseResult.data.token ?? parseResult.data.access_token) : undefined;
  return token !== undefined && /^[\x21-\x7e]+$/.test(token) ? token : null;
}

const optionalTextSchema = z.string().optional().catch(undefined);
const tokenSchema = z.object({ token: optionalTextSchema, access_token: optionalTextSchema });

function pickSample<Image extends { readonly name: string }>(images: readonly Image[]): readonly Image[] {
  const priorityImages = images.filter(({ name }) => PRIORITY_IMAGES.includes(name));
  const otherImages = images.filter((image) => !priorityImages.includes(image));
  const count = Math.min(SAMPLE_SIZE - priorityImages.length, otherImages.length);
  return [
    ...priorityImages,
    ...otherImages.filter(
      (_, index) =>
        Math.floor((index * count) / otherImages.length) !== Math.floor(((index - 1) * count) / otherImages.length),
    ),
  ];
}
