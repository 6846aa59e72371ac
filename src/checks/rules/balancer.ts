import { getBalancerMembers } from '../../design/balancer-members.ts';
import { getNodeFqdn } from '../../design/derived-facts.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { formatUrlHost } from '../../platform/text.ts';
import type { PortState } from '../../probes/probe-types.ts';
import {
  canRemoveBootstrap,
  createDiagnosticRule,
  createSymptom,
  dropResolvedMatches,
  isBootstrapping,
  matchLogLines,
  type Symptom,
  symptomsFromChecks,
  symptomsFromLines,
} from './diagnostic-rule.ts';
import type { BalancerMember, Evidence } from './evidence.ts';

/** The pools of haproxy.cfg, with the port of their members. */
export const POOL_PORTS = { api: 6443, 'machine-config': 22623, 'ingress-https': 443, 'ingress-http': 80 } as const;

/** Whether a pool is one of `POOL_PORTS`. */
export function isClusterPool(pool: BalancerMember['pool']): pool is keyof typeof POOL_PORTS {
  return Object.hasOwn(POOL_PORTS, pool);
}

/** Groups the members of a pool by load balancer. */
export function groupMembersByBalancer({ balancerMembers }: Evidence, pool: string): (readonly BalancerMember[])[] {
  const poolMembers = balancerMembers.filter((balancerMember) => balancerMember.pool === pool);
  const names = [...new Set(poolMembers.map(({ balancer }) => balancer))];
  return names.map((name) => poolMembers.filter(({ balancer }) => balancer === name));
}

/** Builds the command that prints the status of all pool members. */
export function buildStatusCommand({ statusPageUrl }: Pick<BalancerMember, 'statusPageUrl'>): string {
  return `curl -s '${statusPageUrl};csv' | cut -d, -f1,2,18,74,76`;
}

/** Formats a pool as one line: "machine-config on lb1: m1 UP, m2 DOWN". */
export function formatPoolStatus(members: readonly BalancerMember[]): string {
  const [firstMember] = members;
  const memberTexts = members.map(({ name, status, check }) =>
    [name, status, check].filter((text) => text !== '').join(' '),
  );
  return `${firstMember?.pool ?? ''} on ${firstMember?.balancer ?? ''}: ${memberTexts.join(', ')}`;
}

/** Whether the load balancer's check of a member gets no connection (HAProxy management guide, 9.1: L4CON, L4TOUT). */
export function hasConnectionFailure({ check }: Pick<BalancerMember, 'check'>): boolean {
  return /^\*?\s*L4(?:CON|TOUT)/.test(check);
}

/** Lists the short names of the machines whose port is open. */
export function listServingHosts(
  { ports }: Evidence,
  port: 6443 | 22623,
  kind?: 'bootstrap' | 'control-plane',
): string[] {
  return ports
    .filter((candidate) => candidate.port === port && candidate.state === 'open')
    .filter((candidate) =>
      kind === undefined ? /^(?:bootstrap|control-plane)$/.test(candidate.kind) : candidate.kind === kind,
    )
    .map(({ host }) => host);
}

/**
 * The load balancer does not listen, or a firewall drops packets to it. A running load balancer without members closes
 * connections at once.
 */
export const balancerNotListening = createDiagnosticRule(
  'balancer-closed',
  'balancer',
  (evidence) => {
    const { ports, checks, design, readyHosts } = evidence;
    // An external load balancer may open its ports only once a member answers, and none does yet.
    const isExternal = design?.services.loadBalancer.kind === 'external';
    if (isExternal && readyHosts.length === 0) return [];
    const endpointPorts = ports.filter(({ kind }) => kind === 'api' || kind === 'api-int');
    const closedPorts = endpointPorts.filter(
      ({ port, state }) => port === 6443 && (isConnectionFailure(state) || (isExternal && state !== 'open')),
    );
    const failedListenChecks = checks.filter(
      ({ id, state, subject }) =>
        !isExternal && id === 'lb-listens' && state === 'failed' && /:(?:443|80)$/.test(subject),
    );
    return [
      ...closedPorts.map(({ address, port, state }) =>
        createSymptom(
          'certain',
          `${address}:${port}`,
          `${address}:${port} ${formatPortState(state)}${isExternal ? `; /readyz 200 at ${readyHosts.join(', ')}` : ''}`,
          `nc -vz ${address} ${port}`,
        ),
      ),
      ...symptomsFromChecks(failedListenChecks, 'certain'),
      ...(endpointPorts.length > 0 && closedPorts.length === 0 ? [] : listBindErrorSymptoms(evidence)),
    ];
  },
  true,
);

/**
 * Lists bind errors of HAProxy: the host lacks the address, or another program uses the port (crc-org/crc#2731).
 * SELinux has its own rule. Lines of routers, which are HAProxy too, do not count.
 */
function listBindErrorSymptoms(evidence: Evidence): Symptom[] {
  const lines = matchLogLines(evidence, /cannot bind socket(?! \(Permission denied\))/).filter(
    ({ source }) => !/router|openshift-ingress/.test(source),
  );
  const currentLines = dropResolvedMatches(evidence, lines, /\bLoading success|New worker .*forked/);
  return symptomsFromLines(currentLines, 'likely', 'ip -brief addr; ss -ltnp; sysctl net.ipv4.ip_nonlocal_bind');
}

/** Formats the state of a port in words. */
export const formatPortState = (state: PortState) => catalogue().steps.bootstrap.evidence.states[state];

function isConnectionFailure(state: string): boolean {
  return state === 'refused' || state === 'timeout' || state === 'unreachable';
}

/**
 * The bootstrap is complete, but the pools still contain its machine: some requests go to a machine that is off or
 * outdated.
 */
export const bootstrapLeftInBalancer = createDiagnosticRule('bootstrap-left-in-balancer', 'balancer', (evidence) => {
  const bootstrapName = evidence.design?.nodes.find(({ role }) => role === 'bootstrap')?.name;
  const isBootstrapDone =
    evidence.stage !== 'install' || (canRemoveBootstrap(evidence) && evidence.cluster?.version?.available === true);
  if (bootstrapName === undefined || !isBootstrapDone) return [];
  return evidence.balancerMembers
    .filter(({ pool, name }) => name === bootstrapName && (pool === 'api' || pool === 'machine-config'))
    .map((member) => createSymptom('certain', member.balancer, formatPoolStatus([member]), buildStatusCommand(member)));
});

/** Until bootstrapping is complete, the bootstrap alone serves the API: a pool without it has no usable member. */
export const bootstrapNotInBalancer = createDiagnosticRule('bootstrap-not-in-balancer', 'balancer', (evidence) => {
  const bootstrapName = evidence.design?.nodes.find(({ role }) => role === 'bootstrap')?.name;
  if (bootstrapName === undefined || !isBootstrapping(evidence)) return [];
  return groupMembersByBalancer(evidence, 'api').flatMap((members) => {
    const [firstMember] = members;
    if (firstMember === undefined || members.some(({ name }) => name === bootstrapName)) return [];
    return [createSymptom('certain', firstMember.balancer, formatPoolStatus(members), buildStatusCommand(firstMember))];
  });
});

/**
 * A member was taken out of service at the load balancer, and stays out (HAProxy management guide, 9.1: MAINT, DRAIN).
 */
export const memberInMaintenance = createDiagnosticRule('balancer-member-off', 'balancer', ({ balancerMembers }) =>
  balancerMembers
    .filter(({ status }) => /^(?:MAINT|DRAIN)/.test(status))
    .map((member) =>
      createSymptom(
        'likely',
        member.name,
        `${member.pool}/${member.name} on ${member.balancer}: ${member.status}`,
        buildStatusCommand(member),
      ),
    ),
);

/** A control plane node is missing from a pool: it serves, but gets no requests. */
export const memberMissing = createDiagnosticRule('balancer-member-missing', 'balancer', (evidence) => {
  const controlPlaneNodes = evidence.design?.nodes.filter(({ role }) => role === 'control-plane') ?? [];
  return ['api', 'machine-config'].flatMap((pool) =>
    groupMembersByBalancer(evidence, pool).flatMap((members) => {
      const missingNodes = controlPlaneNodes.filter(({ name }) => !members.some((member) => member.name === name));
      const [firstMember] = members;
      // If all of them are missing, the pool has another purpose, or another rule applies.
      if (firstMember === undefined || missingNodes.length === 0 || missingNodes.length === controlPlaneNodes.length)
        return [];
      return missingNodes.map(({ name }) =>
        createSymptom('certain', name, formatPoolStatus(members), buildStatusCommand(firstMember)),
      );
    }),
  );
});

/**
 * The load balancer gets no connection to a member that serves: the pool has another address or port, or a firewall is
 * in between.
 */
export const memberUnreachable = createDiagnosticRule(
  'balancer-member-unreachable',
  'balancer',
  (evidence) => [
    ...listChangedMemberSymptoms(evidence),
    ...listWrongMemberAddressSymptoms(evidence),
    ...listUnreachableMemberSymptoms(evidence),
  ],
  true,
);

function listUnreachableMemberSymptoms(evidence: Evidence): Symptom[] {
  return evidence.balancerMembers.flatMap((member) => {
    const { pool, name, status, check, balancer } = member;
    if (!isClusterPool(pool) || !/^DOWN/.test(status) || !hasConnectionFailure(member)) return [];
    const servingHosts =
      pool === 'api' || pool === 'machine-config'
        ? listServingHosts(evidence, POOL_PORTS[pool])
        : listRouterNodes(evidence);
    if (!servingHosts.includes(name)) return [];
    const evidenceText = `${pool}/${name} on ${balancer}: ${status} ${check}; ${name}:${POOL_PORTS[pool]} serves`;
    return [createSymptom('likely', name, evidenceText, buildStatusCommand(member))];
  });
}

/** Lists members whose address on the status page is not that of the node with their name. */
function listWrongMemberAddressSymptoms({ design, balancerMembers }: Evidence): Symptom[] {
  return balancerMembers.flatMap((member): Symptom[] => {
    const { pool, name, balancer, address } = member;
    const node = design?.nodes.find((candidate) => candidate.name === name);
    if (!isClusterPool(pool) || node === undefined || address === undefined) return [];
    const expectedAddresses = node.ip.map((ip) => `${formatUrlHost(ip)}:${POOL_PORTS[pool]}`);
    if (expectedAddresses.includes(address)) return [];
    const evidenceText = `${pool}/${name} on ${balancer}: ${address}; planned ${expectedAddresses[0]}`;
    return [createSymptom('certain', name, evidenceText, buildStatusCommand(member))];
  });
}

/** Lists member lines with another address or port than in the generated file. */
function listChangedMemberSymptoms({ files }: Evidence): Symptom[] {
  return files.flatMap(({ host, kind, path, text, plannedText }) => {
    if (kind !== 'haproxy') return [];
    const plannedAddressByMember = new Map(
      parseHaproxyMembers(plannedText).map(({ section, name, address }) => [`${section} ${name}`, address]),
    );
    return parseHaproxyMembers(text).flatMap(({ section, name, address, line }): Symptom[] => {
      const plannedAddress = plannedAddressByMember.get(`${section} ${name}`);
      if (plannedAddress === undefined || plannedAddress === address) return [];
      const evidenceText = `${path} on ${host}: ${section}: ${line}; planned ${plannedAddress}`;
      return [createSymptom('certain', name, evidenceText, `ssh ${host} grep -n ' server ' ${path}`)];
    });
  });
}

/** Parses the members of a haproxy.cfg, each with its section. */
function parseHaproxyMembers(text: string) {
  return text.split(/^(?=\S)/m).flatMap((part) => {
    const section = /^(?:listen|backend)\s+(\S+)/.exec(part)?.[1];
    if (section === undefined) return [];
    const lines = [...part.matchAll(/^\s*(server\s+(\S+)\s+(\S+).*)$/gm)];
    return lines.map(([, line = '', name = '', address = '']) => ({ section, name, address, line: line.trim() }));
  });
}

/**
 * Lists the short names of the nodes on which routers run. The API reports the pods of a lost node as Running for a
 * while.
 */
export function listRouterNodes({ design, cluster }: Evidence): string[] {
  const notReadyNames = new Set(cluster?.nodes?.filter(({ isReady }) => !isReady).map(({ name }) => name));
  const routerNodes = (cluster?.routers ?? []).filter(({ phase }) => phase === 'Running').map(({ node }) => node);
  const names = new Set(routerNodes.filter((node) => node !== null && !notReadyNames.has(node)));
  return design?.nodes.filter((node) => names.has(getNodeFqdn(design, node))).map(({ name }) => name) ?? [];
}

/**
 * Routers run on nodes that the pools of 443 and 80 lack. Before any router runs: the pools have none of the planned
 * nodes.
 */
export const routersOutsidePool = createDiagnosticRule('routers-outside-pool', 'balancer', (evidence) => {
  const { design, cluster } = evidence;
  const runningRouters = (cluster?.routers ?? []).filter(({ phase, node }) => phase === 'Running' && node !== null);
  if (evidence.isBundle === true) return listControlPlaneRouterSymptoms(evidence);
  if (design === null) return [];
  if (runningRouters.length === 0) return listWrongSectionSymptoms(evidence);
  return groupMembersByBalancer(evidence, 'ingress-https').flatMap((members) => {
    const names = new Set(
      design.nodes
        .filter(({ name }) => members.some((member) => member.name === name))
        .map((node) => getNodeFqdn(design, node)),
    );
    const outsideRouters = runningRouters.filter(({ node }) => node !== null && !names.has(node));
    const [firstMember] = members;
    if (firstMember === undefined || outsideRouters.length === 0) return [];
    // If some of the running routers are in the pool, routes work, but are slower, and fail when those routers stop.
    const likelihood = outsideRouters.length === runningRouters.length ? 'certain' : 'likely';
    return outsideRouters.map(({ name, node }) =>
      createSymptom(
        likelihood,
        node ?? '',
        `${name} runs on ${node}; ingress-https on ${firstMember.balancer}: ${members.map((member) => member.name).join(', ')}`,
        `oc get pods -n openshift-ingress -o wide; ${buildStatusCommand(firstMember)}`,
      ),
    );
  });
});

const CONTROL_PLANE_NAME = /(?:^|[.-])(?:masters?|control-?planes?|cp)-?\d*(?:\.|$)/i;

/**
 * Lists routers that all run on the control plane, for a bundle, which has no pools. Load balancers send port 443 to
 * the compute nodes, if there are any: routes then get no answer (openshift/installer#3960, okd-project/okd#1439).
 */
function listControlPlaneRouterSymptoms({ design, stage, cluster }: Evidence): Symptom[] {
  const runningRouters = (cluster?.routers ?? []).filter(({ phase }) => phase === 'Running');
  const nodes = cluster?.nodes ?? null;
  const routerNodes = [...new Set(runningRouters.flatMap(({ node }) => node ?? []))].map((name) => {
    const clusterNode = nodes?.find((node) => node.name === name);
    return {
      name,
      isControlPlane: clusterNode === undefined ? CONTROL_PLANE_NAME.test(name) : clusterNode.isControlPlane,
    };
  });
  // Without nodes in the evidence, compute nodes are assumed.
  const hasCompute = nodes?.some(({ isControlPlane, isReady }) => isControlPlane === false && isReady) ?? true;
  const plannedNames =
    design === null ? [] : getBalancerMembers(design, stage).ingress.map((node) => getNodeFqdn(design, node));
  const areRoutesClosed = (cluster?.operators ?? []).some(({ wait }) => wait?.code === 'routes-closed');
  const areRoutersOutside = routerNodes.every(
    ({ name, isControlPlane }) => isControlPlane === true && !plannedNames.includes(name),
  );
  if (routerNodes.length === 0 || !hasCompute || !areRoutesClosed || !areRoutersOutside) return [];
  const evidenceText = runningRouters.map(({ name, node }) => `${name} runs on ${node}`).join(', ');
  const subject = routerNodes.map(({ name }) => name).join(', ');
  return [createSymptom('likely', subject, evidenceText, 'oc get pods -n openshift-ingress -o wide; oc get nodes')];
}

/** Lists sections without any of the members that the generated file has there. */
function listWrongSectionSymptoms({ files }: Evidence): Symptom[] {
  return files.flatMap(({ host, kind, path, text, plannedText }): Symptom[] => {
    if (kind !== 'haproxy') return [];
    const actualMembers = parseHaproxyMembers(text);
    const plannedMembers = parseHaproxyMembers(plannedText).filter(({ section }) => section.startsWith('ingress-'));
    return [...new Set(plannedMembers.map(({ section }) => section))].flatMap((section): Symptom[] => {
      const sectionMembers = actualMembers.filter((actualMember) => actualMember.section === section);
      const expectedAddresses = new Set(
        plannedMembers.filter((plannedMember) => plannedMember.section === section).map(({ address }) => address),
      );
      if (sectionMembers.length === 0 || sectionMembers.some(({ address }) => expectedAddresses.has(address)))
        return [];
      const evidenceText = `${path} on ${host}: ${section}: ${sectionMembers.map(({ address }) => address).join(', ')}; planned ${[...expectedAddresses].join(', ')}`;
      return [createSymptom('likely', host, evidenceText, `ssh ${host} grep -n -A8 ${section} ${path}`)];
    });
  });
}

/** SELinux denies HAProxy ports and backends that the policy of the distribution does not know. */
export const selinuxDenies = createDiagnosticRule('selinux-denies', 'balancer', (evidence) =>
  symptomsFromLines(
    matchLogLines(evidence, /cannot bind socket \(Permission denied\)|avc: +denied.*haproxy/).slice(-1),
    'certain',
    'getsebool haproxy_connect_any',
  ),
);

/** A single packet may come from a restart. */
const MIN_VRRP_PACKETS = 2;

/** Other machines on the network use the same virtual router ID: the shared address may move to one of them. */
export const vrrpIdConflict = createDiagnosticRule('vrrp-id-shared', 'balancer', (evidence) =>
  symptomsFromLines(
    matchLogLines(
      evidence,
      /received an invalid (?:passwd|authentication)|bogus VRRP packet received|VRID mismatch|ip address associated with VRID/i,
      MIN_VRRP_PACKETS,
    ).slice(-1),
    'likely',
    'sudo tcpdump -c 5 -ni any vrrp',
  ),
);

interface VrrpInstance {
  readonly host: string;
  readonly path: string;
  readonly name: string;
  readonly id: string;
  readonly addresses: readonly string[];
}

/**
 * The load balancers of a shared address have different virtual router IDs, so each of them takes the address; or none
 * is configured to take it. A packet with another virtual router ID belongs to another group (VRRP, RFC 5798, 5.2.3).
 */
export const vrrpMisconfigured = createDiagnosticRule('vrrp-split', 'balancer', (evidence) => {
  const instances = evidence.files.flatMap(({ host, kind, path, text }) =>
    kind === 'keepalived' ? parseVrrpInstances(host, path, text) : [],
  );
  return [...listDifferentRouterIdSymptoms(instances), ...listUnassignedAddressSymptoms(evidence, instances)];
});

function listDifferentRouterIdSymptoms(instances: readonly VrrpInstance[]): Symptom[] {
  return instances.flatMap((instance, index) => {
    const otherInstance = instances
      .slice(index + 1)
      .find(
        (candidate) =>
          candidate.host !== instance.host &&
          candidate.id !== instance.id &&
          candidate.addresses.some((a) => instance.addresses.includes(a)),
      );
    if (otherInstance === undefined) return [];
    const sharedAddress = instance.addresses.find((address) => otherInstance.addresses.includes(address)) ?? '';
    const evidenceText = `${sharedAddress}: virtual_router_id ${instance.id} on ${instance.host}, ${otherInstance.id} on ${otherInstance.host}`;
    return [createVrrpSymptom(instance, sharedAddress, evidenceText)];
  });
}

/** Lists addresses of the generated files that no load balancer is configured to take. */
function listUnassignedAddressSymptoms({ files }: Evidence, instances: readonly VrrpInstance[]): Symptom[] {
  const assignedAddresses = new Set(instances.flatMap(({ addresses }) => addresses));
  const unassignedAddresses = files
    .filter(({ kind }) => kind === 'keepalived')
    .flatMap(({ host, path, plannedText }) => parseVrrpInstances(host, path, plannedText))
    .flatMap((instance) => instance.addresses.map((address) => ({ instance, address })))
    .filter(({ address }) => !assignedAddresses.has(address));
  const unassignedByAddress = new Map(
    unassignedAddresses.map((unassignedAddress) => [unassignedAddress.address, unassignedAddress]),
  );
  return [...unassignedByAddress.values()].map(({ instance, address }) =>
    createVrrpSymptom(instance, address, `${instance.path} on ${instance.host}: no ${address} in virtual_ipaddress`),
  );
}

function createVrrpSymptom({ host, path }: VrrpInstance, subject: string, evidenceText: string): Symptom {
  const command = `ssh ${host} grep -nE 'virtual_router_id|virtual_ipaddress' -A3 ${path}; ip -br addr`;
  return createSymptom('certain', subject, evidenceText, command);
}

function parseVrrpInstances(host: string, path: string, text: string): VrrpInstance[] {
  const textWithoutComments = text.replaceAll(/[!#].*$/gm, '');
  return textWithoutComments.split(/^(?=vrrp_instance\b)/m).flatMap((part) => {
    const name = /^vrrp_instance\s+(\S+)/.exec(part)?.[1];
    const id = /\bvirtual_router_id\s+(\d+)/.exec(part)?.[1];
    const block = /\bvirtual_ipaddress(?:_excluded)?\s*\{([^}]*)\}/.exec(part)?.[1] ?? '';
    if (name === undefined || id === undefined) return [];
    const addresses = block.split('\n').flatMap((line) => line.trim().split(/[\s/]/)[0] || []);
    return [{ host, path, name, id, addresses }];
  });
}
