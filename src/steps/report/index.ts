import { readFile, writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Snapshot } from '../../cluster/snapshot.ts';
import { apiName, appsDomain, nodeFqdn, serviceHosts } from '../../design/names.ts';
import { LEFT_OPEN, openSentences } from '../../diagnosis/left-open.ts';
import { versionDiffers } from '../../diagnosis/operators/version.ts';
import { judge } from '../../diagnosis/rule.ts';
import { MOVE_NAMES } from '../../moves/table.ts';
import { readJournal } from '../../session/journal.ts';
import { catalogue } from '../../text/catalogue.ts';
import { redact } from '../../text/redact.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import type { Probe, Step, StepContext } from '../contract.ts';
import { look } from '../shared/access.ts';
import { FOLLOW_JOB, followJob, startFollowJob, stopFollowJob } from '../shared/follow-job.ts';
import { jobFindings } from '../shared/job-findings.ts';
import { passwordPage } from '../shared/password-page.ts';
import { timelineOf } from '../shared/timeline.ts';
import { workspace } from '../shared/workspace.ts';
import { secretLines } from './secrets.ts';

const words = () => catalogue().report;

/** A part of the report; its lines are Markdown. */
export interface ReportSection {
  readonly id: 'facts' | 'open' | 'overrides' | 'nodes' | 'services' | 'afterwards' | 'secrets' | 'pods' | 'timeline';
  /** Empty for the facts, which stand first. */
  readonly heading: string;
  readonly lines: readonly string[];
}

/** What the report screen draws. `isWritten`: the file holds what we would write now. */
export interface ReportView {
  readonly path: string;
  readonly isWritten: boolean;
  /** Where to log in; null while it is not known. */
  readonly console: string | null;
  readonly kubeconfig: string;
  readonly sections: readonly ReportSection[];
  /** A job approves expected requests in the background, for nodes that come and go. */
  readonly isFollowing: boolean;
}

/** The finished cluster, as a document for the people who run it. Holds no secret. */
export const reportStep: Step<ReportView> = {
  id: 'report',
  lookEvery: null,
  patience: 0,
  probe,
  plan: async (context, { summary }) => ({
    changes: [{ object: workspace(context.dir).report, what: summary, before: null, after: null }],
    isDangerous: false,
    instructions: [],
  }),
  async apply(context, report) {
    const { report: path } = workspace(context.dir);
    const sections = sectionsOf(context, await seen(context), await secretLines(context));
    const lines = [...linesOf(context, sections), ...timelineOf(readJournal(context.dir))];
    await writeFile(path, `${lines.join('\n')}\n`, { mode: 0o600 });
    report(catalogue().steps.report.done(path));
  },
  async applyOne(context, subject, report) {
    if (subject === FOLLOW.stop) {
      await stopFollowJob(context);
      return report(catalogue().steps.report.notFollowing);
    }
    const { logFile } = await startFollowJob(context);
    report(catalogue().steps.report.following(logFile));
  },
  verify: probe,
  show: passwordPage,
};

/** What `applyOne` of the report does; nothing about the report itself. */
export const FOLLOW = { start: 'follow', stop: 'follow-stop' } as const;

async function probe(context: StepContext): Promise<Probe<ReportView>> {
  const { report: path } = workspace(context.dir);
  const snapshot = await seen(context);
  const sections = sectionsOf(context, snapshot, await secretLines(context));
  const lines = linesOf(context, sections);
  const written = await readFile(path, 'utf8').catch(() => null);
  // While the API does not answer, the written report stands.
  const isCurrent = written !== null && (!snapshot?.nodes || isSame(written.trimEnd().split('\n'), lines));
  const isFollowing = (await followJob(context))?.state === 'running';
  const [, heading = '', , ...told] = timelineOf(readJournal(context.dir));
  const view: ReportView = {
    path,
    isWritten: isCurrent,
    console: consoleOf(snapshot),
    kubeconfig: workspace(context.dir).kubeconfig,
    sections: [...sections, ...(told.length > 0 ? [{ id: 'timeline' as const, heading, lines: told }] : [])],
    isFollowing,
  };
  const { done, needed, outdated } = catalogue().steps.report;
  return {
    state: isCurrent ? 'done' : 'needed',
    summary: isCurrent ? done(path) : written === null ? needed : outdated,
    view,
    findings: [...judge(LEFT_OPEN, openOf(context, snapshot)), ...(await jobFindings(context, FOLLOW_JOB))],
  };
}

/** The line that says when the report was written, counted from 0. */
const WRITTEN_AT = 2;

/** Equal but for the line that says when it was written, and for what happened, which goes on under its heading. */
function isSame(before: readonly string[], facts: readonly string[]): boolean {
  const now = before.length > facts.length ? [...facts, '', words().timeline.heading] : facts;
  const withoutTime = (lines: readonly string[]) => lines.filter((_, index) => index !== WRITTEN_AT);
  return isDeepStrictEqual(withoutTime(before.slice(0, now.length)), withoutTime(now));
}

const seen = (context: StepContext) => look(context, ['nodes', 'clusterVersion', 'operators', 'consoleHost']);

/** What is not as it should be; nothing where the API does not answer. */
function openOf({ design }: StepContext, snapshot: Snapshot | null) {
  const ready = new Set(snapshot?.nodes?.filter(({ isReady }) => isReady).map(({ name }) => name));
  const missing = design.nodes.filter((node) => node.role !== 'bootstrap' && !ready.has(nodeFqdn(design, node)));
  return {
    nodes: snapshot?.nodes ? missing.map(({ name }) => name) : [],
    operators: snapshot?.operators?.filter(({ available, degraded }) => !available || degraded) ?? [],
  };
}

const consoleOf = (snapshot: Snapshot | null) => (snapshot?.consoleHost ? `https://${snapshot.consoleHost}` : null);

/** The file, without what happened. */
function linesOf({ design, clock }: StepContext, sections: readonly ReportSection[]): string[] {
  return [
    redact(words().title(`${design.cluster.name}.${design.cluster.baseDomain}`)),
    '',
    words().written(new Date(clock.now()).toISOString()),
    ...sections.flatMap(({ heading, lines }) => ['', ...(heading === '' ? [] : [heading, '']), ...lines]),
  ];
}

/** Move by move, in their order: which pods left which node, and became Ready where. */
function podLines({ memory }: StepContext): string[] {
  const moved = memory.get('moved-pods') ?? {};
  return MOVE_NAMES.flatMap((move) =>
    (moved[move] ?? []).map(({ doing, did, pod, node, at }) => {
      const time = new Date(at).toISOString().slice(0, 19).replace('T', ' ');
      return sanitizeLine(
        words().pods.line(move, doing === 'undo', time, catalogue().steps.infra.pods[did](pod, node)),
      );
    }),
  );
}

function sectionsOf(
  context: StepContext,
  snapshot: Snapshot | null,
  secrets: readonly string[],
): readonly ReportSection[] {
  const { design } = context;
  const open = openSentences(openOf(context, snapshot));
  const runs = snapshot?.clusterVersion?.version ?? null;
  const versions = judge([versionDiffers], { designed: design.openshift.version, runs });
  const nodes = new Map(snapshot?.nodes?.map((node) => [node.name, node]));
  const rows = design.nodes.map((node) => {
    const fqdn = nodeFqdn(design, node);
    const seen = nodes.get(fqdn);
    const state =
      node.role === 'bootstrap'
        ? words().temporary
        : seen
          ? seen.isReady
            ? words().ready
            : words().notReady
          : words().absent;
    return words().row([fqdn, node.role, node.ip.join(' '), node.mac, `${node.vcpu}`, `${node.memoryGiB}`, state]);
  });
  // Machines of the cloud are in no design.
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
    words().fact(words().console, consoleOf(snapshot) ?? words().absent),
    ...Object.entries(context.memory.get('traffic') ?? {}).map(([move, traffic]) =>
      words().remark(catalogue().steps.traffic.counted(move, traffic)),
    ),
    words().fact(words().kubeconfig, workspace(context.dir).kubeconfig),
  ];
  const table = [words().row(words().columns), words().row(words().columns.map(() => '---')), ...rows, ...others];
  const hosts = serviceHosts(design).map(({ name, ip }) => `- ${name}.${design.cluster.baseDomain} ${ip.join(' ')}`);
  const sections: readonly ReportSection[] = [
    { id: 'facts', heading: '', lines: facts },
    { id: 'open', heading: words().open, lines: open.map((sentence) => `- ${sentence}`) },
    {
      id: 'overrides',
      heading: words().overrides,
      lines: (context.memory.get('check-overrides') ?? []).map(({ checks, reason, by, at }) =>
        words().override(checks.join(', '), sanitizeLine(reason), sanitizeLine(by, 80), sanitizeLine(at, 40)),
      ),
    },
    { id: 'nodes', heading: words().nodes, lines: table },
    { id: 'services', heading: words().services, lines: hosts },
    { id: 'afterwards', heading: words().afterwards, lines: words().advice },
    { id: 'secrets', heading: words().secrets.title, lines: secrets },
    { id: 'pods', heading: words().pods.heading, lines: podLines(context) },
  ];
  return sections.filter(({ lines }) => lines.length > 0).map((one) => ({ ...one, lines: one.lines.map(redact) }));
}
