import { listNodeNameServers } from '../../../artifacts/dhcp/settings.ts';
import { compareDnsAnswers, evaluatePort, type ServiceProbeResult } from '../../../checks/service-hosts.ts';
import { getBalancerMembers } from '../../../design/balancer-members.ts';
import { getApiIntName, getApiName, getAppsDomain, getNodeFqdn } from '../../../design/derived-facts.ts';
import type { DesignNode } from '../../../design/model.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { SECOND } from '../../../platform/clock.ts';
import { probeDns } from '../../../probes/dns-probe.ts';
import { findLocalSendError } from '../../../probes/neighbour-probe.ts';
import { isDnsSilent } from '../../../probes/probe-types.ts';
import { probeTcp } from '../../../probes/tcp-probe.ts';
import type { StepContext } from '../../contract.ts';
import { getCurrentStage } from './current-stage.ts';

const TIMEOUT = 3 * SECOND;

/**
 * Queries each name server of the nodes for every record that the cluster needs, and compares the answers with the
 * design.
 */
export function probeDnsServers(context: StepContext): Promise<ServiceProbeResult>[] {
  const { design } = context;
  const servers = listQueriedServers(context);
  const forwardRecords: [string, readonly string[]][] = [
    [getApiName(design), design.endpoints.api],
    [getApiIntName(design), design.endpoints.apiInt],
    [`test.${getAppsDomain(design)}`, design.endpoints.ingress],
  ];
  return servers.flatMap((server) => [
    ...forwardRecords.flatMap(([name, addresses]) => queryName(context, server, name, addresses)),
    ...design.nodes.flatMap((node) => probeNodeRecords(context, server, node)),
  ]);
}

/** Queries each name server of the nodes for the name of one node and its addresses. */
export function probeNodeDns(context: StepContext, node: DesignNode): Promise<ServiceProbeResult>[] {
  return listQueriedServers(context).flatMap((server) => probeNodeRecords(context, server, node));
}

/** Lists one address of each name server that the wizard sets up, or the addresses of all external name servers. */
function listQueriedServers({ design }: StepContext): readonly string[] {
  const { kind, servers } = design.services.dns;
  return kind === 'external' ? listNodeNameServers(design) : servers.flatMap(({ ip }) => ip.slice(0, 1));
}

function probeNodeRecords(context: StepContext, server: string, node: DesignNode): Promise<ServiceProbeResult>[] {
  const name = getNodeFqdn(context.design, node);
  return [
    ...queryName(context, server, name, node.ip),
    ...node.ip.map((address) => queryReverse(context, server, address, name)),
  ];
}

/** Queries a name's addresses in each family that it has: the cluster uses any of them. */
function queryName(
  context: StepContext,
  server: string,
  name: string,
  addresses: readonly string[],
): Promise<ServiceProbeResult>[] {
  const isV6 = (address: string) => address.includes(':');
  const families = { A: addresses.filter((address) => !isV6(address)), AAAA: addresses.filter(isV6) } as const;
  return (['A', 'AAAA'] as const).flatMap((type) =>
    families[type].length === 0 ? [] : [queryFamily(context, server, name, type, families[type])],
  );
}

async function queryFamily(
  context: StepContext,
  server: string,
  name: string,
  type: 'A' | 'AAAA',
  expected: readonly string[],
): Promise<ServiceProbeResult> {
  const { answers, detail, ...status } = await queryServer(context, server, name, type);
  return compareDnsAnswers({ kind: 'dns', server, queryText: name, ...status }, expected, answers, detail);
}

async function queryReverse(
  context: StepContext,
  server: string,
  address: string,
  name: string,
): Promise<ServiceProbeResult> {
  const { answers, detail, ...status } = await queryServer(context, server, address, 'PTR');
  return compareDnsAnswers({ kind: 'reverse', server, queryText: address, ...status }, [name], answers, detail);
}

/** Queries a name server. If it does not answer, finds out whether the query left this machine. */
async function queryServer(context: StepContext, server: string, name: string, type: 'A' | 'AAAA' | 'PTR') {
  const { resolveEndpoint, clock } = context;
  const { answers, detail, state } = await probeDns({
    resolveEndpoint,
    clock,
    server,
    name,
    type,
    timeoutMs: TIMEOUT,
  });
  const reason = isDnsSilent(state) ? await findLocalSendError(resolveEndpoint(server, 53).host) : null;
  const status = { isSilent: isDnsSilent(state), ...markExternal(context) };
  if (reason === null) return { answers, detail, ...status };
  return { answers, detail: catalogue().bastion.probe.sendBlocked(server, reason), ...status, sendBlockReason: reason };
}

/** Marks the results of a server that the wizard does not set up. */
const markExternal = ({ design }: StepContext) => (design.services.dns.kind === 'external' ? { isExternal: true } : {});

/** Probes the ports of the endpoints, which belong to the load balancers. */
export function probeEndpointPorts(context: StepContext): Promise<ServiceProbeResult>[] {
  const { endpoints, topology, services } = context.design;
  // A single node has no load balancer: its own ports open when it is installed.
  if (topology === 'single-node') return [];
  const ports: [string, number][] = [
    ...endpoints.api.map((host): [string, number] => [host, 6443]),
    ...endpoints.apiInt.flatMap((host): [string, number][] => [
      [host, 6443],
      [host, 22623],
    ]),
    ...endpoints.ingress.flatMap((host): [string, number][] => [
      [host, 443],
      [host, 80],
    ]),
  ];
  return ports.map(async ([host, port]): Promise<ServiceProbeResult> => {
    const result = await probeTcp(context.resolveEndpoint, context.clock, host, port, TIMEOUT);
    const servingMember = result.state === 'closed-at-once' ? await findServingMember(context, port) : null;
    return evaluatePort(host, port, result, services.loadBalancer.kind !== 'external', servingMember);
  });
}

/** Finds a node behind the load balancer that answers on this port itself; null if none does. */
async function findServingMember(context: StepContext, port: number): Promise<string | null> {
  const { api, ingress } = getBalancerMembers(context.design, getCurrentStage(context));
  const members = port === 443 || port === 80 ? ingress : api;
  const probeMember = async ({ ip: [address = ''] }: (typeof members)[number]) =>
    await probeTcp(context.resolveEndpoint, context.clock, address, port, TIMEOUT);
  const results = await Promise.all(members.map(probeMember));
  // On a busy machine, a close can be read too late: the connection to a node has to stay open twice.
  for (const member of members.filter((_, index) => results[index]?.state === 'open'))
    if ((await probeMember(member)).state === 'open') return member.name;
  return null;
}
