import { ignitionPath } from '../../../artifacts/shared/generator.ts';
import {
  deriveExpectedRequestTimes,
  mergeBootActivity,
  NO_BOOT_ACTIVITY,
  parseBootLog,
} from '../../../checks/boot/boot-activity.ts';
import {
  BOOT_CHECKS,
  BOOT_STAGES,
  type BootStage,
  deriveBootStage,
  parseRequestStage,
} from '../../../checks/boot/checks.ts';
import {
  type BootTimeline,
  computeBootProgress,
  deriveBootTimeline,
  findLatestStart,
  RULE_BY_MISSING_SIGN,
  type TimelineEvidence,
} from '../../../checks/boot/timeline.ts';
import { type Finding, runChecks } from '../../../checks/check.ts';
import type { ReplacementStep } from '../../../checks/member-replacement.ts';
import type { DiagnosticRuleId } from '../../../checks/rules/index.ts';
import type { NodeRole } from '../../../design/choices.ts';
import { getNodeFqdn, isWorker } from '../../../design/derived-facts.ts';
import type { DesignNode } from '../../../design/model.ts';
import { getVersionProfile } from '../../../design/versions.ts';
import { describeMachineProblem, isReportOrTestRequest } from '../../../host/boot-server/machine-report.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { isNodeLost, type NodeView } from '../../../openshift/node.ts';
import { MINUTE } from '../../../platform/clock.ts';
import { ARP_TABLE, parseArpTable } from '../../../probes/neighbour-probe.ts';
import type { StepContext } from '../../contract.ts';
import { computeMean, type WaitPart } from '../../wait-progress.ts';
import { readSnapshot } from '../cluster-access.ts';
import { checkJob } from '../jobs.ts';
import { listServiceClients, readBootLog } from './boot-requests.ts';
import { BOOT_SERVER_JOB } from './boot-server-job.ts';
import { updateIgnitionAccess, updateMachinePlans } from './ignition-access.ts';
import {
  describeMachine,
  describeNetworkTestOutcomes,
  listMachineRequirements,
  type NetworkTestOutcome,
  readNetworkTestOutcomes,
  reviewLastReport,
} from './machine-reports.ts';
import {
  getReinstalledAt,
  isIgnitionDenied,
  isInstallationOver,
  isMemberDeleted,
  isReplaceableMember,
  readPowerOnTimes,
  recordReadyNodes,
  recordReadyTimes,
  wasCorrected,
  wasEverReady,
} from './node-facts.ts';
import { refreshOpenPorts } from './node-ports.ts';
import { listServedIgnitionFiles, type ServedIgnitionFile } from './served-ignition.ts';
import { probeServiceHosts } from './service-probe.ts';

/** The content of the boot screen: a row per machine. */
export interface BootView {
  readonly nodes: readonly {
    readonly name: string;
    readonly role: NodeRole;
    readonly address: string;
    readonly mac: string;
    readonly stage: BootStage;
    /** When the machine was powered on, ms; null: not powered on. */
    readonly poweredOnAt: number | null;
    readonly lastSeenAt: number | null;
    readonly detail: string;
    /** The user marked its machine as reinstalled, and the old Node object still exists. */
    readonly isMarkedReinstalled: boolean;
    /** The node was Ready and no longer is. If it is a member of etcd, it can be replaced. */
    readonly isLost: boolean;
    /** The node was observed as Ready, now or before. Missing: it was not. */
    readonly wasReady?: boolean;
    /** Since when its node is not Ready, ms; missing: it is Ready, or the API does not report it. */
    readonly notReadySince?: number;
    /** The user denied the machine its ignition file. */
    readonly isDenied: boolean;
    /** The report of the machine's iPXE, compared with the design, in lines; empty: there is none. */
    readonly report: readonly string[];
    /** Why the boot server stopped the machine; empty: not stopped. */
    readonly problems: readonly string[];
    /** The observed signs, and what comes next. */
    readonly timeline: BootTimeline;
    /** The id of the rule that most likely explains the delay; null while nothing is late. */
    readonly likelyCause: DiagnosticRuleId | null;
    /** The MAC address of another machine that answers at this machine's address; null: none detected. */
    readonly conflictingMac: string | null;
  }[];
  /** Service hosts that cannot be read from here, with the reason: their signs are missing in the rows. */
  readonly unavailableHostLines: readonly string[];
  readonly unknownMacs: readonly string[];
  /** The ignition files that are served now. */
  readonly servedIgnitionFiles: readonly ServedIgnitionFile[];
  /** The checks before machines that join a running cluster are powered on; failures first. */
  readonly checks: readonly Finding[];
  /** A lost member of etcd that is replaced in the cluster first; missing: there is none. */
  readonly replacement?: {
    /** The short name of the node. */
    readonly node: string;
    readonly steps: readonly { readonly id: ReplacementStep; readonly state: 'done' | 'next' | 'later' }[];
    readonly checks: readonly Finding[];
  };
}

/** Probes the progress of machines, by their requests to the boot server and the DHCP server, and by the API. */
export async function probeBoot(
  context: StepContext,
  machines: readonly DesignNode[],
): Promise<{
  readonly view: BootView;
  readonly findings: readonly Finding[];
  /** Problems of the boot server while machines need it; in `findings` too. */
  readonly serverFindings: readonly Finding[];
  readonly fetchedCount: number;
}> {
  const { design, clock } = context;
  const boot = getBootMethod(design);
  await updateMachinePlans(context);
  const [{ observations, unknownMacs, isRequestLogComplete, unavailableHostLines }, snapshot, jobFindings] =
    await Promise.all([
      collectBootSigns(context, machines),
      readSnapshot(context, ['nodes']),
      checkJob(context, BOOT_SERVER_JOB),
    ]);
  const clusterNodes = new Map(snapshot?.nodes?.map((node) => [node.name, node]));
  const powerOnTimes = readPowerOnTimes(context);
  const nodes = observations.map(
    ({
      node,
      reinstalledAt,
      rebootedAt,
      refusedClient,
      requests,
      latestInstall,
      review,
      testOutcomes,
      bootStage,
      lease,
      tftp,
      answersArp,
      conflictingMac,
    }) => {
      const lastRequest = requests.at(-1) ?? null;
      const clusterNode = clusterNodes.get(getNodeFqdn(design, node));
      const poweredOnAt = rebootedAt ?? powerOnTimes[node.name] ?? null;
      // Before a machine is powered on or reinstalled, open ports are those of the system on its disk.
      const isPreparedIso = boot === 'prepared-iso' && poweredOnAt !== null && reinstalledAt === null;
      const ports =
        bootStage === 'ignition' || isPreparedIso
          ? refreshOpenPorts(context, node, latestInstall.restartedAt ?? rebootedAt ?? 0)
          : [];
      const isInstalled = isPreparedIso && ports.some(({ port }) => port !== 22);
      const isReady = isNodeReady(clusterNode, reinstalledAt, bootStage);
      const stage = isReady ? ('ready' as const) : isInstalled ? ('ignition' as const) : bootStage;
      const timeline = deriveBootTimeline(
        {
          role: node.role,
          boot,
          poweredOnAt: (poweredOnAt ?? 0) > latestInstall.previousRequestAt ? poweredOnAt : null,
          ...(lease === null ? {} : { lease }),
          ...(tftp === null ? {} : { tftp }),
          answersArp,
          requests: latestInstall.requests,
          ...(latestInstall.restartedAt === null ? {} : { restartedAt: latestInstall.restartedAt }),
          ports: isReady ? [] : ports,
          node:
            clusterNode && reinstalledAt === null
              ? { createdAt: clusterNode.createdAt, isReady: clusterNode.isReady }
              : null,
        },
        clock.now(),
      );
      const { next } = timeline;
      return {
        timeline,
        report: [...(review === null ? [] : describeMachine(review)), ...formatNetworkTestLines(testOutcomes)],
        failedNetworkTests: describeNetworkTestOutcomes(testOutcomes).failures,
        problems: review?.isStopped ? review.problems.map(describeMachineProblem) : [],
        likelyCause:
          conflictingMac !== null
            ? 'address-taken-twice'
            : refusedClient !== null
              ? 'foreign-dhcp'
              : next?.isLate && !review?.isStopped
                ? deriveLikelyRule(next.sign, requests, unknownMacs)
                : null,
        conflictingMac,
        name: node.name,
        role: node.role,
        address: node.ip[0] ?? '',
        mac: node.mac,
        stage,
        poweredOnAt,
        lastRequest,
        refusedClient,
        firstRequestAt: requests[0]?.at ?? null,
        lastSeenAt: lastRequest?.at ?? null,
        isMarkedReinstalled: reinstalledAt !== null && stage !== 'ready' && clusterNodes.has(getNodeFqdn(design, node)),
        isLost:
          isInstallationOver(context) &&
          (isWorker(node)
            ? reinstalledAt === null && clusterNode !== undefined && isNodeLost(clusterNode)
            : isReplaceableMember(design, node.name) &&
              !isMemberDeleted(context, node.name) &&
              (clusterNode === undefined ? snapshot?.nodes != null : !clusterNode.isReady)),
        isCorrected: wasCorrected(context, node),
        wasReady: wasEverReady(context, node.name),
        ...(clusterNode?.notReadySince == null ? {} : { notReadySince: clusterNode.notReadySince }),
        isDenied: isIgnitionDenied(context, node.name),
        detail: lastRequest ? `${lastRequest.status} ${lastRequest.path}` : '',
      };
    },
  );
  const readyNames = nodes.flatMap(({ name, stage }) => (stage === 'ready' ? name : []));
  const isNewlyReady = recordReadyNodes(context, readyNames);
  recordReadyTimes(
    context,
    readyNames.flatMap((name) => clusterNodes.get(getNodeFqdn(design, { name })) ?? []),
  );
  if (isNewlyReady) await updateIgnitionAccess(context);
  const fetchedCount = nodes.filter(
    ({ stage }) => BOOT_STAGES.indexOf(stage) >= BOOT_STAGES.indexOf('ignition'),
  ).length;
  const awaitedTimes = deriveExpectedRequestTimes(
    nodes.map(({ poweredOnAt, stage, firstRequestAt }) => ({
      poweredOnAt,
      hasSign: stage !== 'off',
      firstSignAt: firstRequestAt,
    })),
    !context.manualActions.canPowerOn,
  );
  const evidence = nodes.map((node, index) => ({ ...node, requestExpectedSince: awaitedTimes[index] ?? null }));
  // Machines that have fetched everything need no server.
  const serverFindings = fetchedCount < machines.length ? jobFindings : [];
  return {
    view: {
      nodes,
      unavailableHostLines,
      unknownMacs,
      checks: [],
      servedIgnitionFiles: await listServedIgnitionFiles(context),
    },
    findings: [
      ...runChecks(BOOT_CHECKS, {
        now: clock.now(),
        boot: design.services.boot.kind,
        machines: evidence,
        unknownMacs,
        isRequestLogComplete,
      }),
      ...serverFindings,
    ],
    serverFindings,
    fetchedCount,
  };
}

/** Returns how the machines get their ignition files: coreos-installer embeds them in the ISOs that it customizes. */
export function getBootMethod({ openshift, services, topology }: StepContext['design']): TimelineEvidence['boot'] {
  const isEmbedded = topology === 'single-node' || getVersionProfile(openshift.version).isoTool === 'customize';
  return services.boot.kind === 'iso' && isEmbedded ? 'prepared-iso' : services.boot.kind;
}

/**
 * Derives the boot progress of the first machines: 3 to 6 minutes from power-on to their ignition files. With prepared
 * ISOs 10 to 30 minutes: such a machine is seen again only when its installed system runs.
 */
export function deriveBootProgress(design: StepContext['design'], nodes: BootView['nodes']): readonly WaitPart[] {
  const boot = getBootMethod(design);
  const shares = nodes.map(({ role, stage, timeline }) => {
    if (stage === 'ignition' || stage === 'ready') return 1;
    const lastSign = boot !== 'prepared-iso' ? 'ignition' : role === 'bootstrap' ? 'config' : 'kubelet';
    return computeBootProgress(timeline, { role, boot }, lastSign);
  });
  const usualMinutes = boot === 'prepared-iso' ? ([10, 30] as const) : ([3, 6] as const);
  return [{ usualMinutes, share: computeMean(shares), startedAt: findLastPowerOn(nodes) }];
}

/** Whether one of these machines waits longer than usual for its next sign, or for a known reason. */
export const isMachineLate = (nodes: BootView['nodes']): boolean =>
  nodes.some(
    ({ timeline, likelyCause, isLost }) => !isLost && (timeline.next?.isSlow === true || likelyCause !== null),
  );

/** Finds when the last of the machines was powered on; null while one is off, or if that is unknown. */
export function findLastPowerOn(nodes: readonly Pick<BootView['nodes'][number], 'poweredOnAt'>[]): number | null {
  const times = nodes.flatMap(({ poweredOnAt }) => poweredOnAt ?? []);
  return times.length === 0 || times.length < nodes.length ? null : Math.max(...times);
}

/**
 * Collects what was observed of each machine: its requests to the boot server, its lease, its TFTP request and its ARP
 * replies. Also returns the MAC addresses that the DHCP server refused and that are not in the design.
 */
export async function collectBootSigns(context: StepContext, machines: readonly DesignNode[]) {
  const { design } = context;
  const { dhcp, bastion } = design.services;
  const sourceHosts = [...new Set([dhcp.server, bastion.name])].filter((name) => name !== null);
  const [{ requests, isComplete }, logs, arp, serviceHostProbe] = await Promise.all([
    readBootLog(context),
    Promise.all(sourceHosts.map((name) => context.manualActions.readFile(name, '/var/log/messages'))),
    context.manualActions.readFile(bastion.name, ARP_TABLE),
    probeServiceHosts(context),
  ]);
  const logActivity = logs.map((log) => parseBootLog(log ?? ''));
  const localActivity = { ...NO_BOOT_ACTIVITY, neighbours: parseArpTable(arp ?? '', true) };
  const { leases, tftpRequests, refusedMacs, neighbours } = mergeBootActivity([
    ...logActivity,
    localActivity,
    serviceHostProbe.activity,
  ]);
  const designMacs = new Set(design.nodes.map(({ mac }) => mac));
  const unknownMacs = refusedMacs.filter((mac) => !designMacs.has(mac));
  const earliestPowerOn = Math.min(...Object.values(readPowerOnTimes(context))) - POWER_ON_MARGIN;
  const requirements = listMachineRequirements(design);
  const resolveHosts = (addresses: readonly string[]) =>
    addresses.map((address) => context.resolveEndpoint(address, 0).host);
  const plannedClients = new Set([
    ...listServiceClients(context),
    ...design.nodes.flatMap(({ ip }) => resolveHosts(ip)),
  ]);
  const refusals = requests.filter(
    ({ client, path, status }) => status === 403 && path.startsWith('/ignition/') && !plannedClients.has(client),
  );
  const observations = machines.map((node) => {
    const clients = new Set(resolveHosts(node.ip));
    const reinstalledAt = getReinstalledAt(context, node.name);
    const rebootedAt = context.probeCache.reboots.get(node.name) ?? null;
    const startedAt = Math.max(reinstalledAt ?? 0, rebootedAt ?? 0) || null;
    // Earlier records of the services belong to an earlier installation.
    const earliestAt = startedAt ?? (Number.isFinite(earliestPowerOn) ? earliestPowerOn : 0);
    const nodeRequests = requests.filter(({ client, at }) => clients.has(client) && at >= (startedAt ?? 0));
    const review = reviewLastReport(node, requirements, requests, nodeRequests, earliestAt);
    const testOutcomes = readNetworkTestOutcomes(node, requests, earliestAt);
    const fileRequests = nodeRequests.filter(({ path }) => !isReportOrTestRequest(path));
    const { start, installStart } = findLatestStart(fileRequests);
    const previousRequestAt = fileRequests[installStart - 1]?.at ?? 0;
    // A log without times cannot distinguish an old lease from a new one.
    const isCurrent = ({ at }: { readonly at: number | null }) =>
      at === null ? startedAt === null && installStart === 0 : at >= earliestAt && at > previousRequestAt;
    const addresses = new Set(node.ip);
    const matchingNeighbours = neighbours.filter(({ address }) => addresses.has(address));
    // A machine that answers at its own address with its own MAC address has received that address.
    const answersArp =
      startedAt === null &&
      installStart === 0 &&
      Number.isFinite(earliestPowerOn) &&
      matchingNeighbours.some(({ mac }) => mac === node.mac);
    const conflictingMac = matchingNeighbours.find(({ mac, isFresh }) => isFresh && mac !== node.mac)?.mac ?? null;
    const lease = findEarliest(leases.filter((candidate) => candidate.mac === node.mac && isCurrent(candidate)));
    const tftp = findEarliest(tftpRequests.filter((request) => addresses.has(request.address) && isCurrent(request)));
    const bootStage = deriveBootStage(fileRequests.slice(installStart), answersArp || (lease ?? tftp) !== null);
    const lastRequestAt = Math.max(earliestAt, fileRequests.at(-1)?.at ?? 0);
    return {
      node,
      reinstalledAt,
      rebootedAt,
      refusals: ['kernel', 'rootfs'].includes(bootStage)
        ? refusals.filter(({ path, at }) => path === ignitionPath(node.role) && at >= lastRequestAt)
        : [],
      requests: fileRequests,
      latestInstall: {
        requests: fileRequests.slice(installStart),
        previousRequestAt,
        restartedAt: start > installStart && bootStage === 'ignition' ? (fileRequests[start]?.at ?? null) : null,
      },
      review,
      testOutcomes,
      bootStage,
      lease,
      tftp,
      answersArp,
      conflictingMac,
    };
  });
  return {
    observations: observations.map(({ refusals: ownRefusals, ...observation }) => {
      const [refusal] = ownRefusals;
      const candidates = observations.filter((candidate) =>
        candidate.refusals.some(({ path }) => path === refusal?.path),
      );
      // The log names no machine: an address belongs to one only if no more machines than addresses wait for the file.
      const isAmbiguous = candidates.length > new Set(ownRefusals.map(({ client }) => client)).size;
      return {
        ...observation,
        refusedClient:
          refusal === undefined || isAmbiguous
            ? null
            : { address: context.manualActions.getSiteAddress(refusal.client), path: refusal.path },
      };
    }),
    unknownMacs,
    isRequestLogComplete: isComplete,
    unavailableHostLines: serviceHostProbe.unavailableHostLines,
  };
}

/** Maximum time between the power-on of a machine and its confirmation by the user. */
const POWER_ON_MARGIN = 60 * MINUTE;

function formatNetworkTestLines(testOutcomes: readonly NetworkTestOutcome[]): string[] {
  const { line, failures } = describeNetworkTestOutcomes(testOutcomes);
  const failureLines = failures.length === 0 ? [] : [catalogue().steps.boot.networkTest.failed(failures)];
  return [...(line === null ? [] : [line]), ...failureLines];
}

/** Finds the earliest event; null without events. The time of the result is null if no event has a time. */
function findEarliest(events: readonly { readonly at: number | null }[]): { readonly at: number | null } | null {
  if (events.length === 0) return null;
  const times = events.flatMap(({ at }) => at ?? []);
  return { at: times.length === 0 ? null : Math.min(...times) };
}

/**
 * Derives the likely diagnostic rule from the first missing sign, or from the last file that the server refused and has
 * not served since: a machine that boots again and again also fetches the files before it again.
 */
function deriveLikelyRule(
  sign: keyof typeof RULE_BY_MISSING_SIGN,
  requests: readonly { readonly path: string; readonly status: number }[],
  unknownMacs: readonly string[],
): DiagnosticRuleId {
  if (sign === 'lease' && unknownMacs.length > 0) return 'wrong-mac';
  const refusal = requests.findLast(
    ({ path, status }, index) =>
      status >= 400 &&
      // Boot programs also ask for files that need not exist.
      (index === requests.length - 1 || parseRequestStage(path) !== null) &&
      !requests.slice(index + 1).some((later) => later.path === path && later.status < 400),
  );
  if (refusal?.status === 404) return 'boot-file-missing';
  if (refusal?.status === 403) return 'boot-file-forbidden';
  return RULE_BY_MISSING_SIGN[sign];
}

/** Whether the node is Ready. The old Node object of a reinstalled machine may still report Ready for a while. */
function isNodeReady(node: NodeView | undefined, reinstalledAt: number | null, bootStage: BootStage): boolean {
  if (!node?.isReady) return false;
  return reinstalledAt === null || bootStage === 'ignition' || (node.createdAt ?? 0) >= reinstalledAt;
}
