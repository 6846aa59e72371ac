import { catalogue } from '../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../src/i18n/shortcuts.ts';
import { displayWidth } from '../src/platform/text.ts';
import type { BootstrapView, StageView } from '../src/steps/bootstrap.ts';
import { getStatusTone, type Status, statusText } from '../src/ui/components/notices.tsx';
import { Gap, Label, Row } from '../src/ui/components/select.tsx';
import { listShownColumns, Table } from '../src/ui/components/table.tsx';
import { AreaProvider, useArea, useTerminalStyle } from '../src/ui/terminal-style.tsx';
import type { StepRun } from '../src/wizard/live/step-run.ts';
import { getSearchIntent, LogPane, logBindings, searchBindings } from './shared/live/log-pane.tsx';
import { createStepScreen } from './shared/step/step-page.tsx';
import { countParagraphRows, Paragraph } from './shared/text.tsx';

const words = () => catalogue().screens.bootstrap;
const keys = () => catalogue().screens.keys;
const STATUS: Readonly<Record<StageView['state'], Status>> = {
  done: 'ok',
  running: 'running',
  stuck: 'warning',
  pending: 'pending',
};
const SMALL_WINDOW_ROWS = 14;
const MIN_STAGES = 3;

/** Shows the stages, the meaning of the running one, and the installer's log below them. */
export const bootstrapScreen = createStepScreen<BootstrapView>({
  id: 'bootstrap',
  isWide: true,
  typing: ({ log }, { logPosition }) => (logPosition.searchField === null ? null : searchBindings(log)),
  bindings: ({ log, exposure }, _row, { logPosition, phase }) => {
    const [name] = exposure?.nodes ?? [];
    if (name === undefined || phase === 'applying' || phase === 'failed') return logBindings(log, logPosition);
    const intent = { type: 'step/ask' as const, action: 'apply-one' as const, subject: name };
    return [...logBindings(log, logPosition), { keys: [SHORTCUTS.toggleIgnition], label: keys().endIgnition, intent }];
  },
  getQuestion: (_view, name) => {
    const { end, details } = catalogue().screens.boot.ignition;
    return { question: end(name), details };
  },
  onText: (state, event) => getSearchIntent(state.runs.bootstrap.logPosition, event),
  Body: ({ view, run, now }) => <Stages view={view} run={run} now={now} />,
  help: () => [words().log.legend, ...Object.values(catalogue().steps.bootstrap.meaning)],
});

function Stages({ view, run, now }: { readonly view: BootstrapView; readonly run: StepRun; readonly now: number }) {
  const area = useArea();
  const style = useTerminalStyle();
  if (run.logPosition.isFullPage)
    return <LogPane log={view.log} position={run.logPosition} empty={words().log.empty} />;
  const index = view.stages.findIndex(({ state }) => state === 'running' || state === 'stuck');
  const running = view.stages[index];
  const table = {
    columns: getColumns(),
    rows: view.stages.map((stage) => ({
      id: stage.id,
      cells: {
        stage: statusText(STATUS[stage.state], style, stage.title),
        took: formatStageTime(stage, now),
        usual: stage.usual,
      },
      tones: { stage: getStatusTone(STATUS[stage.state]) },
    })),
  };
  const isUsualListed = listShownColumns(table, area.columns).includes('usual');
  const meaning = running ? formatMeaning(running, isUsualListed) : '';
  const maxMeaningRows = isUsualListed ? 2 : 3;
  // In a small window, the running stage and its neighbours are enough, and the log keeps some lines.
  const isSmall = area.rows < SMALL_WINDOW_ROWS;
  // In a narrow window the help page has it.
  const exposure = view.exposure && displayWidth(view.exposure.line) <= area.columns ? view.exposure : null;
  // Between two stages and after the last one, there is no meaning to show.
  const meaningRows = running ? 1 + countParagraphRows(meaning, area.columns, maxMeaningRows) : 0;
  const otherRows = meaningRows + (isSmall ? 0 : 1) + (exposure ? 1 : 0);
  const freeRows = area.rows - 1 - otherRows - (isSmall ? 3 : 4);
  const height = 1 + Math.min(view.stages.length, Math.max(MIN_STAGES, freeRows));
  return (
    <>
      <Table
        {...table}
        selected={null}
        top={Math.max(0, Math.min(index < 0 ? view.stages.length : index - 1, view.stages.length - height + 1))}
        height={height}
      />
      {running && (
        <>
          <Row>
            <Label>{formatEvidence(running, view.changedAt, now)}</Label>
          </Row>
          <Paragraph text={meaning} tone="dim" height={maxMeaningRows} />
        </>
      )}
      {exposure && (
        <Row>
          <Label tone="dim">{exposure.line}</Label>
        </Row>
      )}
      {!isSmall && <Gap />}
      <AreaProvider area={{ columns: area.columns, rows: Math.max(0, area.rows - height - otherRows) }}>
        <LogPane log={view.log} position={run.logPosition} empty={words().log.empty} />
      </AreaProvider>
    </>
  );
}

const getColumns = () => [
  { id: 'stage', title: words().columns.stage, min: 30, max: 46, isWhole: true },
  { id: 'took', title: words().columns.took, min: 9, max: 11, isWhole: true },
  { id: 'usual', title: words().columns.usual, min: 11, max: 12, priority: 2, isWhole: true },
];

const formatMeaning = ({ meaning, usual }: StageView, isUsualListed: boolean) =>
  isUsualListed || usual === '' ? meaning : words().usually(meaning, usual);

/** Formats the time that a stage took, or has lasted so far. */
function formatStageTime({ state, startedAt, doneAt }: StageView, now: number): string {
  // The wizard was opened late or was closed meanwhile: the begin or the end of the stage is unknown.
  if (state === 'done' && (startedAt === null || doneAt === startedAt)) return words().notWatched;
  if (startedAt === null) return '';
  return catalogue().screens.age((doneAt ?? now) - startedAt);
}

function formatEvidence({ evidence, state }: StageView, changedAt: number, now: number): string {
  const quiet = words().quiet(catalogue().screens.age(now - changedAt));
  return state === 'stuck' ? `${quiet}: ${evidence}` : evidence;
}
