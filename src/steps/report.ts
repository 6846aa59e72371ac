import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { runChecks } from '../checks/check.ts';
import { describeOpenIssues, OPEN_ISSUE_CHECKS } from '../checks/open-issues.ts';
import { versionDiffers } from '../checks/operators.ts';
import { apiName, appsDomain, nodeFqdn, serviceHosts } from '../design/derived-facts.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { MOVE_NAMES } from '../infra/moves.ts';
import type { Snapshot } from '../kube/snapshot.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { redact } from '../platform/secrets.ts';
import { quoteShellArg } from '../platform/shell-quoting.ts';
import { readJournal } from '../session/journal.ts';
import type { Probe, Step, StepContext } from './contract.ts';
import { readSnapshot } from './shared/cluster-access.ts';
import {
  CSR_APPROVAL_JOB,
  checkJob,
  findCsrApprovalJob,
  startCsrApprovalJob,
  stopCsrApprovalJob,
} from './shared/jobs.ts';
import { formatTimeline } from './shared/journal-timeline.ts';
import { buildPasswordPage } from './shared/run-step-action.ts';
import { workspace } from './shared/workspace.ts';
import { requireTarget } from './step-action.ts';

const secretWords = () => catalogue().report.secrets;

/** The line that openshift-install prints at the end, also into its log. */
const PASSWORD_LINE = /and password: /;

/**
 * Lists the files that still hold secrets of the installation, each with the command that removes it, and the files to
 * keep. Names files and never shows their content.
 */
async function listSecretLines({ dir, design }: Pick<StepContext, 'dir' | 'design'>): Promise<string[]> {
  const paths = workspace(dir);
  const { contents, line, keep, runIn } = secretWords();
  const generated = join(paths.hostFilesDir(design.services.bastion.name), 'root', 'upi-wizard', 'install-config.yaml');
  const removal = (path: string, description: string, command = 'rm') => [path, description, command] as const;
  const logs = await findPasswordLogs(
    [paths.installerLog, ...(await listLogs(paths.jobsDir))],
    paths.kubeadminPassword,
  );
  const entries = [
    ...logs.map((path) => removal(path, contents.log, "sed -i '/and password: /d'")),
    removal(paths.kubeadminPassword, contents.password),
    removal(join(dir, '.openshift_install_state.json'), contents.state),
    removal(join(dir, 'bootstrap.ign'), contents.bootstrap),
    removal(join(dir, 'bootstrap-in-place-for-live-iso.ign'), contents.bootstrap),
    removal(join(dir, 'master.ign'), contents.master),
    removal(paths.workerIgnition, contents.worker),
    removal(paths.clusterWorkerIgnition, contents.worker),
    removal(paths.installConfigCopy, contents.installConfig),
    removal(paths.pastedPullSecret, contents.pasted),
    removal(paths.archiveDir, contents.movedAside, 'rm -r'),
  ];
  const lines = [
    ...entries.map(([path, description, command]) => {
      const name = relative(dir, path);
      return existsSync(path) ? [line(name, description), `  \`${command} ${quoteShellArg(name)}\``] : [];
    }),
    ...[generated, paths.kubeconfig].map((path, index) => {
      const description = index === 0 ? keep.generated : keep.kubeconfig;
      return existsSync(path) ? [line(relative(dir, path), description)] : [];
    }),
  ];
  const found = lines.flat();
  return found.length === 0 ? [] : [runIn(dir), '', ...found];
}

async function listLogs(dir: string): Promise<string[]> {
  return (await readdir(dir).catch(() => [])).sort().map((name) => join(dir, name));
}

/** Finds the logs that hold the password of kubeadmin. */
async function findPasswordLogs(logs: readonly string[], passwordFile: string): Promise<string[]> {
  const password = (await readFile(passwordFile, 'utf8').catch(() => '')).trim();
  const found = await Promise.all(
    logs.map(async (path) => {
      const text = path.endsWith('.log') ? await readFile(path, 'utf8').catch(() => '') : '';
      return PASSWORD_LINE.test(text) || (password !== '' && text.includes(password)) ? [path] : [];
    }),
  );
  return found.flat();
}

const words = () => catalogue().report;

/** A part of the report; its lines are Markdown. */
export interface ReportSection {
  readonly id: 'facts' | 'open' | 'overrides' | 'nodes' | 'services' | 'afterwards' | 'secrets' | 'pods' | 'timeline';
  /** Empty for the facts, which come first. */
  readonly heading: string;
  readonly lines: readonly string[];
}

/** The content of the report screen. `isWritten`: the file matches what would be written now. */
export interface ReportView {
  readonly path: string;
  readonly isCurrent: boolean;
  /** The URL of the console; null while it is not known. */
  readonly consoleUrl: string | null;
  readonly kubeconfig: string;
  readonly sections: readonly ReportSection[];
  /** A job approves expected requests in the background, for nodes that come and go. */
  readonly isApprovingCsrs: boolean;
}

/** The finished cluster, as a document for its administrators. Holds no secret. */
export const reportStep: Step<ReportView> = {
  id: 'report',
  probeIntervalMs: null,
  timeoutMs: 0,
  probe,
  plan: async (context, { summary }) => ({
    changes: [{ object: workspace(context.dir).report, what: summary, before: null, after: null }],
    isDangerous: false,
    instructions: [],
  }),
  async apply(context, report) {
    const { report: path } = workspace(context.dir);
    const sections = buildSections(context, await readReportSnapshot(context), await listSecretLines(context));
    const lines = [...renderLines(context, sections), ...formatTimeline(readJournal(context.dir))];
    await writeFile(path, `${lines.join('\n')}\n`, { mode: 0o600 });
    report(catalogue().steps.report.done(path));
  },
  async applyOne(context, target, report) {
    if (requireTarget(target, 'approval-job').change === 'stop') {
      await stopCsrApprovalJob(context);
      return report(catalogue().steps.report.notFollowing);
    }
    const { logFile } = await startCsrApprovalJob(context);
    report(catalogue().steps.report.following(logFile));
  },
  verify: probe,
  show: buildPasswordPage,
};

async function probe(context: StepContext): Promise<Probe<ReportView>> {
  const { report: path } = workspace(context.dir);
  const snapshot = await readReportSnapshot(context);
  const sections = buildSections(context, snapshot, await listSecretLines(context));
  const lines = renderLines(context, sections);
  const written = await readFile(path, 'utf8').catch(() => null);
  // While the API does not answer, the written report stays valid.
  const isCurrent = written !== null && (!snapshot?.nodes || isSameReport(written.trimEnd().split('\n'), lines));
  const isFollowing = (await findCsrApprovalJob(context))?.state === 'running';
  const [, heading = '', , ...timeline] = formatTimeline(readJournal(context.dir));
  const view: ReportView = {
    path,
    isCurrent: isCurrent,
    consoleUrl: getConsoleUrl(snapshot),
    kubeconfig: workspace(context.dir).kubeconfig,
    sections: [...sections, ...(timeline.length > 0 ? [{ id: 'timeline' as const, heading, lines: timeline }] : [])],
    isApprovingCsrs: isFollowing,
  };
  const { done, needed, outdated } = catalogue().steps.report;
  return {
    state: isCurrent ? 'done' : 'needed',
    summary: isCurrent ? done(path) : written === null ? needed : outdated,
    view,
    findings: [
      ...runChecks(OPEN_ISSUE_CHECKS, findOpenIssues(context, snapshot)),
      ...(await checkJob(context, CSR_APPROVAL_JOB)),
    ],
  };
}

/** The line that says when the report was written, counted from 0. */
const WRITTEN_LINE = 2;

/**
 * Whether two reports are equal. The line with the time of writing and the events of the timeline, which grow under its
 * heading, are not compared.
 */
function isSameReport(before: readonly string[], facts: readonly string[]): boolean {
  const now = before.length > facts.length ? [...facts, '', words().timeline.heading] : facts;
  const withoutTime = (lines: readonly string[]) => lines.filter((_, index) => index !== WRITTEN_LINE);
  return isDeepStrictEqual(withoutTime(before.slice(0, now.length)), withoutTime(now));
}

const readReportSnapshot = (context: StepContext) =>
  readSnapshot(context, ['nodes', 'clusterVersion', 'operators', 'consoleHost']);

/** Nodes and operators that are not as expected; empty while the API does not answer. */
function findOpenIssues({ design }: StepContext, snapshot: Snapshot | null) {
  const ready = new Set(snapshot?.nodes?.filter(({ isReady }) => isReady).map(({ name }) => name));
  const missing = design.nodes.filter((node) => node.role !== 'bootstrap' && !ready.has(nodeFqdn(design, node)));
  return {
    nodes: snapshot?.nodes ? missing.map(({ name }) => name) : [],
    operators: snapshot?.operators?.filter(({ available, degraded }) => !available || degraded) ?? [],
  };
}

const getConsoleUrl = (snapshot: Snapshot | null) => (snapshot?.consoleHost ? `https://${snapshot.consoleHost}` : null);

/** Renders the report without the timeline. */
function renderLines({ design, clock }: StepContext, sections: readonly ReportSection[]): string[] {
  return [
    redact(words().title(`${design.cluster.name}.${design.cluster.baseDomain}`)),
    '',
    words().written(new Date(clock.now()).toISOString()),
    ...sections.flatMap(({ heading, lines }) => ['', ...(heading === '' ? [] : [heading, '']), ...lines]),
  ];
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

function buildSections(
  context: StepContext,
  snapshot: Snapshot | null,
  secrets: readonly string[],
): readonly ReportSection[] {
  const { design } = context;
  const openIssues = describeOpenIssues(findOpenIssues(context, snapshot));
  const runs = snapshot?.clusterVersion?.version ?? null;
  const versions = runChecks([versionDiffers], { designed: design.openshift.version, runs });
  const nodes = new Map(snapshot?.nodes?.map((node) => [node.name, node]));
  const rows = design.nodes.map((node) => {
    const fqdn = nodeFqdn(design, node);
    const current = nodes.get(fqdn);
    const state =
      node.role === 'bootstrap'
        ? words().temporary
        : current
          ? current.isReady
            ? words().ready
            : words().notReady
          : words().absent;
    return words().row([fqdn, node.role, node.ip.join(' '), node.mac, `${node.vcpu}`, `${node.memoryGiB}`, state]);
  });
  // Cloud machines are in no design.
  const planned = new Set(design.nodes.map((node) => nodeFqdn(design, node)));
  const others = (snapshot?.nodes ?? [])
    .filter(({ name }) => design.infra.machineSets !== null && !planned.has(name))
    .map(({ name, roles, isReady }) =>
      words().row([name, roles.join(', '), '', '', '', '', isReady ? words().ready : words().notReady]),
    );
  const facts = [
    words().fact(words().version, snapshot?.clusterVersion?.version ?? design.openshift.version),
    ...versions.map(({ title }) => words().remark(title)),
    words().fact(words().api, `https://${apiName(design)}:6443`),
    words().fact(words().apps, `*.${appsDomain(design)}`),
    words().fact(words().console, getConsoleUrl(snapshot) ?? words().absent),
    ...Object.entries(context.stepState.get('traffic') ?? {}).map(([move, traffic]) =>
      words().remark(catalogue().steps.traffic.counted(move, traffic)),
    ),
    words().fact(words().kubeconfig, workspace(context.dir).kubeconfig),
  ];
  const table = [words().row(words().columns), words().row(words().columns.map(() => '---')), ...rows, ...others];
  const hosts = serviceHosts(design).map(({ name, ip }) => `- ${name}.${design.cluster.baseDomain} ${ip.join(' ')}`);
  const sections: readonly ReportSection[] = [
    { id: 'facts', heading: '', lines: facts },
    { id: 'open', heading: words().openIssues, lines: openIssues.map((sentence) => `- ${sentence}`) },
    {
      id: 'overrides',
      heading: words().overrides,
      lines: (context.stepState.get('check-overrides') ?? []).map(({ checks, reason, by, at }) =>
        words().override(checks.join(', '), sanitizeLine(reason), sanitizeLine(by, 80), sanitizeLine(at, 40)),
      ),
    },
    { id: 'nodes', heading: words().nodes, lines: table },
    { id: 'services', heading: words().services, lines: hosts },
    { id: 'afterwards', heading: words().nextSteps, lines: words().advice },
    { id: 'secrets', heading: words().secrets.title, lines: secrets },
    { id: 'pods', heading: words().pods.heading, lines: listPodLines(context) },
  ];
  return sections.filter(({ lines }) => lines.length > 0).map((one) => ({ ...one, lines: one.lines.map(redact) }));
}
