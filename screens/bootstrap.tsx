import type { BootstrapView } from '../src/steps/bootstrap.ts';
import { screens } from '../src/text/en/screens.ts';
import { steps } from '../src/text/en/steps.ts';
import { Gap, Label, Row } from '../src/ui/components/label.tsx';
import { statusText } from '../src/ui/components/status-mark.tsx';
import { Table } from '../src/ui/components/table.tsx';
import { LogView, type TextLine } from '../src/ui/components/text-views.tsx';
import { AreaProvider, useArea, useLook } from '../src/ui/look.tsx';
import { stepPage } from './shared/step-page.tsx';
import { Paragraph, paragraphRows } from './shared/text.tsx';

const words = screens.bootstrap;
const STATUS = { done: 'ok', running: 'running', pending: 'pending' } as const;

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
  const running = view.stages.find(({ state }) => state === 'running');
  const height = view.stages.length + 1;
  const meaning = running?.meaning ?? '';
  const lines = view.log.map(
    ({ level, text }): TextLine => ({ text: `${level.padEnd(7)} ${text}`, tone: level === 'error' ? 'error' : 'dim' }),
  );
  return (
    <>
      <Table
        columns={[
          { id: 'stage', title: words.columns.stage, min: 30, max: 54 },
          { id: 'since', title: words.columns.since, min: 8, max: 10 },
          { id: 'usual', title: words.columns.usual, min: 16, max: 34, priority: 2 },
        ]}
        rows={view.stages.map(({ id, title, state, since, usual }) => ({
          id,
          cells: {
            stage: statusText(STATUS[state], look, title),
            since: since === null ? '' : screens.age(now - since),
            usual,
          },
          tones: { stage: state === 'done' ? 'ok' : state === 'running' ? 'accent' : 'dim' },
        }))}
        selected={null}
        height={height}
      />
      <Row>
        <Label>{running ? `${running.evidence}` : ''}</Label>
      </Row>
      <Paragraph text={meaning} tone="dim" />
      <Gap />
      <AreaProvider
        area={{
          columns: area.columns,
          rows: Math.max(0, area.rows - height - 2 - paragraphRows(meaning, area.columns)),
        }}
      >
        <LogView lines={lines} top={null} />
      </AreaProvider>
    </>
  );
}
