import type { OperatorsView } from '../src/steps/operators.ts';
import { screens } from '../src/text/en/screens.ts';
import { ProgressBar } from '../src/ui/components/progress.tsx';
import { Table, type TableRow } from '../src/ui/components/table.tsx';
import { useArea } from '../src/ui/look.tsx';
import { stepPage } from './shared/step-page.tsx';

const words = screens.operators;

/** How far the release is, and the operators that are not there yet first. */
export const operatorsScreen = stepPage<OperatorsView>({
  id: 'operators',
  isWide: true,
  rowCount: ({ operators }) => operators.length,
  Body: ({ view, run, now }) => <Operators view={view} row={run.row} now={now} />,
});

function Operators({ view, row, now }: { readonly view: OperatorsView; readonly row: number; readonly now: number }) {
  const area = useArea();
  const { clusterVersion, operators } = view;
  return (
    <>
      <ProgressBar
        done={clusterVersion?.done ?? (clusterVersion?.available ? 1 : 0)}
        total={clusterVersion?.total ?? 1}
        width={30}
        label={clusterVersion?.message || view.apiDetail || ''}
      />
      <Table
        columns={[
          { id: 'name', title: words.columns.name, min: 20, max: 40 },
          { id: 'available', title: words.columns.available, min: 5, max: 5 },
          { id: 'progressing', title: words.columns.progressing, min: 5, max: 5, priority: 1 },
          { id: 'degraded', title: words.columns.degraded, min: 4, max: 4 },
          { id: 'since', title: words.columns.since, min: 10, max: 11, priority: 2 },
          { id: 'message', title: words.columns.message, min: 16, max: 100, priority: 3 },
        ]}
        rows={operators.map((operator) => operatorRow(operator, now))}
        selected={row}
        height={area.rows - 1}
        empty={view.apiDetail ?? words.none}
      />
    </>
  );
}

function operatorRow(operator: OperatorsView['operators'][number], now: number): TableRow {
  const { name, available, progressing, degraded, since, message } = operator;
  const word = (value: boolean) => (value ? words.yes : words.no);
  return {
    id: name,
    cells: {
      name,
      available: word(available),
      progressing: word(progressing),
      degraded: word(degraded),
      since: since === null ? '' : screens.age(now - since),
      message: available && !degraded && !progressing ? '' : message,
    },
    tones: {
      name: degraded ? 'error' : available ? 'ok' : 'warn',
      degraded: degraded ? 'error' : 'dim',
      available: available ? 'ok' : 'warn',
    },
  };
}
