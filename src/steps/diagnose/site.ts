import { statsPort } from '../../artifacts/network/openings.ts';
import { poolMembers } from '../../bastion/haproxy-stats.ts';
import { dnsProbe, tcpProbe } from '../../bastion/probes/probes.ts';
import { readyzProbe } from '../../bastion/probes/readyz-probe.ts';
import { WORKER_ROLES } from '../../design/model.ts';
import type { CheckAnswer, Evidence, PoolMember, PortSeen } from '../../diagnosis/causes/evidence.ts';
import { isUnmeasured } from '../../diagnosis/site/exchange.ts';
import type { SiteCode } from '../../diagnosis/site/index.ts';
import { SECOND } from '../../ports/clock.ts';
import { urlHost } from '../../text/url-host.ts';
import { askersOf, checkSite, type Place, siteOfDesign } from '../check/index.ts';
import type { StepContext } from '../contract.ts';

const TIMEOUT = 3 * SECOND;

/** Names have to be right as soon as the service hosts are set up, and stay so. */
const NAMES = [
  ...(['dns-server', 'dns-api', 'dns-api-int', 'dns-apps-wildcard', 'dns-nodes', 'dns-reverse'] as const),
  ...(['dns-no-cluster-wildcard', 'dns-upstream', 'lb-listens', 'ip-conflict', 'ntp-servers'] as const),
  ...(['dhcp-leases', 'dhcp-gateway', 'dhcp-boot', 'dhcp-foreign'] as const),
] satisfies readonly SiteCode[];
/** What machines boot with matters while one of them boots. */
const BOOT_FILES = [
  'boot-server',
  'ipxe-script',
  'ipxe-nodes',
  'tftp-server',
  'tftp',
  'http-artifacts',
] satisfies readonly SiteCode[];

/** The answers of the checks that matter now. @param when the service hosts are set up; machines boot just now */
export async function checkAnswers(
  context: StepContext,
  when: { readonly isSetUp: boolean; readonly isBooting: boolean },
): Promise<CheckAnswer[]> {
  const only = [...(when.isSetUp ? NAMES : []), ...(when.isBooting ? BOOT_FILES : [])];
  if (only.length === 0) return [];
  const site = await siteOfDesign(context);
  // Asked together: what several of them want to know is asked once, and DHCP from the one port that its answers come to.
  const checked = await checkSite(context, site, { only });
  const answers = checked.flatMap(({ finding, status }): CheckAnswer[] => {
    const code = only.find((each) => each === finding.code);
    if (code === undefined) return [];
    return [
      {
        code,
        state: finding.state,
        subject: finding.subject ?? '',
        detail: finding.state === 'failed' ? `${finding.subject ?? ''}: ${finding.cause}` : finding.cause,
        command: finding.command ?? '',
        ...(status === undefined ? {} : { status }),
      },
    ];
  });
  return await Promise.all(answers.map((answer) => withNames(context, answer)));
}

/** A wrong reverse name with what is there instead. */
async function withNames({ reach, clock, design }: StepContext, answer: CheckAnswer): Promise<CheckAnswer> {
  if (answer.code !== 'dns-reverse' || answer.state !== 'failed') return answer;
  const server = design.services.dns.servers[0]?.ip[0] ?? design.services.dns.forwarders[0] ?? null;
  const [name = ''] = answer.subject.split(' ');
  const { answers } = await dnsProbe({ reach, clock, server, name, type: 'PTR', timeoutMs: TIMEOUT });
  return { ...answer, names: answers };
}

/** The members of every pool, from the status pages of the load balancers. */
export async function poolsSeen({ design, reach, clock }: StepContext): Promise<PoolMember[]> {
  const { loadBalancer } = design.services;
  if (loadBalancer.kind !== 'haproxy' || design.topology === 'single-node') return [];
  const asked = loadBalancer.servers.map(async (host) => {
    const [address, port] = [host.ip[0], statsPort(design, host)];
    const members = (await poolMembers(reach(address, port), clock)) ?? [];
    const page = `http://${urlHost(address)}:${port}/`;
    return members.map((member) => ({ check: '', ...member, balancer: host.name, page }));
  });
  return (await Promise.all(asked)).flat();
}

/** The ports of nodes and endpoints, seen from here. */
export async function portsSeen({ design, reach, clock }: StepContext): Promise<PortSeen[]> {
  const { endpoints, nodes, topology } = design;
  const ofNodes = nodes.flatMap(({ name, role, ip }) => {
    const kind = WORKER_ROLES.some((worker) => worker === role)
      ? ('compute' as const)
      : role === 'bootstrap'
        ? role
        : ('control-plane' as const);
    const ports = kind === 'compute' ? ([22] as const) : ([22, 6443, 22623] as const);
    return ip.slice(0, 1).flatMap((address) => ports.map((port) => ({ host: name, kind, address, port })));
  });
  const at = (kind: 'api' | 'api-int', addresses: readonly string[], ...ports: readonly (6443 | 22623)[]) =>
    addresses.flatMap((address) => ports.map((port) => ({ host: kind, kind, address, port })));
  // A single node has nothing before it.
  const ofEndpoints =
    topology === 'single-node'
      ? []
      : [...at('api', endpoints.api, 6443), ...at('api-int', endpoints.apiInt, 6443, 22623)];
  return await Promise.all(
    [...ofNodes, ...ofEndpoints].map(async (each) => ({
      ...each,
      ...(await tcpProbe(reach, clock, each.address, each.port, TIMEOUT)),
    })),
  );
}

/** The machines whose own API server answers that it is ready. */
export async function readySeen({ reach, clock }: StepContext, ports: readonly PortSeen[]): Promise<string[]> {
  const serving = ports.filter(
    ({ kind, port, state }) => (kind === 'bootstrap' || kind === 'control-plane') && port === 6443 && state === 'open',
  );
  const asked = serving.map(async ({ host, address }) =>
    (await readyzProbe(reach, clock, { address, timeoutMs: TIMEOUT })) === 200 ? [host] : [],
  );
  return (await Promise.all(asked)).flat();
}

/** How far the time servers are from the clock of this machine; those on the internet only where the place is online. */
export async function clocksSeen(place: Place): Promise<Evidence['clocks']> {
  const { time } = askersOf(place);
  const asked = place.design.services.time.servers.map(async (server) => {
    const answer = await time({ server });
    if (isUnmeasured(answer) || answer.offsetMs === null) return [];
    // Only what the way of the answer cannot hide.
    const sure = Math.max(0, Math.abs(answer.offsetMs) - (answer.withinMs ?? 0));
    return [{ server, offset: Math.sign(answer.offsetMs) * sure }];
  });
  return (await Promise.all(asked)).flat();
}
