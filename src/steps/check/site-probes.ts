import type { ExpectedSite } from '../../checks/site/expected-site.ts';
import type { Probes } from '../../checks/site/query.ts';
import { apiIntName } from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { SECOND } from '../../platform/clock.ts';
import { parsePullSecret } from '../../platform/secrets.ts';
import { formatUrlHost } from '../../platform/text.ts';
import { probeDhcp } from '../../probes/dhcp-probe.ts';
import { probeDns } from '../../probes/dns-probe.ts';
import { fetchPoolMembers } from '../../probes/haproxy-stats.ts';
import { probeHttp, probeText } from '../../probes/http-probe.ts';
import { ARP_TABLE, findNeighbour, findSendBlock, isOnLink, probeNeighbour } from '../../probes/neighbour-probe.ts';
import type { ProbeAnswer, ProbeQuestion, Unmeasurable } from '../../probes/probe-types.ts';
import { probeTcp } from '../../probes/probes.ts';
import { probeRegistry } from '../../probes/registry-probe.ts';
import { probeTftp } from '../../probes/tftp-probe.ts';
import { probeDate } from '../../probes/time-probe.ts';
import { parseProxy } from '../../probes/tls-tunnel.ts';
import type { StepContext } from '../contract.ts';
import { readCredentials } from '../shared/files/credentials.ts';
import { probeHost, probeIgnitionFiles, readHostTexts } from './host.ts';
import { probeImageFiles } from './images.ts';
import { probeTimeServer } from './time.ts';

/** Three connections across the internet, perhaps through a proxy. */
const REGISTRY_TIMEOUT = 10 * SECOND;

type RegistryContext = Pick<StepContext, 'design' | 'resolveEndpoint' | 'clock' | 'credentials'>;

/** Collects the registries that the design pulls images from, and those that the pull secret has logins for. */
export async function collectRegistries(
  context: Pick<RegistryContext, 'design' | 'credentials'>,
): Promise<ExpectedSite['registries']> {
  const { imageDigestSources, proxy } = context.design;
  const mirrors = imageDigestSources.flatMap((each) => each.mirrors);
  const logins = await readLogins(context);
  const found = proxy === null ? null : parseProxy(proxy.httpsProxy);
  const host = found && formatUrlHost(found.host);
  return {
    needed: mirrors.length > 0 ? [...new Set(mirrors.map((mirror) => mirror.split('/')[0] ?? ''))] : ['quay.io'],
    known: logins === null ? null : [...new Set([...logins.keys()].map((name) => name.split('/')[0] ?? ''))],
    mirrors: [...new Set(mirrors)],
    // Without its password.
    proxy: found === null ? null : `${found.isTls ? 'https' : 'http'}://${host}:${found.port}`,
    file: context.credentials.pullSecretFile,
  };
}

/** Queries a registry with the login of the pull secret. Nothing leaves this machine unless `isOnline`. */
async function probeRegistryLogin(
  context: RegistryContext,
  { registry, repository }: ProbeQuestion<'registry'>,
  isOnline: boolean,
): Promise<ProbeAnswer<'registry'> | Unmeasurable> {
  const nothing = { via: null, detail: '' };
  if (!isOnline) return { state: 'not-queried', ...nothing };
  const { design, resolveEndpoint, clock } = context;
  const { trustBundle } = await readCredentials(context).catch(() => ({ trustBundle: null }));
  const logins = await readLogins(context);
  if (logins === null) return { state: 'no-secret', ...nothing };
  const matching = [...logins].filter(
    ([name]) => name === registry || `${registry}/${repository ?? ''}`.startsWith(`${name}/`),
  );
  // The longest matching name is the most specific (containers-auth.json(5)).
  const [, login = null] = matching.sort(([one], [other]) => other.length - one.length)[0] ?? [];
  const question = {
    registry,
    repository,
    login,
    httpsProxy: design.proxy?.httpsProxy ?? '',
    noProxy: buildNoProxy(design),
    authorities: trustBundle === null ? [] : [trustBundle],
  };
  return await probeRegistry(resolveEndpoint, clock, question, REGISTRY_TIMEOUT);
}

/**
 * Builds the cluster's noProxy list: the entries of the design, and those that the network operator adds
 * (openshift/cluster-network-operator, pkg/util/proxyconfig).
 */
function buildNoProxy(design: Design): string {
  const { machine, cluster, service } = design.networks;
  const networks = [...machine.map(({ cidr }) => cidr), ...cluster.map(({ cidr }) => cidr), ...service];
  const internal = ['.cluster.local', '.svc', apiIntName(design)];
  return [design.proxy?.noProxy ?? '', ...networks, ...internal].join(',');
}

/** Reads the logins by registry, each user:password in base64; null if there is no readable pull secret. */
async function readLogins(context: Pick<RegistryContext, 'credentials'>): Promise<ReadonlyMap<string, string> | null> {
  const { pullSecret } = await readCredentials(context).catch(() => ({ pullSecret: null }));
  const logins = pullSecret === null ? null : parsePullSecret(pullSecret);
  return (
    logins &&
    new Map([...logins].flatMap(([name, { auth }]) => (typeof auth === 'string' ? [[name, auth] as const] : [])))
  );
}

/** The context of the site checks. */
export type CheckContext = Pick<
  StepContext,
  | 'design'
  | 'dir'
  | 'resolveEndpoint'
  | 'clock'
  | 'programPath'
  | 'imagesDir'
  | 'credentials'
  | 'manualActions'
  | 'signal'
> & {
  /** Registries and time servers on the internet are probed as well. */
  readonly isOnline?: boolean;
};

/** Timeout of a probe; a server that exists replies at once. Probes that fetch a whole file have longer. */
const PROBE_TIMEOUT = 3 * SECOND;
const FETCH_TIMEOUT = 15 * SECOND;

/**
 * Creates the probes of a site, one per kind of question; the same question is sent once. They change nothing anywhere.
 */
export function createProbes(context: CheckContext): Probes {
  const { design, resolveEndpoint, clock, manualActions, isOnline = false } = context;
  const getSendBlock = memoize((address: string) => findSendBlock(resolveEndpoint(address, 0).host));
  // Null outside a rehearsal: this machine reads its own file.
  const readSiteFile = memoize((path: string) => manualActions.readFile(design.services.bastion.name, path));
  const findResolver = async () =>
    /^nameserver\s+(\S+)/m.exec((await readSiteFile('/etc/resolv.conf')) ?? '')?.[1] ?? null;
  const parseHost = (url: string) => new URL(url).hostname.replace(/^\[|\]$/g, '');

  /** Returns the answer, or `Unmeasurable` if none came and this host could not send the query. */
  async function distinguishLocalFailure<Reply>(
    from: string,
    isSilent: boolean,
    answer: Reply,
  ): Promise<Reply | Unmeasurable> {
    const why = isSilent ? await getSendBlock(from) : null;
    return why === null ? answer : { isUnmeasured: true, detail: catalogue().bastion.probe.sendBlocked(from, why) };
  }

  /** Same as `distinguishLocalFailure`. An `unreachable` from a router on the path proves nothing about the host either. */
  async function distinguishRouterReply<Reply extends { readonly state: string; readonly detail: string }>(
    from: string,
    isSilent: boolean,
    answer: Reply,
  ): Promise<Reply | Unmeasurable> {
    const result = await distinguishLocalFailure(from, isSilent, answer);
    const isRouterReply = answer.state === 'unreachable' && !isOnLink(from);
    return result === answer && isRouterReply ? { isUnmeasured: true, detail: answer.detail } : result;
  }

  return {
    dns: memoize(async (question) => {
      const server = question.server ?? (await findResolver());
      const answer = await probeDns({
        resolveEndpoint: resolveEndpoint,
        clock,
        ...question,
        server,
        timeoutMs: PROBE_TIMEOUT,
      });
      const isSilent = answer.state === 'timeout' || answer.state === 'refused';
      return server === null ? answer : await distinguishLocalFailure(server, isSilent, answer);
    }),
    tcp: memoize(async (question) => {
      const answer = await probeTcp(resolveEndpoint, clock, question.host, question.port, PROBE_TIMEOUT);
      return await distinguishRouterReply(
        question.host,
        answer.state !== 'open' && answer.state !== 'closed-at-once',
        answer,
      );
    }),
    head: memoize(async ({ url }) => {
      const answer = await probeHttp(resolveEndpoint, clock, url, PROBE_TIMEOUT);
      return await distinguishRouterReply(parseHost(url), answer.status === null, answer);
    }),
    text: memoize(async ({ url }) => {
      const answer = await probeText(resolveEndpoint, clock, url, PROBE_TIMEOUT);
      return await distinguishLocalFailure(parseHost(url), answer.status === null, answer);
    }),
    tftp: memoize(async (question) => {
      const answer = await probeTftp(resolveEndpoint, clock, question, FETCH_TIMEOUT);
      const isSilent = !('isUnmeasured' in answer) && answer.state !== 'fetched' && answer.state !== 'refused';
      return await distinguishLocalFailure(question.server, isSilent, answer);
    }),
    members: memoize(async ({ host: address, port }) => {
      const answer = await fetchPoolMembers(resolveEndpoint(address, port), clock);
      return await distinguishLocalFailure(address, answer === null, answer);
    }),
    neighbour: memoize(async ({ address }) => {
      const table = await readSiteFile(ARP_TABLE);
      return table === null ? await probeNeighbour(clock, address) : findNeighbour(table, address);
    }),
    dhcp: memoize((question) => probeDhcp(resolveEndpoint, clock, question)),
    files: memoize((question) => readHostTexts(context, question)),
    host: memoize(async (question) => {
      const answer = await probeHost(context, question);
      const isSilent = answer.state === 'refused' && answer.detail.includes(`connect to host ${question.address} `);
      return await distinguishLocalFailure(question.address, isSilent, answer);
    }),
    ignition: memoize((question) => probeIgnitionFiles(context, question)),
    images: memoize(({ files }) => probeImageFiles(context, files)),
    registry: memoize((question) => probeRegistryLogin(context, question, isOnline)),
    date: memoize(async (question) => {
      const answer = await probeDate(resolveEndpoint, clock, question, PROBE_TIMEOUT);
      return await distinguishLocalFailure(question.host, !answer.isThere, answer);
    }),
    time: memoize(({ server }) => probeTimeServer(context, server, isOnline, PROBE_TIMEOUT)),
  };
}

function memoize<Input, Output>(query: (question: Input) => Promise<Output>): (question: Input) => Promise<Output> {
  const answers = new Map<string, Promise<Output>>();
  return (question) => {
    const key = JSON.stringify(question);
    const answer = answers.get(key) ?? query(question);
    answers.set(key, answer);
    return answer;
  };
}
