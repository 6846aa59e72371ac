import type { DnsResult } from '../../../bastion/probes/dns-probe.ts';
import { keptHere } from '../../../bastion/probes/kept-here.ts';
import { dnsProbe, tcpProbe } from '../../../bastion/probes/probes.ts';
import type { DesignNode } from '../../../design/model.ts';
import { apiIntName, apiName, appsDomain, nodeFqdn } from '../../../design/names.ts';
import { nameAnswer, portAnswer, type ServiceAnswer } from '../../../diagnosis/hosts/services.ts';
import { SECOND } from '../../../ports/clock.ts';
import { catalogue } from '../../../text/catalogue.ts';
import type { StepContext } from '../../contract.ts';

const TIMEOUT = 3 * SECOND;

/** Asks each of our own servers for every record the cluster needs, and compares with the design. */
export function dnsChecks(context: StepContext): Promise<ServiceAnswer>[] {
  const { design } = context;
  const servers = design.services.dns.servers.flatMap(({ ip }) => ip.slice(0, 1));
  const forward: [string, readonly string[]][] = [
    [apiName(design), design.endpoints.api],
    [apiIntName(design), design.endpoints.apiInt],
    [`test.${appsDomain(design)}`, design.endpoints.ingress],
  ];
  return servers.flatMap((server) => [
    ...forward.flatMap(([name, addresses]) => askName(context, server, name, addresses)),
    ...design.nodes.flatMap((node) => nodeChecksOf(context, server, node)),
  ]);
}

/** Asks each of our own servers for the name of one node and its addresses. */
export function nodeDnsChecks(context: StepContext, node: DesignNode): Promise<ServiceAnswer>[] {
  const servers = context.design.services.dns.servers.flatMap(({ ip }) => ip.slice(0, 1));
  return servers.flatMap((server) => nodeChecksOf(context, server, node));
}

function nodeChecksOf(context: StepContext, server: string, node: DesignNode): Promise<ServiceAnswer>[] {
  const name = nodeFqdn(context.design, node);
  return [
    ...askName(context, server, name, node.ip),
    ...node.ip.map((address) => askReverse(context, server, address, name)),
  ];
}

/** Asks for a name's addresses in each family that it has: the cluster uses any of them. */
function askName(
  context: StepContext,
  server: string,
  name: string,
  addresses: readonly string[],
): Promise<ServiceAnswer>[] {
  const isV6 = (address: string) => address.includes(':');
  const families = { A: addresses.filter((one) => !isV6(one)), AAAA: addresses.filter(isV6) } as const;
  return (['A', 'AAAA'] as const).flatMap((type) =>
    families[type].length === 0 ? [] : [askFamily(context, server, name, type, families[type])],
  );
}

async function askFamily(
  context: StepContext,
  server: string,
  name: string,
  type: 'A' | 'AAAA',
  want: readonly string[],
): Promise<ServiceAnswer> {
  const { answers, detail, ...heard } = await askServer(context, server, name, type);
  return nameAnswer({ kind: 'dns', server, what: name, ...heard }, want, answers, detail);
}

async function askReverse(context: StepContext, server: string, address: string, name: string): Promise<ServiceAnswer> {
  const { answers, detail, ...heard } = await askServer(context, server, address, 'PTR');
  return nameAnswer({ kind: 'reverse', server, what: address, ...heard }, [name], answers, detail);
}

/** What a name server says, and whether anybody was heard. Of a silence, whether the question left this machine. */
async function askServer(context: StepContext, server: string, name: string, type: 'A' | 'AAAA' | 'PTR') {
  const { reach, clock } = context;
  const { answers, detail, state } = await dnsProbe({ reach, clock, server, name, type, timeoutMs: TIMEOUT });
  const why = isSilent(state) ? await keptHere(reach(server, 53).host) : null;
  const heard = { isSilent: isSilent(state), ...foreign(context) };
  if (why === null) return { answers, detail, ...heard };
  return { answers, detail: catalogue().bastion.probe.kept(server, why), ...heard, isUnsent: true };
}

/** Names of a server that we do not set up. */
const foreign = ({ design }: StepContext) => (design.services.dns.kind === 'external' ? { isForeign: true } : {});

/** No name server is there, or it says nothing; one that knows no such name has answered. */
function isSilent(state: DnsResult['state']): boolean {
  return state === 'timeout' || state === 'refused';
}

/** The ports of the endpoints, which are the load balancers' own. */
export function portChecks(context: StepContext): Promise<ServiceAnswer>[] {
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
  return ports.map(async ([host, port]): Promise<ServiceAnswer> => {
    const found = await tcpProbe(context.reach, context.clock, host, port, TIMEOUT);
    return portAnswer(host, port, found, services.loadBalancer.kind !== 'external');
  });
}
