import type { IncomingHttpHeaders } from 'node:http';
import type { Answer, Unmeasured } from '../../diagnosis/site/exchange.ts';
import type { Clock } from '../../ports/clock.ts';
import { request } from '../../ports/http.ts';
import type { Reach } from '../../ports/reach.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { goesDirect } from '../no-proxy.ts';
import { errorCode, runPatience } from '../patience.ts';
import { openTunnel, proxyOf, TunnelError } from '../tls-tunnel.ts';
import { isOwnError } from './kept-here.ts';
import { tcpFailure } from './tcp-failure.ts';
import { NOT_ACCEPTED } from './tls-probe.ts';

const words = () => catalogue().bastion;
const said = () => catalogue().diagnosis.site.said.registry;

/** A token and a list of tags are short; what is longer is something else. */
const MOST_BYTES = 1024 * 1024;

/** A registry, and how its nodes will come to it. */
export interface RegistryQuestion {
  /** `quay.io`, `mirror.example.com:5000`. */
  readonly registry: string;
  /** `ocp/release`: whether it is there as well; null: only whether the login is good. */
  readonly repository: string | null;
  /** user:password in base64, as a pull secret has it; null: there is none. */
  readonly login: string | null;
  readonly httpsProxy: string;
  readonly noProxy: string;
  /** PEM certificates that count besides the public authorities. */
  readonly authorities: readonly string[];
}

interface Heard {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * Logs in to a registry as a node does that pulls an image (distribution/distribution, docs/content/spec/auth/token.md): asked
 * without a login, it names where tokens come from; that place takes the login; the token opens the registry. The certificate is always
 * verified. Nothing of the login is in the answer.
 * @param timeoutMs for all of it, milliseconds of the clock
 */
export async function registryProbe(
  reach: Reach,
  clock: Clock,
  question: RegistryQuestion,
  timeoutMs: number,
): Promise<Answer<'registry'> | Unmeasured> {
  const { registry, repository, login, authorities } = question;
  const start = new URL(`https://${registry}/v2/`);
  const via = proxyFor(start, question);
  const patience = runPatience(clock, timeoutMs);
  try {
    const first = await hear(start, null);
    const challenge = first.status === 401 ? challengeOf(first.headers) : null;
    if (first.status !== 401 && first.status !== 200)
      return { state: 'no-registry', via, detail: answered(first, start) };
    const wanted = repository === null ? start : new URL(`/v2/${repository}/tags/list`, start);
    if (challenge === null && first.status === 401)
      return { state: 'no-registry', via, detail: answered(first, start) };
    if (challenge !== null && login === null) return { state: 'needs-login', via, detail: said().needsLogin };
    const authorization = challenge === null ? null : await authorize(challenge);
    if (typeof authorization === 'object' && authorization !== null) return authorization;
    const last = authorization === null && repository === null ? first : await hear(wanted, authorization);
    if (last.status === 401 || last.status === 403) return { state: 'refused', via, detail: answered(last, wanted) };
    if (last.status === 404 && repository !== null)
      return { state: 'no-repository', via, detail: answered(last, wanted) };
    if (last.status !== 200) return { state: 'unreachable', via, detail: answered(last, wanted) };
    return {
      state: challenge === null ? 'open' : 'accepted',
      via,
      detail: challenge === null ? said().open : said().accepted,
    };
  } catch (error) {
    return unasked(error) ?? { ...failureOf(error), via };
  } finally {
    patience.end();
  }

  /** The value of Authorization; or why there is none. */
  async function authorize(challenge: Challenge): Promise<string | Answer<'registry'>> {
    if (challenge.kind === 'basic') return `Basic ${login}`;
    const { realm, service, scope } = challenge;
    // A password goes to nobody in clear.
    if (realm.protocol !== 'https:')
      return { state: 'no-registry', via, detail: said().realm(sanitizeLine(realm.host, 80)) };
    if (service !== null) realm.searchParams.set('service', service);
    const asked = repository === null ? scope : `repository:${repository}:pull`;
    if (asked !== null) realm.searchParams.set('scope', asked);
    const answer = await hear(realm, `Basic ${login}`);
    const token = answer.status === 200 ? tokenOf(answer.body) : null;
    if (token !== null) return `Bearer ${token}`;
    const state = answer.status === 401 || answer.status === 403 || answer.status === 400 ? 'refused' : 'unreachable';
    return { state, via, detail: answered(answer, realm) };
  }

  async function hear(url: URL, authorization: string | null): Promise<Heard> {
    const [host, port] = [nameOf(url), Number(url.port || 443)];
    const proxy = proxyFor(url, question) === null ? null : proxyOf(question.httpsProxy);
    const link = await openTunnel(reach, host, port, { proxy, authorities, signal: patience.signal });
    return await new Promise((resolve, reject) => {
      const headers = {
        Host: url.host,

        ...(authorization === null ? {} : { Authorization: authorization }),
      };
      const path = url.pathname + url.search;
      const asked = request({ createConnection: () => link, path, headers });
      link.on('error', reject);
      asked.on('error', reject);
      asked.on('response', (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          body += part;
          if (body.length > MOST_BYTES) response.destroy();
        });
        response.on('error', reject);
        response.on('close', () => {
          link.destroy();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
        });
      });
      asked.end();
    });
  }

  /** A proxy whose name only nodes have to know, or to which only they have a way. */
  function unasked(error: unknown): Unmeasured | null {
    if (!(error instanceof TunnelError) || error.at !== 'proxy' || via === null) return null;
    const { cause } = error;
    if (!isOwnError(cause) && !['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'].includes(errorCode(cause))) return null;
    return { isUnmeasured: true, detail: said().fromHere(tcpFailure(via, cause).detail) };
  }

  function failureOf(error: unknown): Pick<Answer<'registry'>, 'state' | 'detail'> {
    const tunnel = error instanceof TunnelError ? error : null;
    const where = tunnel?.at === 'proxy' ? (via ?? '') : words().probe.place(nameOf(start), start.port || 443);
    const unheard = tunnel?.at === 'proxy' ? 'proxy-failed' : 'unreachable';
    if (patience.signal.aborted) return { state: unheard, detail: words().probe.timeout(where) };
    if (tunnel?.at === 'proxy' && tunnel.status !== null)
      return { state: 'proxy-refused', detail: said().proxyAnswered(tunnel.status) };
    const cause = tunnel === null ? error : tunnel.cause;
    const code = errorCode(cause);
    if (NOT_ACCEPTED.test(code))
      return { state: 'untrusted', detail: words().probe.untrusted(where, sanitizeLine(code)) };
    return { state: unheard, detail: tcpFailure(where, cause).detail };
  }
}

/** The proxy on the way to a URL, `proxy.example.com:3128`; null: there is none. */
function proxyFor(url: URL, { httpsProxy, noProxy }: RegistryQuestion): string | null {
  const proxy = proxyOf(httpsProxy);
  if (proxy === null || goesDirect(nameOf(url), Number(url.port || 443), noProxy)) return null;
  return words().probe.place(proxy.host, proxy.port);
}

const nameOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '');
const answered = ({ status }: Heard, { origin, pathname }: URL) =>
  words().probe.httpAnswered(sanitizeLine(`${origin}${pathname}`, 160), status);

type Challenge =
  | { readonly kind: 'basic' }
  | { readonly kind: 'bearer'; readonly realm: URL; readonly service: string | null; readonly scope: string | null };

/** What a registry wants (RFC 7235); null: nothing that a pull secret can give. */
function challengeOf({ 'www-authenticate': header = '' }: IncomingHttpHeaders): Challenge | null {
  if (/^basic\b/i.test(header)) return { kind: 'basic' };
  if (!/^bearer\b/i.test(header)) return null;
  const value = (name: string) => new RegExp(`\\b${name}="([^"]*)"`, 'i').exec(header)?.[1] ?? null;
  const realm = value('realm');
  if (realm === null || !URL.canParse(realm)) return null;
  return { kind: 'bearer', realm: new URL(realm), service: value('service'), scope: value('scope') };
}

/** Without what could break out of a header; null: there is none. */
function tokenOf(body: string): string | null {
  try {
    const { token, access_token: other } = JSON.parse(body) as {
      readonly token?: unknown;
      readonly access_token?: unknown;
    };
    const found = typeof token === 'string' ? token : other;
    return typeof found === 'string' && /^[\x21-\x7e]+$/.test(found) ? found : null;
  } catch {
    return null;
  }
}
