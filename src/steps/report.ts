import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  type Report,
  type ReportPart,
  renderMarkdownPart,
  renderReportHtml,
  renderReportMarkdown,
} from '../artifacts/report.ts';
import type { TimelineRow } from '../artifacts/timeline.ts';
import { runChecks } from '../checks/check.ts';
import { OPEN_ISSUE_CHECKS } from '../checks/open-issues.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { replaceFile } from '../platform/files.ts';
import type { Probe, Step, StepContext } from './contract.ts';
import { createReport, findOpenIssues, getConsoleUrl, readReportSnapshot } from './report/create-report.ts';
import type { ReportSource } from './report/observations.ts';
import { checkUnattendedRequests } from './shared/certificate-requests.ts';
import { createClusterContext } from './shared/cluster-access.ts';
import {
  CSR_APPROVAL_JOB,
  checkJob,
  findCsrApprovalJob,
  startCsrApprovalJob,
  stopCsrApprovalJob,
} from './shared/jobs.ts';
import { buildPasswordPage } from './shared/password-page.ts';
import { workspace } from './shared/workspace.ts';
import { requireTarget } from './step-action.ts';

export { MIN_TIMELINE_COLUMNS, renderTimelineText } from '../artifacts/timeline.ts';

/** A part of the report; its lines are Markdown. */
export interface ReportSection {
  readonly id: ReportPart['id'];
  /** Empty for the facts, which come first. */
  readonly heading: string;
  readonly lines: readonly string[];
}

/** The content of the report screen. `isCurrent`: the file matches what would be written now. */
export interface ReportView {
  readonly path: string;
  readonly isCurrent: boolean;
  /** The URL of the console; null while it is not known. */
  readonly consoleUrl: string | null;
  readonly kubeconfig: string;
  readonly sections: readonly ReportSection[];
  /** Rows of the bar chart, which is shown if the terminal is wide enough. */
  readonly timeline: readonly TimelineRow[];
  /** A job approves expected CSRs in the background, for nodes that come and go. */
  readonly isApprovingCsrs: boolean;
}

/** Writes a document about the finished cluster for its administrators. It holds no secrets. */
export const reportStep: Step<ReportView> = {
  id: 'report',
  probeIntervalMs: null,
  timeoutMs: 0,
  probe,
  plan: async (context) => ({
    changes: [
      { object: workspace(context.dir).report, what: catalogue().steps.report.writeEffect, before: null, after: null },
    ],
    isDangerous: false,
    instructions: [],
  }),
  async apply(context, report) {
    const { report: path, reportHtml } = workspace(context.dir);
    const { renderHtml, renderMarkdown } = await prepareReport(createReportSource(context));
    await replaceFile(reportHtml, renderHtml());
    await replaceFile(path, renderMarkdown());
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
  buildPage: buildPasswordPage,
};

/** Describes the cluster of an install directory as the source of a report. */
const createReportSource = (context: StepContext): ReportSource => ({
  ...createClusterContext(context),
  hasUserDesign: true,
});

/** Creates the report on the cluster as it is now, and the functions that render it. */
export async function prepareReport(source: ReportSource): Promise<{
  readonly report: Report;
  readonly renderHtml: () => string;
  readonly renderMarkdown: () => string;
}> {
  const report = await createReport(source, await readReportSnapshot(source));
  return {
    report,
    renderHtml: () => renderReportHtml(report, source.hasUserDesign ? source.design : null),
    renderMarkdown: () => renderReportMarkdown(report),
  };
}

async function probe(context: StepContext): Promise<Probe<ReportView>> {
  const { report: path, reportHtml, kubeconfig } = workspace(context.dir);
  const source = createReportSource(context);
  const snapshot = await readReportSnapshot(source);
  const report = await createReport(source, snapshot);
  const writtenText = existsSync(reportHtml) ? await readFile(path, 'utf8').catch(() => null) : null;
  // While the API does not answer, the written report stays valid.
  const isCurrent = writtenText !== null && (!snapshot?.nodes || isSameReport(writtenText, report));
  const isApproving = (await findCsrApprovalJob(context))?.state === 'running';
  const view: ReportView = {
    path,
    isCurrent,
    consoleUrl: getConsoleUrl(snapshot),
    kubeconfig,
    sections: report.parts.map((part) => ({
      id: part.id,
      heading: part.heading === '' ? '' : `## ${part.heading}`,
      lines: renderMarkdownPart(part),
    })),
    timeline: report.parts.flatMap((part) => (part.kind === 'timeline' ? part.rows : [])),
    isApprovingCsrs: isApproving,
  };
  const { done, needed, outdated } = catalogue().steps.report;
  return {
    state: isCurrent ? 'done' : 'needed',
    summary: isCurrent ? done(path) : writtenText === null ? needed : outdated,
    view,
    findings: [
      ...checkUnattendedRequests(context, snapshot),
      ...runChecks(OPEN_ISSUE_CHECKS, findOpenIssues(source, snapshot)),
      ...(await checkJob(context, CSR_APPROVAL_JOB)),
    ],
  };
}

/** Index of the line with the time of writing, counted from 0. */
const WRITTEN_AT_LINE_INDEX = 2;

/**
 * Whether a written report.md has the content of this report. The time of writing is not compared, and neither are the
 * parts that change by themselves. The timeline and the events grow with every session, and certificates are renewed.
 * Decided CSRs are deleted after an hour, clients of old APIs come and go, and the commands depend on how the wizard
 * was started.
 */
function isSameReport(writtenText: string, report: Report): boolean {
  const { timeline, requests, events, expiry, usedVersions, update, nextSteps } = catalogue().report;
  const ignoredHeadings = [
    nextSteps,
    ...[timeline, requests, events, expiry, usedVersions, update].map(({ heading }) => heading),
  ];
  const extractSections = (text: string) =>
    text
      .trimEnd()
      .split(/^## /m)
      .filter((part) => !ignoredHeadings.includes(part.split('\n')[0] ?? ''))
      .map((part, index) =>
        (index === 0 ? part.split('\n').toSpliced(WRITTEN_AT_LINE_INDEX, 1).join('\n') : part).trimEnd(),
      );
  return isDeepStrictEqual(extractSections(writtenText), extractSections(renderReportMarkdown(report)));
}
