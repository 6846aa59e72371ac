import { listImageFiles, parseImageSources } from '../../artifacts/boot/images.ts';
import { nodeScriptPath } from '../../artifacts/shared/generator.ts';
import { deriveExpectedRequestTimes } from '../../checks/boot/boot-activity.ts';
import { BOOT_STAGES } from '../../checks/boot/checks.ts';
import type {
  Evidence,
  EvidenceLine,
  ObservedCluster,
  ObservedMachine,
  ObservedPort,
} from '../../checks/rules/evidence.ts';
import { isConfigError } from '../../checks/rules/service-config.ts';
import { getNodeFqdn } from '../../design/derived-facts.ts';
import { checkImages } from '../../installer/images.ts';
import { readImageStream } from '../../installer/openshift-install.ts';
import { type ClusterSnapshot, STATUS_PARTS } from '../../kube/snapshot.ts';
import type { CheckContext } from '../check/index.ts';
import type { StepContext } from '../contract.ts';
import { readSnapshot } from '../shared/cluster-access.ts';
import { getCurrentStage, hasReachedStage } from '../shared/hosts/current-stage.ts';
import { describeHostAccess } from '../shared/hosts/host-command.ts';
import { readInstallTimes } from '../shared/hosts/host-file-records.ts';
import { isStageDone } from '../shared/installer/bootstrap-progress.ts';
import { findInstaller, resolveImageNames } from '../shared/installer/images.ts';
import { collectBootSigns } from '../shared/machines/boot-progress.ts';
import { listServiceClients, readBootRequests } from '../shared/machines/boot-requests.ts';
import { readPowerOnTimes, wasEverReady } from '../shared/machines/node-facts.ts';
import { probeServiceHosts } from '../shared/machines/service-probe.ts';
import { inspectIgnition, readPullSecretEntries } from './ignition.ts';
import { dropResolvedConfigErrors, parseDhcpLines } from './log-lines.ts';
import { observeCluster } from './observed-cluster.ts';
import { readInstallationLines, readNodeLines, readServiceLines, type UnreadJournalCallback } from './read-logs.ts';
import {
  findReadyMachines,
  measureClockOffsets,
  probeSitePorts,
  readAllPoolMembers,
  readDhcpLog,
  readServiceFiles,
  runSiteChecks,
} from './site-evidence.ts';

/**
 * Gathers the evidence about the machines of the design, from power-on until they join the cluster.
 * @param joinedNames full names of the Nodes in the API
 */
async function observeMachines(
  context: StepContext,
  joinedNames: ReadonlySet<string>,
): Promise<Pick<Evidence, 'machines' | 'unknownMacs' | 'mismatchedRequests' | 'isRequestLogComplete'>> {
  const { design, manualActions } = context;
  // A diagnosis may probe only once, so it waits for the probes of all service hosts.
  await probeServiceHosts(context, true);
  const [{ observations, unknownMacs, isRequestLogComplete }, mismatchedRequests] = await Promise.all([
    collectBootSigns(context, design.nodes),
    findMismatchedRequests(context),
  ]);
  const refusedRequests = observations.flatMap(({ node, refusedClient }) =>
    refusedClient === null ? [] : [{ node: node.name, clientAddress: refusedClient.address, path: refusedClient.path }],
  );
  const powerOnTimes = readPowerOnTimes(context);
  const isBootstrapComplete = isStageDone(context, 'complete') || hasReachedStage(context, 'bootstrap-removed');
  const machines = observations.map(({ node, requests, bootStage, conflictingMac }) => {
    const hasNodeObject = joinedNames.has(getNodeFqdn(design, node)) || wasEverReady(context, node.name);
    const hasJoined = hasNodeObject || (node.role === 'bootstrap' && isBootstrapComplete);
    const poweredOnAt = powerOnTimes[node.name] ?? null;
    return {
      name: node.name,
      address: node.ip[0] ?? '',
      mac: node.mac,
      role: node.role,
      stage: hasNodeObject ? ('ready' as const) : bootStage,
      poweredOnAt,
      lastRequest: requests.at(-1) ?? null,
      // Requests of an earlier installation of the machine are not relevant.
      requests: requests.filter(({ at }) => at >= (poweredOnAt ?? 0)),
      conflictingMac,
      hasJoined,
    };
  });
  const expectedRequestTimes = deriveExpectedRequestTimes(
    machines.map(({ poweredOnAt, stage, requests }) => ({
      poweredOnAt,
      hasSign: stage !== 'off',
      firstSignAt: requests[0]?.at ?? null,
    })),
    !manualActions.canPowerOn,
  );
  const observedMachines = machines.map(
    (machine, index): ObservedMachine => ({ ...machine, requestExpectedSince: expectedRequestTimes[index] ?? null }),
  );
  return {
    machines: observedMachines,
    unknownMacs,
    mismatchedRequests: [...mismatchedRequests, ...refusedRequests],
    isRequestLogComplete,
  };
}

/**
 * Finds the last request for the script of each node if it came from an address that is neither the node's nor a
 * service host's.
 */
async function findMismatchedRequests(context: StepContext): Promise<Evidence['mismatchedRequests']> {
  const { design, resolveEndpoint, manualActions } = context;
  // The wizard requests every script itself, to check that it is served.
  const knownClients = listServiceClients(context);
  const requests = await readBootRequests(context);
  return design.nodes.flatMap((node) => {
    const nodeAddresses = node.ip.map((address) => resolveEndpoint(address, 0).host);
    const path = nodeScriptPath(node);
    const lastRequest = requests.findLast(
      (request) => request.path.startsWith(path) && !knownClients.has(request.client),
    );
    return lastRequest === undefined || nodeAddresses.includes(lastRequest.client)
      ? []
      : [{ node: node.name, clientAddress: manualActions.getSiteAddress(lastRequest.client), path }];
  });
}

/** Context of a diagnosis; `isOnline`: time servers on the internet are queried as well. */
export type DiagnoseContext = StepContext & Pick<CheckContext, 'isOnline'>;

/**
 * Gathers all evidence about an installation that is available from here. Changes nothing, and never throws for
 * problems of the site.
 * @param onUnreadJournal receives each powered-on machine whose journal cannot be read, with the reason
 */
export async function gatherEvidence(
  context: DiagnoseContext,
  onUnreadJournal: UnreadJournalCallback = () => undefined,
): Promise<Evidence> {
  const { design, clock } = context;
  // Probing takes seconds, which are minutes on the clock of a rehearsal: everything is evaluated at the time when the
  // first probe began.
  const now = clock.now();
  const snapshot = await readSnapshot(context, STATUS_PARTS).catch(() => null);
  const joinedNames = new Set(snapshot?.nodes?.map(({ name }) => name));
  const [cluster, boot, ports] = await Promise.all([
    observeCluster(context, snapshot),
    observeMachines(context, joinedNames),
    probeSitePorts(context),
  ]);
  const isSetUp =
    Object.keys(context.stepState.get('put-files') ?? {}).length > 0 ||
    hasPoweredOnMachines(context) ||
    cluster !== null;
  const isBooting = boot.machines.some(needsBootFiles);
  const [
    site,
    pools,
    readyHosts,
    files,
    dhcpLog,
    ignition,
    registries,
    timeServerOffsets,
    images,
    lines,
    serviceLines,
  ] = await Promise.all([
    runSiteChecks(context, { isSetUp, isBooting, hasCluster: cluster !== null }),
    readAllPoolMembers(context),
    findReadyMachines(context, ports),
    readServiceFiles(context),
    readDhcpLog(context),
    inspectIgnition(context),
    readPullSecretEntries(context),
    measureClockOffsets(context),
    isBooting ? inspectImages(context) : { names: [], mismatchedNames: [] },
    collectLogLines(context, ports, boot.machines, cluster, onUnreadJournal),
    readServiceLines(context),
  ]);
  return {
    now,
    design,
    ...describeHostAccess(context),
    stage: getCurrentStage(context),
    ...site,
    balancerMembers: pools,
    // Before the hosts are set up, only a missing route to them says something.
    ports: isSetUp ? ports : ports.filter(({ state }) => state === 'unsent'),
    readyHosts,
    files,
    filesInstalledAt: readInstallTimes(context),
    ...boot,
    ignition,
    images,
    registries,
    pullSecretFile: context.credentials.pullSecretFile,
    api: toApiEvidence(snapshot),
    cluster,
    timeServerOffsets,
    lines: [
      ...lines,
      // The messages of a DHCP server about its file are among the lines of the services.
      ...parseDhcpLines(dhcpLog, now, context.manualActions.logTimeZone).filter(({ text }) => !isConfigError(text)),
      ...dropResolvedConfigErrors(serviceLines),
    ],
  };
}

function hasPoweredOnMachines(context: StepContext): boolean {
  return Object.keys(readPowerOnTimes(context)).length > 0;
}

/** Whether the machine was powered on and has not fetched all of its boot files. */
function needsBootFiles({ poweredOnAt, stage, hasJoined }: ObservedMachine): boolean {
  return poweredOnAt !== null && !hasJoined && BOOT_STAGES.indexOf(stage) < BOOT_STAGES.indexOf('ignition');
}

function toApiEvidence(snapshot: ClusterSnapshot | null): Evidence['api'] {
  if (snapshot === null) return null;
  const { state, userError, clockSkew, line } = snapshot.api;
  return {
    isUp: state === 'up',
    code: userError?.code ?? null,
    detail: userError?.cause ?? line ?? '',
    skewMs: clockSkew,
  };
}

async function inspectImages(context: StepContext): Promise<Evidence['images']> {
  try {
    const program = await findInstaller(context);
    const stream = program === null ? null : await readImageStream(program, context.design.openshift);
    const sources = stream === null ? [] : parseImageSources(stream, context.design.openshift.architecture);
    const names = listImageFiles(await resolveImageNames(context));
    const states = await checkImages(context.imagesDir, names, sources);
    return { names, mismatchedNames: states.filter(({ state }) => state === 'wrong').map(({ name }) => name) };
  } catch {
    // Prepare reports what is wrong with the installer.
    return { names: [], mismatchedNames: [] };
  }
}

/** Reads the installation's own lines, and the journals of nodes that are not Ready and whose SSH port is open. */
async function collectLogLines(
  context: StepContext,
  ports: readonly ObservedPort[],
  machines: readonly ObservedMachine[],
  cluster: ObservedCluster | null,
  onUnreadJournal: UnreadJournalCallback,
): Promise<EvidenceLine[]> {
  const readyNames = new Set(cluster?.nodes?.filter(({ isReady }) => isReady).map(({ name }) => name));
  const reachableHosts = new Set(
    ports.filter(({ port, state }) => port === 22 && state === 'open').map(({ host }) => host),
  );
  const notReadyMachines = machines.filter(({ name, role, poweredOnAt }) => {
    const isNotReady = !readyNames.has(getNodeFqdn(context.design, { name }));
    return role !== 'bootstrap' && poweredOnAt !== null && isNotReady && reachableHosts.has(name);
  });
  const onUnreadNodeJournal: UnreadJournalCallback = context.manualActions.canLogIn ? onUnreadJournal : () => undefined;
  // The bootstrap machine need not answer before it is powered on, or after bootstrapping is
  // complete.
  const isBootstrapOn = machines.some(({ role, poweredOnAt }) => role === 'bootstrap' && poweredOnAt !== null);
  const onUnreadBootstrapJournal: UnreadJournalCallback =
    isBootstrapOn && cluster?.bootstrapStatus !== 'complete' ? onUnreadNodeJournal : () => undefined;
  const [installationLog, nodeJournals] = await Promise.all([
    readInstallationLines(context, onUnreadBootstrapJournal),
    readNodeLines(context, notReadyMachines, onUnreadNodeJournal),
  ]);
  return [...installationLog, ...nodeJournals];
}
