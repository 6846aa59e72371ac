import { getStatsPort } from '../../artifacts/network/firewall.ts';
import { explainFindings, listProblemTrees } from '../../checks/causes/explain.ts';
import type {
  BalancerMember,
  Evidence,
  ObservedPort,
  SiteCheckResult,
  SiteProblem,
} from '../../checks/rules/evidence.ts';
import { SITE_CHECKS, type SiteCheckId } from '../../checks/site/index.ts';
import type { SiteCheckPhase } from '../../checks/site/site.ts';
import { listServiceHosts } from '../../design/derived-facts.ts';
import { SECOND } from '../../platform/clock.ts';
import { sanitize } from '../../platform/sanitize.ts';
import { redact } from '../../platform/secrets.ts';
import { formatUrlHost } from '../../platform/text.ts';
import { fetchPoolMembers } from '../../probes/haproxy-stats.ts';
import { isUnmeasurable } from '../../probes/probe-types.ts';
import { probeReadyz } from '../../probes/readyz-probe.ts';
import { probeTcp } from '../../probes/tcp-probe.ts';
import { type CheckContext, collectSiteFindings, createProbes } from '../check/index.ts';
import type { StepContext } from '../contract.ts';
import { generateStage } from '../shared/files/stage-output.ts';
import { getCurrentStage } from '../shared/hosts/current-stage.ts';
import { readCommandOutput, readHostFile } from '../shared/hosts/host-command.ts';
import { buildLogCommand } from '../shared/machines/service-probe.ts';

const PROBE_TIMEOUT_MS = 3 * SECOND;

/** Checks of files that machines boot with: they matter until the last machine has booted. */
const BOOT_PHASES: readonly SiteCheckPhase[] = ['boot-files', 'ignition'];
/** Checks before the boot that matter later, too: other machines at the addresses of the design, and time servers. */
const BEFORE_BOOT_CHECKS: readonly SiteCheckId[] = ['ip-conflict', 'ntp-servers'];
/** Checks of servers: a server that answers proves that the service hosts were set up. */
const SERVER_CHECKS: readonly SiteCheckId[] = ['dns-server', 'lb-listens', 'dhcp-server', 'tftp-server'];
/**
 * Checks whose failures are not reported as problems of the site. A login from here does not matter to the cluster;
 * rules report a machine that is stuck without a boot program.
 */
const UNREPORTED_CHECKS: readonly SiteCheckId[] = [
  ...(['ssh-hosts', 'host-login', 'host-rights'] as const),
  ...(['tftp', 'tftp-server', 'http-boot-program'] as const),
];

/**
 * Runs the checks of the site that matter now.
 * @param isSetUp whether the service hosts are set up, as far as known
 * @param isBooting whether machines are booting
 * @param hasCluster whether an API answers
 * @returns the results that no other failure explains, and the problems of the site; both empty if no service is set up
 */
export async function runSiteChecks(
  context: StepContext,
  { isSetUp, isBooting, hasCluster }: { readonly [K in 'isSetUp' | 'isBooting' | 'hasCluster']: boolean },
): Promise<Pick<Evidence, 'checks' | 'siteProblems'>> {
  const selectedChecks = SITE_CHECKS.filter(({ id, phase }) => {
    if (phase === 'before-boot') return BEFORE_BOOT_CHECKS.includes(id);
    return isBooting || !hasCluster || !BOOT_PHASES.includes(phase);
  });
  // One run for all: identical queries are sent once, and DHCP uses the one port that its answers come to.
  const results = await collectSiteFindings(context, { only: selectedChecks.map(({ id }) => id) });
  const hasServerAnswered = results.some(
    ({ check, result }) => SERVER_CHECKS.includes(check.id) && result.state === 'ok',
  );
  if (!isSetUp && !hasServerAnswered) return { checks: [], siteProblems: [] };
  const findings = explainFindings(
    context.design,
    results.map(({ finding }) => finding),
  );
  const checks = results.flatMap(({ check, result }, index): SiteCheckResult[] =>
    findings[index]?.causedBy === undefined && (isBooting || !BOOT_PHASES.includes(check.phase))
      ? [{ ...result, id: check.id }]
      : [],
  );
  const siteProblems = listProblemTrees(findings).flatMap((problem): SiteProblem[] => {
    const check = results[findings.indexOf(problem.finding)]?.check;
    // Before the Boot step, the boot server of the wizard need not run.
    const isBeforeBoot = check?.id === 'boot-server' && !isBooting;
    return check === undefined || isBeforeBoot || UNREPORTED_CHECKS.includes(check.id)
      ? []
      : [{ ...problem, phase: check.phase }];
  });
  return { checks, siteProblems };
}

/** Reads the members of every pool from the status pages of the load balancers. */
export async function readAllPoolMembers({ design, resolveEndpoint, clock }: StepContext): Promise<BalancerMember[]> {
  const { loadBalancer } = design.services;
  if (loadBalancer.kind !== 'haproxy' || design.topology === 'single-node') return [];
  const reads = loadBalancer.servers.map(async (host) => {
    const [address, port] = [host.ip[0], getStatsPort(design, host)];
    const members = (await fetchPoolMembers(resolveEndpoint(address, port), clock)) ?? [];
    const statusPageUrl = `http://${formatUrlHost(address)}:${port}/`;
    return members.map((member) => ({ check: '', ...member, balancer: host.name, statusPageUrl }));
  });
  return (await Promise.all(reads)).flat();
}

/** Probes the ports of nodes and endpoints from here. */
export async function probeSitePorts({ design, resolveEndpoint, clock }: StepContext): Promise<ObservedPort[]> {
  const { endpoints, nodes, topology } = design;
  const nodePorts = nodes.flatMap(({ name, role, ip }) => {
    const kind = role === 'bootstrap' || role === 'control-plane' ? role : ('compute' as const);
    const ports = kind === 'compute' ? ([22] as const) : ([22, 6443, 22623] as const);
    return ip.slice(0, 1).flatMap((address) => ports.map((port) => ({ host: name, kind, address, port })));
  });
  const listEndpoints = (kind: 'api' | 'api-int', addresses: readonly string[], ...ports: readonly (6443 | 22623)[]) =>
    addresses.flatMap((address) => ports.map((port) => ({ host: kind, kind, address, port })));
  // A single node has no load balancer.
  const endpointPorts =
    topology === 'single-node'
      ? []
      : [...listEndpoints('api', endpoints.api, 6443), ...listEndpoints('api-int', endpoints.apiInt, 6443, 22623)];
  return await Promise.all(
    [...nodePorts, ...endpointPorts].map(async (query) => ({
      ...query,
      ...(await probeTcp(resolveEndpoint, clock, query.address, query.port, PROBE_TIMEOUT_MS)),
    })),
  );
}

/** Finds the machines whose own API server reports that it is ready. */
export async function findReadyMachines(
  { resolveEndpoint, clock }: StepContext,
  ports: readonly ObservedPort[],
): Promise<string[]> {
  const servingPorts = ports.filter(
    ({ kind, port, state }) => (kind === 'bootstrap' || kind === 'control-plane') && port === 6443 && state === 'open',
  );
  const probes = servingPorts.map(async ({ host, address }) =>
    (await probeReadyz(resolveEndpoint, clock, { address, timeoutMs: PROBE_TIMEOUT_MS })) === 200 ? [host] : [],
  );
  return (await Promise.all(probes)).flat();
}

/**
 * Measures the offset of the time servers from the clock of this machine; of those on the internet only if `isOnline`.
 */
export async function measureClockOffsets(context: CheckContext): Promise<Evidence['timeServerOffsets']> {
  const { time } = createProbes(context);
  const measurements = context.design.services.time.servers.map(async (server) => {
    const answer = await time({ server });
    if (isUnmeasurable(answer) || answer.offsetMs === null) return [];
    // Counts only the part of the offset that the network delay of the answer cannot explain.
    const provenOffset = Math.max(0, Math.abs(answer.offsetMs) - (answer.uncertaintyMs ?? 0));
    return [{ server, offsetMs: Math.sign(answer.offsetMs) * provenOffset }];
  });
  return (await Promise.all(measurements)).flat();
}

const FILE_KINDS = ['haproxy', 'keepalived', 'isc-dhcpd', 'kea-dhcp4'] as const;
const MAX_FILE_LENGTH = 1024 * 1024;

/** System logs that hold the lines of the services. */
export const SYSTEM_LOGS = ['/var/log/messages', '/var/log/syslog'];
const MAX_LOG_BYTES = 512 * 1024;

/** Reads the configuration files of the services on their hosts; those that cannot be read from here are left out. */
export async function readServiceFiles(context: StepContext): Promise<Evidence['files']> {
  // The files on the hosts may be of any stage; their paths are the same in all.
  const { files } = await generateStage(context, getCurrentStage(context)).catch(() => ({ files: [] }));
  const cleanText = (text: string) => sanitize(redact(text), MAX_FILE_LENGTH);
  const reads = files.map(async ({ host, path, kind, content }) => {
    const fileKind = FILE_KINDS.find((candidate) => candidate === kind);
    if (fileKind === undefined || host === null) return [];
    const text = await readHostFile(context, host, path);
    return text === null
      ? []
      : [{ host, kind: fileKind, path, text: cleanText(text), plannedText: cleanText(content) }];
  });
  return (await Promise.all(reads)).flat();
}

/** Reads the end of the DHCP server's log; empty if it cannot be read from here. */
export async function readDhcpLog(context: StepContext): Promise<string> {
  const { design, manualActions } = context;
  const host = listServiceHosts(design).find(({ name }) => name === design.services.dhcp.server);
  if (host === undefined) return '';
  for (const path of SYSTEM_LOGS) {
    const text = await manualActions.readFile(host.name, path);
    if (text !== null) return text.slice(-MAX_LOG_BYTES);
  }
  return ((await readCommandOutput(context, host, buildLogCommand())) ?? '').slice(-MAX_LOG_BYTES);
}
