import { catalogue } from '../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../src/i18n/shortcuts.ts';
import { getDisplayWidth } from '../src/platform/text.ts';
import { createRow, EMPTY_ROW, type Viewport } from '../src/rows/page-rows.ts';
import { formatStatusText, getStatusTone, type Status } from '../src/rows/status.ts';
import { layOutTable } from '../src/rows/table.ts';
import { createParagraphRows } from '../src/rows/text.ts';
import type { BootstrapView, StageView } from '../src/steps/bootstrap.ts';
import { LOG_END_POSITION } from '../src/wizard/live/log-position.ts';
import type { StepRun } from '../src/wizard/live/step-run.ts';
import type { Screen } from './shared/bindings.ts';
import { createLogBindings, createSearchTypingBindings, layOutLog } from './shared/log-pane.ts';
import type { DrawnBody } from './shared/step/step-bindings.ts';
import { createStepScreen } from './shared/step/step-page.ts';

const words = () => catalogue().screens.bootstrap;
const keys = () => catalogue().screens.keys;
const STATUS: Readonly<Record<StageView['state'], Status>> = {
  done: 'ok',
  running: 'running',
  stuck: 'warning',
  pending: 'pending',
};
const SMALL_WINDOW_ROWS = 14;
/** In a small window, the running stage and its neighbours are enough. */
const MIN_STAGES = 4;
/** Rows below the stages with the evidence of the running one. */
const EVIDENCE_ROWS = 1;
/** The heading of the log and two lines; equal lines share one. */
const MIN_LOG_ROWS = 3;
/** The heading of the log and five lines: further explanations leave it as many. */
const USUAL_LOG_ROWS = 6;
/** Columns that fit most lines of the installer's log. Help appears beside the log only if this many columns remain. */
const LOG_COLUMNS = 160;

const page = createStepScreen<BootstrapView>({
  id: 'bootstrap',
  watchesSite: true,
  isListFirst: true,
  isIntroOptional: true,
  typingBindings: ({ log }, { logPosition }, { logRows }) =>
    logPosition.searchField === null ? null : createSearchTypingBindings({ ...log, rows: logRows ?? 1 }),
  bindings: ({ log, servedBootstrapIgnition }, _row, { logPosition, phase }, { logRows }) => {
    const [name] = servedBootstrapIgnition?.nodes ?? [];
    const logKeys = createLogBindings({ ...log, rows: logRows ?? 1 }, logPosition);
    if (name === undefined || phase === 'applying' || phase === 'failed') return logKeys;
    const intent = { type: 'step/ask' as const, action: 'apply-one' as const, subject: name };
    return [
      ...logKeys,
      {
        keys: [SHORTCUTS.toggleIgnitionAccess],
        label: keys().denyIgnition,
        shortLabel: keys().denyIgnitionShort,
        intent,
      },
    ];
  },
  getQuestion: (_view, name) => {
    const { end, details } = catalogue().screens.boot.ignition;
    return { question: end(name), details };
  },
  body: (view, run, now, { rows }) => ({
    neededColumns: LOG_COLUMNS,
    listRows: run.logPosition.isFullPage
      ? 0
      : 1 + EVIDENCE_ROWS + (rows < SMALL_WINDOW_ROWS ? MIN_STAGES : view.stages.length),
    layOut: (viewport) => ({ draw: (rows) => drawStages(view, run, now, { ...viewport, rows }) }),
  }),
  help: () => [words().log.legend, words().whyNotTimed, ...Object.values(catalogue().steps.bootstrap.meaning)],
});

/** Shows the stages, the meaning of the running one, and the installer's log below them. */
export const bootstrapScreen: Screen = {
  ...page,
  openLog(state) {
    const bootstrap = { ...state.runs.bootstrap, logPosition: { ...LOG_END_POSITION, isFullPage: true } };
    return { ...state, runs: { ...state.runs, bootstrap } };
  },
};

function drawStages(view: BootstrapView, run: StepRun, now: number, viewport: Viewport): DrawnBody {
  const { rows, columns } = viewport;
  const drawLog = (logRows: number) =>
    layOutLog(view.log, run.logPosition, words().log.empty, { ...viewport, rows: logRows });
  if (run.logPosition.isFullPage) return drawLog(rows);
  const index = view.stages.findIndex(({ state }) => state === 'running' || state === 'stuck');
  const runningStage = view.stages[index];
  const createTable = (top: number, tableRows = rows) =>
    layOutTable(
      { columns: getColumns(run.phase === 'done'), rows: toStageRows(view, now, viewport), selectedIndex: null, top },
      { ...viewport, rows: tableRows },
    );
  // The meaning needs no usual time if the step is done or a column shows the time.
  const isUsualListed = run.phase === 'done' || createTable(0).hasColumn('usual');
  const isEvidenceListed = runningStage?.state !== 'stuck' && createTable(0).hasColumn('evidence');
  const evidenceRows =
    runningStage && !isEvidenceListed ? [createRow(formatEvidence(runningStage, view.changedAt, now))] : [];
  // The meaning describes normal progress: a late stage does not show it. Between two stages and after the last one,
  // there is none.
  const meaning = runningStage && runningStage.state !== 'stuck' ? formatMeaning(runningStage, isUsualListed) : '';
  const createMeaningRows = (height: number) =>
    meaning === '' ? [] : createParagraphRows(meaning, viewport, { tone: 'muted', height });
  // A line that would be truncated is left out.
  const ignitionRows =
    view.servedBootstrapIgnition && getDisplayWidth(view.servedBootstrapIgnition.line) <= columns
      ? [createRow(view.servedBootstrapIgnition.line, 'muted')]
      : [];
  // The stages get rows first, then the log, the meaning of the running stage, and the ignition line. In a small window,
  // a few stages are enough. A finding explains more than the log, which gives way to all stages then.
  const hasFindings = (run.probe?.findings ?? []).length > 0;
  const stageRows = rows - 1 - evidenceRows.length - (hasFindings ? 0 : MIN_LOG_ROWS);
  const visibleStageRows = Math.min(view.stages.length, Math.max(MIN_STAGES, stageRows));
  const hasUntimedStage = view.stages.some((stage, position) => isUntimed(stage, view.stages[position - 1]));
  const shownRows = [...evidenceRows];
  const countFreeRows = () => rows - 1 - visibleStageRows - shownRows.length;
  const meaningRows = createMeaningRows(isUsualListed ? 2 : 3);
  if (meaningRows.length + USUAL_LOG_ROWS <= countFreeRows()) shownRows.push(...meaningRows);
  // The usual time of the stage begins the meaning.
  else if (!isUsualListed && countFreeRows() > 0) shownRows.push(...createMeaningRows(1));
  if (hasUntimedStage && USUAL_LOG_ROWS <= countFreeRows()) shownRows.push(createRow(words().whyNotTimed, 'muted'));
  if (ignitionRows.length + 1 + USUAL_LOG_ROWS <= countFreeRows()) shownRows.push(...ignitionRows, EMPTY_ROW);
  // The table starts with the first stage, unless the running one or the next one would not fit then.
  const top = Math.max(0, Math.min(index + 2, view.stages.length) - visibleStageRows);
  const log = drawLog(Math.max(0, countFreeRows()));
  return {
    ...log,
    rows: [...createTable(top, 1 + visibleStageRows).draw(1 + visibleStageRows), ...shownRows, ...log.rows],
  };
}

const toStageRows = ({ stages }: BootstrapView, now: number, viewport: Viewport) =>
  stages.map((stage, index) => ({
    id: stage.id,
    cells: {
      stage: formatStatusText(STATUS[stage.state], viewport, stage.title),
      took: formatStageTime(stage, stages[index - 1], now),
      usual: stage.usualDuration,
      evidence: stage.evidence,
    },
    tones: { stage: getStatusTone(STATUS[stage.state]) },
  }));

/** Returns the columns of the stages; without the usual time once the step is done. */
const getColumns = (isOver: boolean) => [
  { id: 'stage', title: words().columns.stage, minWidth: 30, maxWidth: 46, keepsCellsUncut: true },
  // The fixed width keeps the other columns in place, for a time of any length and for a stage that was not watched.
  {
    id: 'took',
    title: words().columns.took,
    minWidth: 11,
    maxWidth: 11,
    keepsCellsUncut: true,
    align: 'right' as const,
  },
  ...(isOver
    ? []
    : [
        {
          id: 'usual',
          title: words().columns.usual,
          minWidth: 11,
          maxWidth: 12,
          priority: 2,
          keepsCellsUncut: true,
          align: 'right' as const,
        },
      ]),
  { id: 'evidence', title: words().columns.evidence, minWidth: 40, maxWidth: 90, priority: 3 },
];

const formatMeaning = ({ meaning, usualDuration }: StageView, isUsualListed: boolean) =>
  isUsualListed || usualDuration === '' ? meaning : words().usually(meaning, usualDuration);

/** Formats the time that a stage took, or has lasted so far. */
function formatStageTime(stage: StageView, previous: StageView | undefined, now: number): string {
  if (isDoneAtOnce(stage, previous)) return words().atOnce;
  if (isUntimed(stage, previous)) return words().notWatched;
  if (stage.startedAt === null) return '';
  return catalogue().screens.age((stage.doneAt ?? now) - stage.startedAt);
}

/** Whether the probe that first found the previous stage done found this one done as well. */
const isDoneAtOnce = ({ state, doneAt }: StageView, previous: StageView | undefined) =>
  state === 'done' && Boolean(previous?.startedAt) && doneAt !== null && doneAt === previous?.doneAt;

/** Whether the start or the end of the stage is unknown: it ended between two checks, or while no wizard was open. */
const isUntimed = (stage: StageView, previous: StageView | undefined) =>
  stage.state === 'done' &&
  (stage.startedAt === null || stage.doneAt === stage.startedAt) &&
  !isDoneAtOnce(stage, previous);

function formatEvidence({ evidence, state }: StageView, changedAt: number, now: number): string {
  const unchangedNote = words().quiet(catalogue().screens.age(now - changedAt));
  return state === 'stuck' ? `${unchangedNote}: ${evidence}` : evidence;
}
