import type { Report, ReportPart } from '../../artifacts/report.ts';
import { runChecks } from '../../checks/check.ts';
import { describeOpenIssues } from '../../checks/open-issues.ts';
import { versionDiffers } from '../../checks/operators.ts';
import {
  apiName,
  appsDomain,
  clusterDomain,
  nodeFqdn,
  serviceHostFqdn,
  serviceHosts,
} from '../../design/derived-facts.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { MOVE_NAMES } from '../../infra/moves.ts';
import type { Snapshot } from '../../kube/snapshot.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { redact } from '../../platform/secrets.ts';
import { readJournal } from '../../session/journal.ts';
import type { StepContext } from '../contract.ts';
import { readSnapshot } from '../shared/cluster-access.ts';
import { formatTimeline } from '../shared/journal-timeline.ts';
import { workspace } from '../shared/workspace.ts';
import { listSecretFiles } from './secret-files.ts';

const words = () => catalogue().report;

/** Reads what the report says about the cluster; null while the API does not answer. */
export const readReportSnapshot = (context: StepContext): Promise<Snapshot | null> =>
  readSnapshot(context, ['nodes', 'clusterVersion', 'operators', 'consoleHost']);

/** Nodes and operators that are not as expected; empty while the API does not answer. */
export function findOpenIssues({ design }: StepContext, snapshot: Snapshot | null) {
  const ready = new Set(snapshot?.nodes?.filter(({ isReady }) => isReady).map(({ name }) => name));
  const missing = design.nodes.filter((node) => node.role !== 'bootstrap' && !ready.has(nodeFqdn(design, node)));
  return {
    nodes: snapshot?.nodes ? missing.map(({ name }) => name) : [],
    operators: snapshot?.operators?.filter(({ available, degraded }) => !available || degraded) ?? [],
  };
}

/** Returns the URL of the console; null while it is not known. */
export const getConsoleUrl = (snapshot: Snapshot | null): string | null =>
  snapshot?.consoleHost ? `https://${snapshot.consoleHost}` : null;

/**
 * Creates the report on the cluster of an install directory: the design, the cluster as it was read, and what happened.
 * It names files with secrets, and holds none.
 * @param snapshot the cluster; null while the API does not answer
 */
export async function createReport(context: StepContext, snapshot: Snapshot | null): Promise<Report> {
  const { design, clock, dir } = context;
  const openIssues = describeOpenIssues(findOpenIssues(context, snapshot));
  const hosts = serviceHosts(design).map((host) => `${serviceHostFqdn(design, host)} ${host.ip.join(' ')}`);
  const overrides = (context.stepState.get('check-overrides') ?? []).map(({ checks, reason, by, at }) =>
    words().override(checks.join(', '), sanitizeLine(reason), sanitizeLine(by, 80), sanitizeLine(at, 40)),
  );
  const files = await listSecretFiles(context);
  const { secrets } = words();
  const parts: readonly ReportPart[] = [
    { id: 'facts', heading: '', kind: 'facts', facts: listFacts(context, snapshot) },
    createList('open', words().openIssues, openIssues),
    createList('overrides', words().overrides, overrides),
    {
      id: 'nodes',
      heading: words().nodes,
      kind: 'table',
      columns: words().columns,
      rows: listNodeRows(context, snapshot),
    },
    createList('services', words().services, hosts),
    createList('afterwards', words().nextSteps, words().advice),
    { id: 'secrets', heading: secrets.title, kind: 'files', intro: secrets.runIn(dir), files },
    createList('pods', words().pods.heading, listPodLines(context)),
    createList('timeline', words().timeline.heading, formatTimeline(readJournal(dir))),
  ];
  return {
    cluster: redact(clusterDomain(design)),
    writtenAt: new Date(clock.now()).toISOString(),
    parts: parts.filter(hasContent).map(redactPart),
  };
}

const createList = (id: ReportPart['id'], heading: string, items: readonly string[]): ReportPart => ({
  id,
  heading,
  kind: 'list',
  items,
});

function hasContent(part: ReportPart): boolean {
  switch (part.kind) {
    case 'facts':
      return part.facts.length > 0;
    case 'list':
      return part.items.length > 0;
    case 'table':
      return part.rows.length > 0;
    case 'files':
      return part.files.length > 0;
  }
}

/** Returns the part with every secret that the program knows removed. */
function redactPart(part: ReportPart): ReportPart {
  switch (part.kind) {
    case 'facts': {
      const facts = part.facts.map(({ name, value, remarks }) => ({
        name,
        value: redact(value),
        remarks: remarks.map(redact),
      }));
      return { ...part, facts };
    }
    case 'list':
      return { ...part, items: part.items.map(redact) };
    case 'table':
      return { ...part, rows: part.rows.map((row) => row.map(redact)) };
    case 'files': {
      const files = part.files.map(({ name, contents, command }) => ({
        name: redact(name),
        contents,
        command: command === null ? null : redact(command),
      }));
      return { ...part, intro: redact(part.intro), files };
    }
  }
}

function listFacts({ design, dir, stepState }: StepContext, snapshot: Snapshot | null) {
  const runs = snapshot?.clusterVersion?.version ?? null;
  const differences = runChecks([versionDiffers], { designed: design.openshift.version, runs });
  const traffic = Object.entries(stepState.get('traffic') ?? {}).map(([move, counts]) =>
    catalogue().steps.traffic.counted(move, counts),
  );
  const fact = (name: string, value: string, remarks: readonly string[] = []) => ({ name, value, remarks });
  return [
    fact(
      words().version,
      runs ?? design.openshift.version,
      differences.map(({ title }) => title),
    ),
    fact(words().api, `https://${apiName(design)}:6443`),
    fact(words().apps, `*.${appsDomain(design)}`),
    fact(words().console, getConsoleUrl(snapshot) ?? words().absent, traffic),
    fact(words().kubeconfig, workspace(dir).kubeconfig),
  ];
}

function listNodeRows({ design }: StepContext, snapshot: Snapshot | null): string[][] {
  const nodes = new Map(snapshot?.nodes?.map((node) => [node.name, node]));
  const formatReady = (isReady: boolean) => (isReady ? words().ready : words().notReady);
  const rows = design.nodes.map((node) => {
    const fqdn = nodeFqdn(design, node);
    const current = nodes.get(fqdn);
    const state =
      node.role === 'bootstrap' ? words().temporary : current ? formatReady(current.isReady) : words().absent;
    return [fqdn, node.role, node.ip.join(' '), node.mac, `${node.vcpu}`, `${node.memoryGiB}`, state];
  });
  // Cloud machines are in no design.
  const planned = new Set(design.nodes.map((node) => nodeFqdn(design, node)));
  const others = (snapshot?.nodes ?? [])
    .filter(({ name }) => design.infra.machineSets !== null && !planned.has(name))
    .map(({ name, roles, isReady }) => [name, roles.join(', '), '', '', '', '', formatReady(isReady)]);
  return [...rows, ...others];
}

/** Lists move by move, in their order, which pods left which node and where they became Ready. */
function listPodLines({ stepState }: StepContext): string[] {
  const moved = stepState.get('moved-pods') ?? {};
  return MOVE_NAMES.flatMap((move) =>
    (moved[move] ?? []).map(({ doing, did, pod, node, at }) => {
      const time = new Date(at).toISOString().slice(0, 19).replace('T', ' ');
      return sanitizeLine(
        words().pods.line(move, doing === 'undo', time, catalogue().steps.infra.pods[did](pod, node)),
      );
    }),
  );
}
