import { isIPv4 } from 'node:net';
import type { RhcosImageNames } from '../../../artifacts/boot/images.ts';
import { isAddressInCidr } from '../../../artifacts/network/addresses.ts';
import {
  bootUrl,
  IN_PLACE_IGNITION_PATH,
  ignitionPath,
  imagePath,
  nodeScriptPath,
} from '../../../artifacts/shared/generator.ts';
import { listRequiredRegistries } from '../../../checks/site/before-boot.ts';
import { getApiIntName, getApiName } from '../../../design/derived-facts.ts';
import type { Design, DesignNode } from '../../../design/model.ts';
import { createMinimumSizeLookup } from '../../../design/rules/nodes.ts';
import { getCpuLevel } from '../../../design/versions.ts';
import { type BootRequest, readRequests } from '../../../host/boot-server/boot-log.ts';
import {
  checkMachineReport,
  describeMachineProblem,
  FILE_START_QUERY,
  isReportOrTestRequest,
  type MachinePlan,
  type MachineProblem,
  type MachineReport,
  type MachineRequirements,
  parseMachineReport,
  parseNetworkTestRequest,
  parseNetworkTestResult,
} from '../../../host/boot-server/machine-report.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { formatUrlHost } from '../../../platform/text.ts';
import type { ProbeAnswer } from '../../../probes/probe-types.ts';
import type { StepContext } from '../../contract.ts';
import { resolveImageNames } from '../installer/images.ts';
import { workspace } from '../workspace.ts';

const MIB_PER_GIB = 1024;

/** Lists the requirements of each machine, and the network tests that it runs. */
export async function listMachinePlans(context: StepContext): Promise<MachinePlan[]> {
  const { design, resolveEndpoint } = context;
  // Without a usable installer, the names are not known.
  const images = await resolveImageNames(context).catch(() => null);
  return listMachineRequirements(design).map((requirements, index) => {
    const node = design.nodes[index];
    const clients = (node?.ip ?? []).map((address) => resolveEndpoint(address, 0).host);
    return { ...requirements, clients, questions: node === undefined ? [] : listNetworkTests(design, node, images) };
  });
}

/**
 * Lists the network tests of a machine: the beginning of each file and its ignition file, the names of the API at the
 * load balancer, its gateway and the registry. iPXE of Debian has no HTTPS: any answer shows that the port is reached.
 */
export function listNetworkTests(
  design: Design,
  node: DesignNode,
  images: RhcosImageNames | null,
): MachinePlan['questions'] {
  const base = bootUrl(design);
  const ignition = design.topology === 'single-node' ? IN_PLACE_IGNITION_PATH : ignitionPath(node.role);
  const network = design.networks.machine.find(({ cidr }) => node.ip.some((address) => isAddressInCidr(address, cidr)));
  const createFileTest = (id: string, path: string) => ({ id, url: `${base}${path}${FILE_START_QUERY}` });
  const names =
    images === null
      ? []
      : ([
          ['kernel', images.kernel],
          ['initramfs', images.initramfs],
          ['rootfs', images.rootfs ?? images.metal],
        ] as const);
  return [
    ...names.flatMap(([id, name]) => (name === null ? [] : [createFileTest(id, imagePath(name))])),
    createFileTest('ignition', ignition),
    { id: 'api-int', url: `http://${getApiIntName(design)}:22623/healthz` },
    { id: 'api', url: `http://${getApiName(design)}:6443/healthz` },
    ...(design.proxy === null ? listRequiredRegistries(design).slice(0, 1) : []).map((registry) => ({
      id: 'registry',
      url: `http://${/:\d+$/.test(registry) ? registry : `${registry}:443`}/v2/`,
    })),
    ...(network?.gateway ? [{ id: 'gateway', url: `http://${formatUrlHost(network.gateway)}/` }] : []),
  ];
}

/**
 * Lists what the design requires of each machine: the processor level of its RHCOS, the firmware, its addresses.
 * Memory: the documented minimum, or less where less is planned.
 */
export function listMachineRequirements(design: Design): MachineRequirements[] {
  const { architecture } = design.openshift;
  const level = getCpuLevel(design.openshift);
  const getMinimum = createMinimumSizeLookup(design);
  // Another DHCP server may give iPXE any address: the kernel arguments may set the planned one.
  const hasManagedDhcp = design.services.dhcp.kind !== 'none';
  return design.nodes.map(({ name, role, mac, memoryGiB, firmware, ip }) => ({
    name,
    mac,
    cpu: architecture === 'x86_64' ? level : null,
    memoryMiB: Math.min(getMinimum(role).memoryGiB, memoryGiB) * MIB_PER_GIB,
    firmware,
    addresses: hasManagedDhcp ? ip.filter((address) => isIPv4(address)) : [],
  }));
}

/** The last report of a machine, compared with the design. */
interface MachineReview {
  readonly report: MachineReport;
  /** ms of the clock. */
  readonly at: number;
  readonly problems: readonly MachineProblem[];
  /** The boot server stopped it: it has requested nothing else since. */
  readonly isStopped: boolean;
  /** The reason that was entered at its console to install it anyway; null: none. */
  readonly override: string | null;
}

/** The outcome of one network test of a machine. */
export interface NetworkTestOutcome {
  readonly id: string;
  readonly outcome: Outcome;
  /** Time since the previous result of the machine, or since it got the tests (ms). */
  readonly durationMs: number;
}
type Outcome = 'ok' | 'unknown' | keyof typeof ERROR_BYTES;

/**
 * First byte of iPXE's error numbers: the POSIX error (include/errno.h of iPXE). Measured with the iPXE of Debian
 * against HTTP, TLS and closed ports.
 */
const ERROR_BYTES = {
  missing: '2d',
  forbidden: '41',
  refused: '0f',
  'http-error': '1d',
  'no-name': '3e',
  silent: '4c',
  'no-route': '28',
} as const;
/**
 * Outcomes in which nothing answered. Any other outcome proves that the port is reached: an error of TLS, or a
 * redirection to HTTPS.
 */
const UNREACHED_OUTCOMES: readonly Outcome[] = ['no-name', 'silent', 'no-route'];
const FILE_TESTS: readonly string[] = ['kernel', 'initramfs', 'rootfs', 'ignition'];

/** Reads the last results of the network tests of a machine, in their order. */
export function readNetworkTestOutcomes(
  { mac }: DesignNode,
  requests: readonly BootRequest[],
  since: number,
): NetworkTestOutcome[] {
  const results = new Map<string, NetworkTestOutcome>();
  let previousAt: number | null = null;
  for (const { path, at, status } of requests) {
    if (at < since || status !== 200) continue;
    const answer = parseNetworkTestResult(path);
    if (parseNetworkTestRequest(path) === mac) previousAt = at;
    if (answer?.mac !== mac) continue;
    const { id, code } = answer;
    results.set(id, { id, outcome: toOutcome(id, code), durationMs: at - (previousAt ?? at) });
    previousAt = at;
  }
  return [...results.values()];
}

function toOutcome(id: string, code: string): Outcome {
  if (code === 'ok') return 'ok';
  const byte = code.slice(2).padStart(8, '0').slice(0, 2);
  const failure = (Object.keys(ERROR_BYTES) as (keyof typeof ERROR_BYTES)[]).find((name) => ERROR_BYTES[name] === byte);
  if (FILE_TESTS.includes(id)) return failure ?? 'unknown';
  // A gateway need not answer TCP, and an iPXE without the protocol has sent no request.
  if (code === '' || /^(?:2e|3c)/.test(byte) || (id === 'gateway' && failure === 'silent')) return 'unknown';
  return failure !== undefined && UNREACHED_OUTCOMES.includes(failure) ? failure : 'ok';
}

/** Describes the outcomes: the successful tests in one line, and each failure. */
export function describeNetworkTestOutcomes(results: readonly NetworkTestOutcome[]): {
  readonly line: string | null;
  readonly failures: readonly string[];
} {
  const { names, reached, outcomes } = catalogue().steps.boot.networkTest;
  const getName = (id: string) => (Object.hasOwn(names, id) ? names[id as keyof typeof names] : id);
  const answeredTests = results.filter(({ outcome }) => outcome === 'ok');
  const failures = results.flatMap(({ id, outcome }) =>
    outcome === 'ok' || outcome === 'unknown' ? [] : [outcomes[outcome](getName(id))],
  );
  const line =
    answeredTests.length === 0
      ? null
      : reached(answeredTests.map(({ id, durationMs }) => `${getName(id)} ${(durationMs / 1000).toFixed(1)} s`));
  return { line, failures };
}

/**
 * Evaluates the last report of a machine; returns null if there is none.
 * @param requests all requests, oldest first
 * @param machineRequests those of the machine's address
 * @param since ms of the clock; an earlier report belongs to an earlier installation
 */
export function reviewLastReport(
  node: DesignNode,
  allRequirements: readonly MachineRequirements[],
  requests: readonly BootRequest[],
  machineRequests: readonly BootRequest[],
  since: number,
): MachineReview | null {
  const reports = requests.flatMap(({ path, at, status }) => {
    const report = at < since ? null : parseMachineReport(path);
    return report?.mac === node.mac ? [{ report, at, isAnswered: status === 200 }] : [];
  });
  const lastReport = reports.at(-1);
  if (lastReport === undefined) return null;
  const { report, at, isAnswered } = lastReport;
  const override =
    reports.findLast((candidate) => candidate.isAnswered && candidate.report.override !== null)?.report.override ??
    null;
  const requirements = allRequirements.find(({ mac }) => mac === node.mac) ?? null;
  const problems = checkMachineReport(report, requirements, allRequirements, at);
  const hasContinued = machineRequests.some((request) => request.at > at && !isReportOrTestRequest(request.path));
  return {
    report,
    at,
    problems,
    isStopped: isAnswered && problems.length > 0 && override === null && !hasContinued,
    override,
  };
}

/** Reads the last report of each machine, and its failed network tests, in the log of the wizard's boot server. */
export async function readMachineReports(
  { design, dir, clock }: Pick<StepContext, 'design' | 'dir' | 'clock'>,
  names: readonly string[],
): Promise<ProbeAnswer<'machines'>> {
  const requests: BootRequest[] = [];
  for (let offset = 0; ; ) {
    const chunk = await readRequests(workspace(dir).bootLog, offset);
    requests.push(...chunk.requests);
    if (chunk.offset === offset) break;
    offset = chunk.offset;
  }
  const requirements = listMachineRequirements(design);
  return design.nodes.flatMap(({ name, ...node }) => {
    const machineRequests = requests.filter(({ path }) => path.startsWith(nodeScriptPath(node)));
    const lastReview = reviewLastReport({ name, ...node }, requirements, requests, machineRequests, 0);
    if (lastReview === null || !names.includes(name)) return [];
    const machineProblems = lastReview.override === null ? lastReview.problems.map(describeMachineProblem) : [];
    const failedTests = describeNetworkTestOutcomes(readNetworkTestOutcomes({ name, ...node }, requests, 0)).failures;
    return [{ name, ageMs: clock.now() - lastReview.at, problems: [...machineProblems, ...failedTests] }];
  });
}

/** Describes the values that iPXE could read, how they differ from the design, and the reason to install it anyway. */
export function describeMachine({ report, problems, override }: MachineReview): string[] {
  const { cpu, memoryMiB, firmware } = report;
  const { reported, cpuLevel, memory, differs, overridden } = catalogue().steps.boot.machine;
  const values = [
    ...(cpu === null ? [] : [cpuLevel(cpu)]),
    ...(memoryMiB === null ? [] : [memory(memoryMiB)]),
    ...(firmware === null ? [] : [firmware === 'uefi' ? 'UEFI' : 'BIOS']),
  ];
  return [
    ...(values.length === 0 ? [] : [reported(values)]),
    ...(problems.length === 0 ? [] : [differs(problems.map(describeMachineProblem))]),
    ...(override === null ? [] : [overridden(override)]),
  ];
}
