import { isAddressInCidr } from '../../artifacts/network/addresses.ts';
import { needsPullSecret } from '../../design/credentials.ts';
import { listNodesWithRole, listReleaseMirrors, RELEASE_REPOSITORIES } from '../../design/derived-facts.ts';
import type { Design, DesignNode } from '../../design/model.ts';
import { getVersionProfile, isExactVersion, isOkd } from '../../design/versions.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { MINUTE } from '../../platform/clock.ts';
import { quoteShellArg } from '../../platform/shell-quoting.ts';
import { formatUrlHost } from '../../platform/text.ts';
import { parseProxy } from '../../probes/https-proxy.ts';
import { isRefused } from '../../probes/image-policy.ts';
import type { ProbeAnswer } from '../../probes/probe-types.ts';
import { evaluateClock } from './clocks.ts';
import { createSiteCheckFactory, querySite, type SiteCheckContext, toSiteResult, type Verdict } from './site.ts';

const words = () => catalogue().diagnosis.site.details;
const check = createSiteCheckFactory('before-boot');

/** Listed in every Red Hat pull secret for telemetry. No images are pulled from it. */
const TELEMETRY_HOST = 'cloud.openshift.com';

/** A machine that waits reports every minute. An older report comes from a machine that is off or has continued. */
const MAX_REPORT_AGE_MS = 5 * MINUTE;

function evaluateMachineReports(reports: ProbeAnswer<'machines'>): Verdict {
  const { none, asPlanned } = words().machineReports;
  const currentReports = reports.filter(({ ageMs }) => ageMs < MAX_REPORT_AGE_MS);
  const problemReports = currentReports.filter(({ problems }) => problems.length > 0);
  if (currentReports.length === 0) return { state: 'pending', detail: none };
  if (problemReports.length === 0) return { state: 'ok', detail: asPlanned(currentReports.map(({ name }) => name)) };
  return {
    state: 'failed',
    detail: problemReports.map(({ name, problems }) => `${name}: ${problems.join('; ')}`).join('. '),
  };
}

/** The checks before the first machine is powered on: addresses, clocks, registries. */
export const BEFORE_BOOT_CHECKS = [
  /** iPXE of each machine reports its hardware and what it reaches, before the installation. */
  check('machine-reports', 'fatal', (site) => {
    const { design, dir } = site;
    if (design.services.boot.kind !== 'ipxe') return [];
    const names = design.nodes.map(({ name }) => name);
    const command = `tail -n 100 ${quoteShellArg(`${dir}/.upi-wizard/boot-requests.ndjson`)}`;
    const querySubject = { subject: words().machineReports.subject, command };
    return [querySite(site, 'machines', { names }, querySubject, evaluateMachineReports)];
  }),
  /** No other machine uses a node's address. A running node answers with its own MAC address. */
  check('ip-conflict', 'fatal', (site) =>
    site.design.nodes.map(({ name, ip: [address = ''], mac }) => {
      const command = `ping -c 1 -W 1 ${address}; ip neigh show ${address}`;
      return querySite(site, 'neighbour', { address }, { subject: `${name} ${address}`, command }, (answer) => {
        if (answer.mac === null)
          return answer.isLocal
            ? { state: 'ok', detail: words().addressFree }
            : { state: 'unknown', detail: words().notLocal };
        if (answer.mac.toLowerCase() === mac.toLowerCase()) return { state: 'ok', detail: words().answeredByNode(mac) };
        const remedy = words().otherMac(name, address, answer.mac);
        return { state: 'failed', detail: words().answeredByOtherMac(answer.mac, mac), remedy };
      });
    }),
  ),
  /** Each time server answers, and its time agrees with the other clocks. */
  check('ntp-servers', 'warning', (site) =>
    site.design.services.time.servers.map((server) =>
      querySite(
        site,
        'time',
        { server },
        { subject: server, command: `chronyd -Q 'server ${server} iburst'` },
        ({ offsetMs, detail, isNotQueried = false }) => {
          if (isNotQueried) return { state: 'unknown', detail: words().registry.needsOnline };
          if (offsetMs !== null) return evaluateClock(site, 'time-server', server);
          const networks = site.design.networks.machine.map(({ cidr }) => cidr);
          return { state: 'failed', detail, remedy: words().silentTimeServer(server, networks) };
        },
      ),
    ),
  ),
  /**
   * Checks that the login of the pull secret is valid at each of its registries. A failure is fatal for a registry of
   * the release.
   */
  check('pull-secret-registry', 'fatal', (site) => {
    const requiredRegistries = new Set(listLoginRegistries(site.design));
    const registries = new Set([...requiredRegistries, ...(site.pullSecret.registries ?? [])]);
    registries.delete(TELEMETRY_HOST);
    return [...registries].map((registry) => {
      const command = formatLoginCommand(site, registry);
      return querySite(site, 'registry', { registry, repository: null }, { subject: registry, command }, (answer) => {
        const baseVerdict = evaluateRegistryAnswer(answer);
        const verdict = isOkd(site.design.openshift.version)
          ? { remedy: words().registry.remedies.login, ...baseVerdict }
          : baseVerdict;
        // Nodes need this registry. Other registries serve only catalog operators and do not stop the installation.
        return requiredRegistries.has(registry) ? verdict : { ...verdict, severity: 'warning' };
      });
    });
  }),
  /**
   * Checks that each mirror of the design has its repository, and that this pull secret may read it. A mirror of the
   * release holds the release with its images, of which some are checked. The policy of the release accepts the
   * signature.
   */
  check('registry-mirror', 'fatal', (site) =>
    listMirrors(site.design).map((mirror) => {
      const [registry = '', ...path] = mirror.split('/');
      const repository = path.join('/');
      const command = `skopeo list-tags --authfile ${quotePullSecretPath(site)} docker://${mirror}`;
      return querySite(site, 'registry', { registry, repository }, { subject: mirror, command }, (answer) =>
        evaluateMirror(site, mirror, answer),
      );
    }),
  ),
  /** Checks that the proxy of the design allows connections to the registry that the release comes from. */
  check('registry-proxy', 'fatal', (site) => {
    const [proxy, [registry]] = [getProxyUrl(site.design), listRequiredRegistries(site.design)];
    if (proxy === null || registry === undefined) return [];
    const querySubject = {
      subject: proxy.replace(/^https?:\/\//, ''),
      command: `curl -sI -x ${proxy} https://${registry}/v2/`,
    };
    return [
      querySite(site, 'registry', { registry, repository: null }, querySubject, ({ state, proxy, detail }) => {
        if (state === 'not-queried') return { state: 'unknown', detail: words().registry.needsOnline };
        if (proxy === null) return { state: 'ok', detail: words().registry.bypassesProxy(registry) };
        if (state === 'proxy-failed' || state === 'proxy-refused') return { state: 'failed', detail };
        if (state === 'unreachable') return { state: 'unknown', detail: words().registry.viaProxy(detail, proxy) };
        return { state: 'ok', detail: words().registry.reached(registry) };
      }),
    ];
  }),
  /**
   * The API's clock matches the other clocks: otherwise requests with a token or a certificate fail. Pending before
   * there is an API.
   */
  check('api-clock', 'warning', (site) => {
    const [host = ''] = site.design.endpoints.api;
    const command = `curl -skI https://${formatUrlHost(host)}:6443/version; date -u`;
    return [
      querySite(site, 'date', { host, port: 6443 }, { subject: 'API', command }, ({ offsetMs, isPresent, detail }) => {
        if (offsetMs === null) return { state: isPresent ? 'unknown' : 'pending', detail };
        return evaluateClock(site, 'api', '');
      }),
    ];
  }),
  /**
   * The bootstrap node finds its own address by its default route (`ip route get 1.1.1.1`), and announces it to the
   * nodes that connect to its port 8091 (openshift/installer#10344).
   */
  check('bootstrap-route', 'warning', (site) =>
    listKonnectivityServers(site).map(async ({ name, ip: [address = ''] }) => {
      const network = site.design.networks.machine.find(({ cidr }) => isAddressInCidr(address, cidr));
      const hasRoute = network !== undefined && network.gateway !== null;
      const querySubject = { subject: name, command: `ssh core@${address} ip route get 1.1.1.1` };
      return toSiteResult(
        querySubject,
        hasRoute ? { state: 'ok', detail: words().hasRoute } : { state: 'failed', detail: words().noRoute },
      );
    }),
  ),
  /**
   * Nodes connect to this port of the bootstrap node if the release has konnectivity; it is open only while the
   * bootstrap runs.
   */
  check('bootstrap-8091', 'warning', (site) =>
    listKonnectivityServers(site).map(({ name, ip: [host = ''] }) =>
      querySite(
        site,
        'tcp',
        { host, port: 8091 },
        { subject: name, command: `nc -vz ${host} 8091` },
        ({ state, detail }) => {
          if (state === 'open' || state === 'closed-at-once') return { state: 'ok', detail };
          // The release may not have konnectivity, or the bootstrap is not that far yet: from outside both look
          // the same.
          if (state === 'refused') return { state: 'unknown', detail: words().noKonnectivity(detail) };
          return { state: 'pending', detail };
        },
      ),
    ),
  ),
];

/** Lists the bootstrap node while it is needed, if this version has a tunnel from the nodes to it. */
function listKonnectivityServers({ design, stage }: SiteCheckContext): DesignNode[] {
  const { hasKonnectivity } = getVersionProfile(design.openshift.version);
  return hasKonnectivity && stage === 'install' ? listNodesWithRole(design, 'bootstrap').slice(0, 1) : [];
}

function listMirrors({ imageDigestSources }: Design): string[] {
  return [...new Set(imageDigestSources.flatMap(({ mirrors }) => mirrors))];
}

/** Lists the registries whose login the release needs: the mirrors, with their ports, or quay.io (OKD: none). */
function listLoginRegistries(design: Design): string[] {
  const isPublic = isOkd(design.openshift.version) && design.imageDigestSources.length === 0;
  return isPublic ? [] : listRequiredRegistries(design);
}

/** Lists the registries that the release comes from: the mirrors, with their ports, or quay.io. */
export function listRequiredRegistries(design: Design): string[] {
  const mirrors = listMirrors(design);
  return mirrors.length > 0 ? [...new Set(mirrors.map((mirror) => mirror.split('/')[0] ?? ''))] : ['quay.io'];
}

/** Returns the URL of the proxy for HTTPS, without its login; null if there is none. */
export function getProxyUrl({ proxy }: Design): string | null {
  const proxyEndpoint = proxy === null ? null : parseProxy(proxy.httpsProxy);
  return (
    proxyEndpoint &&
    `${proxyEndpoint.isTls ? 'https' : 'http'}://${formatUrlHost(proxyEndpoint.host)}:${proxyEndpoint.port}`
  );
}

/**
 * Evaluates the answer of a registry. The state is `unknown` for a registry on the internet without --online, and for
 * one that does not answer without a proxy: nodes may have another route.
 */
function evaluateRegistryAnswer({ state, proxy, detail }: ProbeAnswer<'registry'>): Verdict {
  const { remedies, viaProxy, needsOnline, noSecret, onlyFromHere } = words().registry;
  const message = proxy === null ? detail : viaProxy(detail, proxy);
  switch (state) {
    case 'not-queried':
      return { state: 'unknown', detail: needsOnline };
    case 'no-secret':
      return { state: 'unknown', detail: noSecret };
    case 'accepted':
    case 'open':
      return { state: 'ok', detail: message };
    case 'unreachable':
      return proxy === null
        ? { state: 'unknown', detail: onlyFromHere(detail) }
        : { state: 'failed', detail: message, remedy: remedies.proxy };
    case 'proxy-failed':
    case 'proxy-refused':
      return { state: 'failed', detail: message, remedy: remedies.proxy };
    case 'untrusted':
      return { state: 'failed', detail: message, remedy: remedies.untrusted };
    case 'no-registry':
    case 'no-repository':
      return { state: 'failed', detail: message, remedy: remedies.mirror };
    case 'needs-login':
    case 'refused':
      return { state: 'failed', detail: message };
  }
}

/**
 * Evaluates a mirror of the release. A missing or refused signature is fatal if nodes verify it at their first boot,
 * and a warning if only the running cluster does.
 */
function evaluateMirror(site: SiteCheckContext, mirror: string, answer: ProbeAnswer<'registry'>): Verdict {
  const verdict = evaluateRegistryAnswer(answer);
  const { release, state } = answer;
  const remedy = describeMirroring(site.design, mirror);
  if (state === 'no-repository') return { ...verdict, remedy };
  if (verdict.state !== 'ok' || release === undefined) return verdict;
  const texts = words().registry;
  const { signatureVerifiedBy } = getVersionProfile(site.design.openshift.version);
  const { digest, signature, verdict: signatureVerdict, payload } = release;
  if (release.isPresent === false) return { state: 'failed', detail: texts.noRelease(digest), remedy };
  if (release.isPresent === null) return { state: 'unknown', detail: texts.releaseUnknown(digest) };
  if (payload !== null && payload.missing.length > 0)
    return { state: 'failed', detail: texts.noImages(payload.missing, payload.queriedCount), remedy };
  if (signatureVerifiedBy === 'none' || signatureVerdict?.state === 'not-required')
    return { ...verdict, detail: texts.hasRelease(false, payload) };
  if (signature === null) return { state: 'unknown', detail: texts.signatureUnknown(digest) };
  const severity = signatureVerifiedBy === 'node' ? 'fatal' : 'warning';
  if (signature !== 'tag')
    return { state: 'failed', severity, detail: texts.signatures[signature](digest, signatureVerifiedBy), remedy };
  if (isRefused(signatureVerdict))
    return {
      state: 'failed',
      severity,
      detail: texts.refusedSignature(digest, signatureVerdict, signatureVerifiedBy),
      remedy,
    };
  if (payload !== null && payload.unsigned.length > 0)
    return { state: 'failed', detail: texts.unsignedImages(payload.unsigned, payload.queriedCount), remedy };
  if (payload !== null && payload.refused.length > 0)
    return { state: 'failed', detail: texts.refusedImages(payload.refused, payload.queriedCount), remedy };
  return signatureVerdict === null
    ? { state: 'unknown', detail: texts.signerUnknown(digest) }
    : { ...verdict, detail: texts.hasRelease(true, payload) };
}

/** Describes how to copy the release into a mirror, with the commands of this version. */
function describeMirroring({ imageDigestSources, openshift, credentials }: Design, mirror: string): string {
  const { version, architecture } = openshift;
  const { mirrorTool, signatureVerifiedBy, minor, product } = getVersionProfile(version);
  const { mirror: otherRemedy, releaseMirror, ocMirror } = words().registry.remedies;
  if (!listReleaseMirrors({ imageDigestSources }, product).includes(mirror)) return otherRemedy;
  const [registry = ''] = mirror.split('/');
  const exactVersion = isExactVersion(version) ? version : null;
  return mirrorTool === 'oc-mirror'
    ? ocMirror(registry, minor, exactVersion, signatureVerifiedBy !== 'none')
    : releaseMirror(mirror, {
        repository: RELEASE_REPOSITORIES[product][0],
        // The tags of OKD have no architecture.
        tag: product === 'OKD' ? version : `${exactVersion ?? `${minor}.Z`}-${architecture}`,
        hasSecret: needsPullSecret({ openshift, credentials }),
      });
}

const quotePullSecretPath = ({ pullSecret }: SiteCheckContext) => quoteShellArg(pullSecret.file ?? 'pull-secret.txt');

/** Formats the command that checks a login: podman verifies an existing login at the registry. */
function formatLoginCommand(site: SiteCheckContext, registry: string): string {
  const proxy = getProxyUrl(site.design);
  return `${proxy === null ? '' : `HTTPS_PROXY=${proxy} `}podman login --authfile ${quotePullSecretPath(site)} ${registry}`;
}
