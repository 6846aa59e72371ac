import type { BootstrapView, StageView } from '../src/steps/bootstrap.ts';
import { screens } from '../src/text/en/screens.ts';
import { steps } from '../src/text/en/steps.ts';
import { Gap, Label, Row } from '../src/ui/components/label.tsx';
import { type Status, statusText, toneOf } from '../src/ui/components/status-mark.tsx';
import { Table } from '../src/ui/components/table.tsx';
import { LogView, type TextLine } from '../src/ui/components/text-views.tsx';
import { AreaProvider, useArea, useLook } from '../src/ui/look.tsx';
import { stepPage } from './shared/step-page.tsx';
import { Paragraph, paragraphRows } from './shared/text.tsx';

const words = screens.bootstrap;
const STATUS: Readonly<Record<StageView['state'], Status>> = {
  done: 'ok',
  running: 'running',
  stuck: 'warning',
  pending: 'pending',
};
/** Rows of the table in a window with little room: the running stage stays in sight. */
const LEAST_STAGES = 5;
const LEAST_LOG = 3;

/** The stages, what the running one means, and the installer's log under them. */
export const bootstrapScreen = stepPage<BootstrapView>({
  id: 'bootstrap',
  isWide: true,
  Body: ({ view, now }) => <Stages view={view} now={now} />,
  help: Object.values(steps.bootstrap.meaning),
});

function Stages({ view, now }: { readonly view: BootstrapView; readonly now: number }) {
  const area = useArea();
  const look = useLook();
  const index = view.stages.findIndex(({ state }) => state === 'running' || state === 'stuck');
  const running = view.stages[index];
  const meaning = running?.meaning ?? '';
  const beside = paragraphRows(meaning, area.columns) + 2;
  const rows = Math.max(LEAST_STAGES, Math.min(view.stages.length, area.rows - beside - LEAST_LOG - 1));
  const height = Math.min(rows, view.stages.length) + 1;
  const lines = view.log.map(
    ({ level, text }): TextLine => ({ text: `${level.padEnd(7)} ${text}`, tone: level === 'error' ? 'error' : 'dim' }),
  );
  return (
    <>
      <Table
        columns={[
          { id: 'stage', title: words.columns.stage, min: 30, max: 56 },
          { id: 'took', title: words.columns.took, min: 9, max: 11 },
          { id: 'usual', title: words.columns.usual, min: 10, max: 12, priority: 2 },
        ]}
        rows={view.stages.map((stage) => ({
          id: stage.id,
          cells: {
            stage: statusText(STATUS[stage.state], look, stage.title),
            took: tookText(stage, now),
            usual: stage.usual,
          },
          tones: { stage: toneOf(STATUS[stage.state]) },
        }))}
        selected={null}
        top={Math.max(0, Math.min(index - 2, view.stages.length - height + 1))}
        height={height}
      />
      <Row>
        <Label>{running ? evidenceText(running, view.changedAt, now) : ''}</Label>
      </Row>
      <Paragraph text={meaning} tone="dim" />
      <Gap />
      <AreaProvider area={{ columns: area.columns, rows: Math.max(0, area.rows - height - beside) }}>
        <LogView lines={lines} top={null} />
      </AreaProvider>
    </>
  );
}

/** How long a stage took, or has lasted so far. */
function tookText({ startedAt, doneAt }: StageView, now: number): string {
  if (startedAt === null) return '';
  return doneAt === null ? words.running(screens.age(now - startedAt)) : screens.age(doneAt - startedAt);
}

function evidenceText({ evidence, state }: StageView, changedAt: number, now: number): string {
  const quiet = words.quiet(screens.age(now - changedAt));
  return state === 'stuck' ? `${quiet}: ${evidence}` : evidence;
}
