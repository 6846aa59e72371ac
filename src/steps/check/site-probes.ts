import type { Probes } from '../../checks/site/site.ts';
import { needsPullSecret } from '../../design/credentials.ts';
import { GO_ARCHITECTURES, getApiIntName, isInsideRepository } from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import { getVersionProfile } from '../../design/versions.ts';
import { resolveHostName } from '../../host/local-machine.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { readInstallerVersion } from '../../installer/openshift-install.ts';
import { SECOND } from '../../platform/clock.ts';
import { limitConcurrency } from '../../platform/concurrency.ts';
import { parsePullSecret } from '../../platform/secrets.ts';
import { getUrlHost } from '../../platform/text.ts';
import { probeCertificate } from '../../probes/certificate-probe.ts';
import { probeDhcp } from '../../probes/dhcp-probe.ts';
import { probeDns } from '../../probes/dns-probe.ts';
import { fetchPoolMembers } from '../../probes/haproxy-stats.ts';
import { probeHttp, probeText } from '../../probes/http-probe.ts';
import { probeLocalNetwork, readLocalFile } from '../../probes/local-network-probe.ts';
import {
  ARP_TABLE,
  findLocalSendError,
  isOnLink,
  probeNeighbour,
  probePackets,
  toNeighbourAnswer,
} from '../../probes/neighbour-probe.ts';
import { isDnsSilent, type ProbeAnswer, type ProbeQuery, type Unmeasurable } from '../../probes/probe-types.ts';
import { findProxy, probeRegistry } from '../../probes/registry-probe.ts';
import { probeTcp } from '../../probes/tcp-probe.ts';
import { probeTftp } from '../../probes/tftp-probe.ts';
import { probeDate } from '../../probes/time-probe.ts';
import type { StepContext } from '../contract.ts';
import { readCredentials } from '../shared/files/credentials.ts';
import { findInstaller } from '../shared/installer/images.ts';
import { readMachineReports } from '../shared/machines/machine-reports.ts';
import { readAuthorities } from './authorities.ts';
import { probeHost, probeIgnitionFiles, readHostTexts } from './host.ts';
import { probeImageFiles, probeImageSample } from './images.ts';
import { isInternetHost, resolveWithTimeout } from './internet-host.ts';
import { probeReach } from './reach.ts';
import { probeServices } from './services.ts';
import { probeTimeServer } from './time.ts';

/** Three connections across the internet, perhaps through a proxy. */
const REGISTRY_TIMEOUT = 10 * SECOND;

type RegistryContext = Pick<StepContext, 'design' | 'resolveEndpoint' | 'clock' | 'credentials' | 'programDirectories'>;

/** Lists the registries that the pull secret has logins for; null if there is no readable pull secret. */
export async function readPullSecretRegistries(
  context: Pick<RegistryContext, 'credentials'>,
): Promise<string[] | null> {
  const logins = await readRegistryLogins(context);
  return logins && [...new Set([...logins.keys()].map((name) => name.split('/')[0] ?? ''))];
}

/**
 * Queries a registry with the login of the pull secret. A registry outside the site is queried only with `isOnline`.
 */
async function probeRegistryLogin(
  context: RegistryContext,
  { registry, repository }: ProbeQuery<'registry'>,
  isOnline: boolean,
): Promise<ProbeAnswer<'registry'> | Unmeasurable> {
  const emptyFields = { proxy: null, detail: '' };
  const { design, resolveEndpoint, clock } = context;
  if (!isOnline && !(await isSiteRegistry(context, registry))) return { state: 'not-queried', ...emptyFields };
  const { trustBundle } = await readCredentials(context).catch(() => ({ trustBundle: null }));
  const logins = (await readRegistryLogins(context)) ?? (needsPullSecret(design) ? null : new Map<string, string>());
  if (logins === null) return { state: 'no-secret', ...emptyFields };
  const matchingLogins = [...logins].filter(
    ([name]) => name === registry || `${registry}/${repository ?? ''}`.startsWith(`${name}/`),
  );
  // The longest matching name is the most specific (containers-auth.json(5)).
  const [, login = null] = matchingLogins.sort(([a], [b]) => b.length - a.length)[0] ?? [];
  const mirror = repository === '' ? registry : `${registry}/${repository}`;
  const release = repository === null ? null : await findMirroredRelease(context, mirror);
  const query = {
    registry,
    repository: release?.repository ?? (repository || null),
    release: release && {
      source: release.imageName,
      digest: release.digest,
      architecture: GO_ARCHITECTURES[design.openshift.architecture],
      needsSignedImages: getVersionProfile(design.openshift.version).signatureVerifiedBy === 'node',
      findMirror: (source: string) => findMirror(design, registry, source),
    },
    login,
    httpsProxy: design.proxy?.httpsProxy ?? '',
    noProxy: buildNoProxy(design),
    authorities: trustBundle === null ? [] : [trustBundle],
  };
  return await probeRegistry(resolveEndpoint, clock, query, REGISTRY_TIMEOUT);
}

/**
 * Whether a registry is inside the site: a mirror of the design that has an address of the site, and to which no proxy
 * leads. A simulated site has none. No other name is looked up, because that query would leave the site.
 */
async function isSiteRegistry(
  { design, resolveEndpoint }: Pick<RegistryContext, 'design' | 'resolveEndpoint'>,
  registry: string,
): Promise<boolean> {
  const isMirror = design.imageDigestSources.some(({ mirrors }) =>
    mirrors.some((mirror) => mirror.split('/')[0] === registry),
  );
  if (!isMirror || !URL.canParse(`https://${registry}`)) return false;
  const url = new URL(`https://${registry}`);
  const host = getUrlHost(url);
  const isSimulated = resolveEndpoint(host, Number(url.port || 443)).host !== host;
  const proxy = { httpsProxy: design.proxy?.httpsProxy ?? '', noProxy: buildNoProxy(design) };
  if (isSimulated || findProxy(url, proxy) !== null) return false;
  const address = await resolveWithTimeout(host);
  return address !== null && !(await isInternetHost(design, address));
}

/**
 * Finds the release image of openshift-install in a mirror: its repository on the mirror registry, its source name and
 * its digest.
 * @returns null if the mirror is for other images, or there is no installer that names its release by digest
 */
async function findMirroredRelease(
  context: Pick<RegistryContext, 'design' | 'programDirectories'>,
  mirror: string,
): Promise<{ readonly repository: string; readonly imageName: string; readonly digest: string } | null> {
  const program = await findInstaller(context);
  const version = program === null ? null : await readInstallerVersion(program).catch(() => null);
  const [, image, digest] = /^(\S+)@(sha256:[0-9a-f]{64})$/.exec(version?.releaseImage ?? '') ?? [];
  if (image === undefined || digest === undefined) return null;
  const sources = context.design.imageDigestSources.filter(({ mirrors }) => mirrors.includes(mirror));
  const source = [mirror, ...sources.map((entry) => entry.source)].find((name) => isInsideRepository(image, name));
  return source === undefined ? null : { repository: mapToMirror(image, source, mirror), imageName: image, digest };
}

/** Maps an image below `source` to its repository in the mirror, without the host of the registry. */
function mapToMirror(image: string, source: string, mirror: string): string {
  const parts = [mirror.split('/').slice(1).join('/'), image.slice(source.length + 1)];
  return parts.filter((part) => part !== '').join('/');
}

/**
 * Finds the repository of a registry that mirrors an image: the longest source wins (containers-registries.conf(5)).
 * Null: no mirror.
 */
function findMirror({ imageDigestSources }: Design, registry: string, image: string): string | null {
  const candidates = imageDigestSources
    .filter(({ source }) => isInsideRepository(image, source))
    .toSorted((a, b) => b.source.length - a.source.length)
    .flatMap(({ source, mirrors }) => mirrors.map((mirror) => ({ source, mirror })))
    .filter(({ mirror }) => mirror.split('/')[0] === registry);
  const [candidate] = candidates;
  return candidate === undefined ? null : mapToMirror(image, candidate.source, candidate.mirror);
}

/**
 * Builds the cluster's noProxy list: the entries of the design, and those that the network operator adds
 * (openshift/cluster-network-operator, pkg/util/proxyconfig).
 */
function buildNoProxy(design: Design): string {
  const { machine, cluster, service } = design.networks;
  const networks = [...machine.map(({ cidr }) => cidr), ...cluster.map(({ cidr }) => cidr), ...service];
  const internalNames = ['.cluster.local', '.svc', getApiIntName(design)];
  return [design.proxy?.noProxy ?? '', ...networks, ...internalNames].join(',');
}

/** Reads the logins by registry, each user:password in base64; null if there is no readable pull secret. */
async function readRegistryLogins(
  context: Pick<RegistryContext, 'credentials'>,
): Promise<ReadonlyMap<string, string> | null> {
  const { pullSecret } = await readCredentials(context).catch(() => ({ pullSecret: null }));
  const logins = pullSecret === null ? null : parsePullSecret(pullSecret);
  return (
    logins &&
    new Map([...logins].flatMap(([name, { auth }]) => (typeof auth === 'string' ? [[name, auth] as const] : [])))
  );
}

export type SiteProbeContext = Pick<
  StepContext,
  | 'design'
  | 'dir'
  | 'resolveEndpoint'
  | 'clock'
  | 'programDirectories'
  | 'imagesDir'
  | 'credentials'
  | 'manualActions'
  | 'signal'
> & {
  /** Registries and time servers on the internet are probed as well. */
  readonly isOnline?: boolean;
};

/** Concurrent probes: fast for a site with many nodes, and no server gets all of them at once. */
const MAX_CONCURRENT = 32;

/** Nodes that are off do not answer: each such query waits for its whole timeout, and costs almost nothing. */
const MAX_CONCURRENT_NEIGHBOURS = 256;

/** Timeout of a probe; a server that exists replies at once. Probes that fetch a whole file have FETCH_TIMEOUT. */
const PROBE_TIMEOUT = 3 * SECOND;
const FETCH_TIMEOUT = 15 * SECOND;

/**
 * Creates the probes of a site, one per kind of query; the same query is sent once. They change nothing anywhere.
 */
export function createProbes(context: SiteProbeContext): Probes {
  const { design, resolveEndpoint, clock, manualActions, signal, isOnline = false } = context;
  const runLimited = limitConcurrency(MAX_CONCURRENT);
  const createProbe = <Input, Output>(send: (query: Input) => Promise<Output>) =>
    memoize((query: Input) =>
      runLimited(async () => {
        signal.throwIfAborted();
        return await send(query);
      }),
    );
  const runNeighbourLimited = limitConcurrency(MAX_CONCURRENT_NEIGHBOURS);
  const queryServer = createServerQuery();
  const readAuthoritiesOnce = memoize((kind: ProbeQuery<'certificate'>['authority']) => readAuthorities(context, kind));
  const findSendErrorOnce = memoize((address: string) => findLocalSendError(resolveEndpoint(address, 0).host));
  // Reads a file of the simulated bastion; null outside a rehearsal, where probes read the file of this machine.
  const readSimulatedFile = memoize((path: string) => manualActions.readFile(design.services.bastion.name, path));
  const findResolver = async () =>
    /^nameserver\s+(\S+)/m.exec((await readSimulatedFile('/etc/resolv.conf')) ?? '')?.[1] ?? null;
  const parseHost = (url: string) => getUrlHost(new URL(url));

  /** Returns the answer, or `Unmeasurable` if none came (`isSilent`) and this host could not send the query. */
  async function distinguishLocalFailure<Reply>(
    host: string,
    isSilent: boolean,
    answer: Reply,
  ): Promise<Reply | Unmeasurable> {
    const sendError = isSilent ? await findSendErrorOnce(host) : null;
    return sendError === null
      ? answer
      : { isUnmeasured: true, detail: catalogue().bastion.probe.sendBlocked(host, sendError) };
  }

  /**
   * Like `distinguishLocalFailure`, but also returns `Unmeasurable` for an `unreachable` from a router on the path,
   * which proves nothing about the host.
   */
  async function distinguishRouterReply<Reply extends { readonly state: string; readonly detail: string }>(
    host: string,
    isSilent: boolean,
    answer: Reply,
  ): Promise<Reply | Unmeasurable> {
    const result = await distinguishLocalFailure(host, isSilent, answer);
    const isRouterReply = answer.state === 'unreachable' && !isOnLink(host);
    return result === answer && isRouterReply ? { isUnmeasured: true, detail: answer.detail } : result;
  }

  return {
    dns: createProbe(async (query) => {
      const server = query.server ?? (await findResolver());
      const answer = await queryServer(
        `dns ${server}`,
        () => probeDns({ resolveEndpoint, clock, ...query, server, timeoutMs: PROBE_TIMEOUT }),
        ({ state }) => state === 'timeout',
      );
      return server === null ? answer : await distinguishLocalFailure(server, isDnsSilent(answer.state), answer);
    }),
    machine: createProbe(() =>
      manualActions.canLogIn ? probeLocalNetwork(readLocalFile, process.env) : probeLocalNetwork(readSimulatedFile, {}),
    ),
    lookup: createProbe(async ({ name }) => {
      if (manualActions.canLogIn) return await resolveHostName(name);
      // The simulated bastion has no getent to run: its first name server is queried instead.
      const { state, answers } = await probeDns({
        ...{ resolveEndpoint, clock, server: await findResolver(), name, type: 'A', timeoutMs: PROBE_TIMEOUT },
      });
      return { state: state === 'answered' ? 'answered' : 'no-name', addresses: answers, seconds: 0 };
    }),
    tcp: createProbe(async (query) => {
      const answer = await probeTcp(resolveEndpoint, clock, query.host, query.port, PROBE_TIMEOUT);
      return await distinguishRouterReply(
        query.host,
        answer.state !== 'open' && answer.state !== 'closed-at-once',
        answer,
      );
    }),
    head: createProbe(async ({ url }) => {
      const answer = await queryServer(
        `head ${new URL(url).host}`,
        () => probeHttp(resolveEndpoint, clock, url, PROBE_TIMEOUT),
        ({ state }) => state === 'timeout',
      );
      return await distinguishRouterReply(parseHost(url), answer.status === null, answer);
    }),
    sample: createProbe((query) => probeImageSample(context, query)),
    text: createProbe(async ({ url }) => {
      const answer = await queryServer(
        `text ${new URL(url).host}`,
        () => probeText(resolveEndpoint, clock, url, PROBE_TIMEOUT),
        ({ status }) => status === null,
      );
      return await distinguishLocalFailure(parseHost(url), answer.status === null, answer);
    }),
    tftp: createProbe(async (query) => {
      const answer = await probeTftp(resolveEndpoint, clock, query, FETCH_TIMEOUT);
      const isSilent = !('isUnmeasured' in answer) && answer.state !== 'fetched' && answer.state !== 'refused';
      return await distinguishLocalFailure(query.server, isSilent, answer);
    }),
    members: createProbe(async ({ host: address, port, attempt = 0 }) => {
      if (attempt > 0) await clock.sleep(SECOND, signal);
      const answer = await fetchPoolMembers(resolveEndpoint(address, port), clock);
      return await distinguishLocalFailure(address, answer === null, answer);
    }),
    packets: createProbe(async (query) => {
      const answer = await probePackets(resolveEndpoint, clock, query);
      return await distinguishLocalFailure(query.host, answer.state === 'silent', answer);
    }),
    neighbour: memoize((query) =>
      runNeighbourLimited(async () => {
        signal.throwIfAborted();
        const table = await readSimulatedFile(ARP_TABLE);
        return table === null ? await probeNeighbour(clock, query) : toNeighbourAnswer(table, query.address);
      }),
    ),
    dhcp: createProbe((query) => probeDhcp(resolveEndpoint, clock, query)),
    files: createProbe((query) => readHostTexts(context, query)),
    host: createProbe(async (query) => {
      const answer = await probeHost(context, query);
      const isSilent = answer.state === 'refused' && answer.detail.includes(`connect to host ${query.address} `);
      return await distinguishLocalFailure(query.address, isSilent, answer);
    }),
    services: createProbe((query) => probeServices(context, query)),
    reach: createProbe((query) => probeReach(context, query)),
    ignition: createProbe((query) => probeIgnitionFiles(context, query)),
    machines: createProbe(({ names }) => readMachineReports(context, names)),
    images: createProbe(({ files }) => probeImageFiles(context, files)),
    registry: createProbe((query) => probeRegistryLogin(context, query, isOnline)),
    certificate: createProbe(async (query) => {
      const authorities = await readAuthoritiesOnce(query.authority);
      const answer = await probeCertificate(resolveEndpoint, clock, query, authorities, PROBE_TIMEOUT);
      return await distinguishLocalFailure(query.host, answer.state === 'closed' || answer.state === 'refused', answer);
    }),
    date: createProbe(async (query) => {
      const answer = await probeDate(resolveEndpoint, clock, query, PROBE_TIMEOUT);
      return await distinguishLocalFailure(query.host, !answer.isPresent, answer);
    }),
    time: createProbe(({ server }) => probeTimeServer(context, server, isOnline, PROBE_TIMEOUT)),
  };
}

/** Number of unanswered queries after which a server is not queried again: each would wait for its timeout. */
const MAX_UNANSWERED = 3;

/**
 * Returns a function that queries a server, or returns an earlier answer if the server is silent.
 * Its parameter `isSilent` says whether a result means that no answer came.
 */
function createServerQuery() {
  const answersByServer = new Map<string, unknown[] | 'answered'>();
  return async <Answer>(
    serverKey: string,
    send: () => Promise<Answer>,
    isSilent: (answer: Answer) => boolean,
  ): Promise<Answer> => {
    const earlierAnswers = answersByServer.get(serverKey) ?? [];
    // All answers under a key come from queries of the same kind.
    if (earlierAnswers !== 'answered' && earlierAnswers.length >= MAX_UNANSWERED) return earlierAnswers[0] as Answer;
    const answer = await send();
    const currentAnswers = answersByServer.get(serverKey) ?? [];
    if (!isSilent(answer)) answersByServer.set(serverKey, 'answered');
    else if (currentAnswers !== 'answered') answersByServer.set(serverKey, [...currentAnswers, answer]);
    return answer;
  };
}

function memoize<Input, Output>(send: (query: Input) => Promise<Output>): (query: Input) => Promise<Output> {
  const answers = new Map<string, Promise<Output>>();
  return (query) => {
    const key = JSON.stringify(query);
    const answer = answers.get(key) ?? send(query);
    answers.set(key, answer);
    return answer;
  };
}
