import { listAddressRecords, listPointerRecords } from '../../artifacts/dns/records.ts';
import type { Report, ReportPart } from '../../artifacts/report.ts';
import { runChecks } from '../../checks/check.ts';
import { describeOpenIssues } from '../../checks/open-issues.ts';
import { versionDifference } from '../../checks/operators.ts';
import type { UpdateEvidence } from '../../checks/update.ts';
import { type BalancerMembers, getBalancerMembers } from '../../design/balancer-members.ts';
import { STAGES } from '../../design/choices.ts';
import {
  getApiIntName,
  getApiName,
  getAppsDomain,
  getClusterDomain,
  getNodeFqdn,
  getServiceHostFqdn,
  listServiceHosts,
} from '../../design/derived-facts.ts';
import { getVersionProfile } from '../../design/versions.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { MOVE_NAMES } from '../../infra/moves.ts';
import { type ClusterSnapshot, takeSnapshot } from '../../kube/snapshot.ts';
import { listInternalAddresses } from '../../openshift/node.ts';
import { formatUtc } from '../../platform/clock.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { redact, redactJson } from '../../platform/secrets.ts';
import { readJournal, toSiteTimes } from '../../session/journal.ts';
import { type ClusterContext, readSnapshot } from '../shared/cluster-access.ts';
import { getCurrentStage } from '../shared/hosts/current-stage.ts';
import { formatJournalEvents } from '../shared/journal-events.ts';
import { workspace } from '../shared/workspace.ts';
import {
  listExpiryRows,
  listRequestRows,
  listUsedVersionRows,
  type ReportSource,
  readStorageAndCompletion,
} from './observations.ts';
import { listPostInstallTasks } from './post-install-tasks.ts';
import { listSecretFiles } from './secret-files.ts';
import { deriveTimeline } from './timeline.ts';
import { gatherUpdateEvidence } from './update-evidence.ts';
import { createUpdatePart, describeBootImage } from './update-part.ts';

const words = () => catalogue().report;

const SNAPSHOT_PARTS = ['nodes', 'requests', 'clusterVersion', 'operators', 'consoleHost'] as const;

/**
 * Reads what the report says about the cluster; null without a kubeconfig. An API that is down is part of the result.
 */
export async function readReportSnapshot({ session, connect, clock }: ClusterContext): Promise<ClusterSnapshot | null> {
  if (session !== null) return await readSnapshot(session.context, SNAPSHOT_PARTS);
  return await takeSnapshot(await connect(), SNAPSHOT_PARTS, clock.now());
}

/** Finds the nodes and operators that are not as expected; none while the API does not answer. */
export function findOpenIssues(
  { design, hasUserDesign }: Pick<ReportSource, 'design' | 'hasUserDesign'>,
  snapshot: ClusterSnapshot | null,
) {
  const readyNames = new Set(snapshot?.nodes?.filter(({ isReady }) => isReady).map(({ name }) => name));
  const missingNodes = design.nodes.filter(
    (node) => node.role !== 'bootstrap' && !readyNames.has(getNodeFqdn(design, node)),
  );
  return {
    nodes: !snapshot?.nodes
      ? []
      : hasUserDesign
        ? missingNodes.map(({ name }) => name)
        : snapshot.nodes.flatMap(({ name, isReady }) => (isReady ? [] : name)),
    operators: snapshot?.operators?.filter(({ available, degraded }) => !available || degraded) ?? [],
  };
}

/** Returns the URL of the console; null while it is not known. */
export const getConsoleUrl = (snapshot: ClusterSnapshot | null): string | null =>
  snapshot?.consoleHost ? `https://${snapshot.consoleHost}` : null;

/**
 * Creates the report on a cluster: the design, the cluster as it was read, and what happened. It names files with
 * secrets, and holds none. Without an install directory it holds what the API returns, and without a design nothing
 * that only a design names.
 * @param snapshot the cluster; null while the API does not answer
 */
export async function createReport(source: ReportSource, snapshot: ClusterSnapshot | null): Promise<Report> {
  const { design, clock, hasUserDesign, stepState } = source;
  const context = source.session?.context ?? null;
  const openIssues = describeOpenIssues(findOpenIssues(source, snapshot));
  const hostLines = listServiceHosts(design).map((host) => `${getServiceHostFqdn(design, host)} ${host.ip.join(' ')}`);
  const overrides = (stepState.get('check-overrides') ?? []).map(({ checks, reason, by, at }) =>
    words().override(checks.join(', '), sanitizeLine(reason), sanitizeLine(by, 80), sanitizeLine(at, 40)),
  );
  const unknownChecks = (stepState.get('unknown-checks') ?? []).map(({ title, why }) =>
    sanitizeLine(words().unknownCheck(title, why), 500),
  );
  const cluster = snapshot?.api.state === 'up' ? await source.connect().catch(() => null) : null;
  const { installedAt, storage } = await readStorageAndCompletion(cluster);
  const [update, files, expiryRows, usedRows] = await Promise.all([
    gatherUpdateEvidence(source, snapshot, cluster),
    context === null ? [] : listSecretFiles(context),
    listExpiryRows(source, snapshot, installedAt),
    listUsedVersionRows(source, snapshot),
  ]);
  const { secrets } = words();
  const journalLines = context === null ? [] : toSiteTimes(readJournal(context.dir));
  const parts: readonly ReportPart[] = [
    { id: 'facts', heading: '', kind: 'facts', facts: listFacts(source, snapshot, update) },
    createListPart('open', words().openIssues, openIssues),
    createListPart('overrides', words().overrides, overrides),
    createListPart('unknown', words().unknownChecks, unknownChecks),
    {
      id: 'timeline',
      heading: words().timeline.heading,
      kind: 'timeline',
      columns: words().timeline.columns,
      rows: deriveTimeline(source, installedAt, journalLines),
    },
    {
      id: 'nodes',
      heading: words().nodes,
      kind: 'table',
      columns: words().columns,
      rows: listNodeRows(source, snapshot),
    },
    ...(hasUserDesign
      ? [
          createTablePart('records', words().records, listRecordRows(source)),
          ...(design.topology === 'single-node' ? [] : [createBalancerTable(source)]),
          createListPart('services', words().services, hostLines),
        ]
      : []),
    createListPart('storage', words().storage.heading, storage),
    createTablePart('requests', words().requests, listRequestRows(source, snapshot, journalLines)),
    createTablePart('used', words().usedVersions, usedRows),
    createTablePart('expiry', words().expiry, expiryRows),
    createUpdatePart(update),
    { id: 'afterwards', heading: words().nextSteps, kind: 'tasks', tasks: listPostInstallTasks(source, snapshot) },
    { id: 'secrets', heading: secrets.title, kind: 'files', intro: secrets.runIn(context?.dir ?? ''), files },
    createListPart('pods', words().pods.heading, listPodLines(source)),
    createListPart('events', words().events.heading, formatJournalEvents(journalLines)),
  ];
  return {
    cluster: redact(getClusterDomain(design)),
    writtenAt: new Date(clock.now()).toISOString(),
    parts: redactJson(parts.filter(hasContent)) as readonly ReportPart[],
  };
}

const createListPart = (id: ReportPart['id'], heading: string, items: readonly string[]): ReportPart => ({
  id,
  heading,
  kind: 'list',
  items,
});

const createTablePart = (
  id: ReportPart['id'],
  { heading, columns }: { readonly heading: string; readonly columns: readonly string[] },
  rows: readonly (readonly string[])[],
): ReportPart => ({ id, heading, kind: 'table', columns, rows });

function listRecordRows({ design }: ReportSource): string[][] {
  return [
    ...listAddressRecords(design).flatMap(({ records }) =>
      records.map(({ name, type, address }) => [name, type, address]),
    ),
    ...listPointerRecords(design).map(({ owner, name }) => [owner, 'PTR', name]),
  ];
}

/** Creates the table of the members of each endpoint in each stage; the present stage is marked. */
function createBalancerTable(source: ReportSource): ReportPart {
  const { design } = source;
  const { balancer } = words();
  const { stages } = catalogue().design.diagram;
  const currentStage = getCurrentStage(source);
  const listMemberNames = (kind: keyof BalancerMembers) =>
    STAGES.map((stage) =>
      getBalancerMembers(design, stage)
        [kind].map(({ name }) => name)
        .join(' '),
    );
  const endpoints = [
    { name: `${getApiName(design)}:6443`, ip: design.endpoints.api, kind: 'api' as const },
    { name: `${getApiIntName(design)}:6443, :22623`, ip: design.endpoints.apiInt, kind: 'api' as const },
    { name: `*.${getAppsDomain(design)}:443, :80`, ip: design.endpoints.ingress, kind: 'ingress' as const },
  ];
  return createTablePart(
    'balancer',
    {
      heading: balancer.heading,
      columns: balancer.columns(
        STAGES.map((stage) => (stage === currentStage ? balancer.now(stages[stage]) : stages[stage])),
      ),
    },
    endpoints.map(({ name, ip, kind }) => [name, ip.join(' '), ...listMemberNames(kind)]),
  );
}

function hasContent(part: ReportPart): boolean {
  switch (part.kind) {
    case 'facts':
      return part.facts.length > 0;
    case 'list':
      return part.items.length > 0;
    case 'table':
    case 'timeline':
      return part.rows.length > 0;
    case 'tasks':
      return part.tasks.length > 0;
    case 'checks':
      return part.results.length > 0;
    case 'files':
      return part.files.length > 0;
  }
}

function listFacts(
  { design, session, stepState }: ReportSource,
  snapshot: ClusterSnapshot | null,
  update: UpdateEvidence | null,
) {
  const clusterVersion = snapshot?.clusterVersion?.version ?? null;
  const differences = runChecks([versionDifference], {
    designVersion: design.openshift.version,
    clusterVersion,
  });
  const traffic = Object.entries(stepState.get('traffic') ?? {}).map(([move, counts]) =>
    catalogue().steps.traffic.counted(move, counts),
  );
  const createFact = (name: string, value: string, remarks: readonly string[] = []) => ({ name, value, remarks });
  const isSimulated = session !== null && session.context.clockAnchorFile !== null;
  return [
    ...(isSimulated ? [createFact(words().simulated.name, words().simulated.text)] : []),
    createFact(
      getVersionProfile(clusterVersion ?? design.openshift.version).product,
      clusterVersion ?? design.openshift.version,
      isApiDown(snapshot) ? [words().planned] : differences.map(({ title }) => title),
    ),
    createFact(words().api, `https://${getApiName(design)}:6443`),
    createFact(words().apps, `*.${getAppsDomain(design)}`),
    createFact(
      words().console,
      getConsoleUrl(snapshot) ?? (isApiDown(snapshot) ? words().unknown : words().absent),
      traffic,
    ),
    ...describeBootImage(update).map((image) => createFact(words().update.bootImage, image)),
    ...(session === null ? [] : [createFact(words().kubeconfig, workspace(session.context.dir).kubeconfig)]),
  ];
}

const isApiDown = (snapshot: ClusterSnapshot | null) => snapshot?.api.state === 'away';

function listNodeRows(source: ReportSource, snapshot: ClusterSnapshot | null): string[][] {
  const { design, hasUserDesign, stepState } = source;
  const hasLeftInstallStage = getCurrentStage(source) !== 'install';
  const readyTimes = stepState.get('ready-at') ?? {};
  const formatUnknown = (name: string) => {
    const readyAt = readyTimes[name];
    return readyAt === undefined ? words().unknown : words().readyAsOf(formatUtc(readyAt, 'minute'));
  };
  const nodes = new Map(snapshot?.nodes?.map((node) => [node.name, node]));
  const formatReady = (isReady: boolean) => (isReady ? words().ready : words().notReady);
  const rows = design.nodes.map((node) => {
    const fqdn = getNodeFqdn(design, node);
    const clusterNode = nodes.get(fqdn);
    const state =
      node.role === 'bootstrap'
        ? words().bootstrapState(hasLeftInstallStage)
        : clusterNode
          ? formatReady(clusterNode.isReady)
          : isApiDown(snapshot)
            ? formatUnknown(node.name)
            : words().absent;
    return [fqdn, node.role, node.ip.join(' '), node.mac, `${node.vcpu}`, `${node.memoryGiB}`, state];
  });
  // Cloud machines are in no design.
  const designNames = new Set(design.nodes.map((node) => getNodeFqdn(design, node)));
  const otherRows = (snapshot?.nodes ?? [])
    .filter(({ name }) => (!hasUserDesign || design.infra.machineSets !== null) && !designNames.has(name))
    .map(({ name, roles, isReady, addresses }) => {
      const [address = ''] = listInternalAddresses({ addresses });
      return [name, roles.join(', '), address, '', '', '', formatReady(isReady)].map((cell) => sanitizeLine(cell, 253));
    });
  return [...rows, ...otherRows];
}

/** Lists move by move, in their order, which pods left which node and where they became Ready. */
function listPodLines({ stepState }: ReportSource): string[] {
  const transitionsByMove = stepState.get('moved-pods') ?? {};
  return MOVE_NAMES.flatMap((move) =>
    (transitionsByMove[move] ?? []).map(({ doing, did, pod, node, at }) => {
      return sanitizeLine(
        words().pods.line(
          move,
          doing === 'undo',
          formatUtc(at, 'second'),
          catalogue().steps.infra.pods[did](pod, node),
        ),
      );
    }),
  );
}
