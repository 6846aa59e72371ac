import { needsAttention, type OperatorState } from '../src/checks/operators.ts';
import { catalogue } from '../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../src/i18n/shortcuts.ts';
import type { OperatorsView } from '../src/steps/operators.ts';
import { getStatusTone, ProgressBar, type Status, statusText } from '../src/ui/components/notices.tsx';
import { Gap, Label, Row } from '../src/ui/components/select.tsx';
import { measureUncutTable, Table, type TableRow } from '../src/ui/components/table.tsx';
import { LogView } from '../src/ui/components/text-views.tsx';
import { AreaProvider, type TerminalStyle, useArea, useTerminalStyle } from '../src/ui/terminal-style.tsx';
import type { StepRun } from '../src/wizard/live/step-run.ts';
import { scrollBindings } from './shared/bindings.ts';
import { renderOperatorDetails } from './shared/live/operator-details.ts';
import { createStepScreen } from './shared/step/step-page.tsx';

const words = () => catalogue().screens.operators;

/**
 * How far the release is, the operators with what each waits for, and the details of the selected one.
 *
 *     [######----] 73 %  Working towards 4.18.11: 640 of 869 done
 *     30 of 33 available, 29 stable (not progressing for 30 s)
 *       Operator        State            Since   Waits for
 *     ▸ ingress         ✖ degraded       5 min   a node that can run its pods
 *       authentication  ◦ not available  5 min   the routers (operator ingress)
 *
 *     ingress waits for a node that can run its pods. That is not normal any more:
 */
export const operatorsScreen = createStepScreen<OperatorsView>({
  id: 'operators',
  isWide: true,
  maxNotes: 5,
  rowCount: ({ operators }) => operators.length,
  cell: (view, row) => {
    const selected = getSelectedOperator(view, row);
    return selected === undefined ? null : selected.message || selected.name;
  },
  bindings: (view, row) => {
    const selected = getSelectedOperator(view, row);
    const showBinding = (key: 'events' | 'password' | 'authority', label: string, subject: string, hidden = false) => ({
      keys: [SHORTCUTS[key]],
      label,
      hidden,
      intent: { type: 'step/show' as const, subject },
    });
    return [
      ...(selected ? scrollBindings(renderOperatorDetails(selected, NARROW_COLUMNS, 0).length, 4) : []),
      ...(selected ? [showBinding('events', catalogue().screens.keys.events, `events/${selected.name}`)] : []),
      // These keys work earlier too, but are offered only once there is a console to log in to.
      showBinding('password', catalogue().screens.keys.password, 'password', view.consoleUrl === null),
      showBinding('authority', catalogue().screens.keys.authority, 'authority', view.consoleUrl === null),
    ];
  },
  neededColumns: ({ operators }, _run, now, style) =>
    measureUncutTable(
      getColumns(100),
      operators.map((operator) => toTableRow(operator, now, style)),
    ),
  Body: ({ view, run, now }) => <Operators view={view} run={run} now={now} />,
});

const NARROW_COLUMNS = 60;

function getSelectedOperator({ operators }: OperatorsView, row: number): OperatorState | undefined {
  return operators[Math.min(row, operators.length - 1)];
}

const getColumns = (width: number) => [
  { id: 'name', title: words().columns.name, min: 16, max: width < 100 ? 24 : 40 },
  { id: 'state', title: words().columns.state, min: 15, max: 20 },
  { id: 'since', title: words().columns.since, min: 8, max: 8, priority: 2 },
  { id: 'waits', title: words().columns.waits, min: 16, max: 100, priority: 1 },
];

function Operators({ view, run, now }: { readonly view: OperatorsView; readonly run: StepRun; readonly now: number }) {
  const area = useArea();
  const style = useTerminalStyle();
  const { clusterVersion, operators } = view;
  const selected = getSelectedOperator(view, run.row);
  const lines = selected ? renderOperatorDetails(selected, area.columns, now) : [];
  // A small window shows the list alone: a key shows the selected operator.
  const isSmall = area.rows < 9;
  const headRows = isSmall ? 1 : 2;
  const bodyRows = Math.max(2, area.rows - headRows);
  // While the user scrolls in the details, the list keeps only the selected row.
  const maxTableRows = run.top > 0 ? 2 : Math.max(3, Math.ceil(bodyRows / 2), bodyRows - 1 - lines.length);
  const tableRows = isSmall ? bodyRows : Math.min(operators.length + 1, maxTableRows);
  const detailRows = isSmall ? 0 : Math.max(0, bodyRows - tableRows - 1);
  const available = operators.filter((operator) => operator.available).length;
  const stable = operators.filter(({ stability }) => stability === 'stable').length;
  return (
    <>
      <Progress version={clusterVersion} label={clusterVersion?.message || view.apiDetail || ''} />
      {!isSmall && (
        <Row>
          <Label tone="dim">{operators.length === 0 ? '' : words().counts(available, stable, operators.length)}</Label>
        </Row>
      )}
      <Table
        columns={getColumns(area.columns)}
        rows={operators.map((operator) => toTableRow(operator, now, style))}
        selected={operators.length === 0 ? null : Math.min(run.row, operators.length - 1)}
        height={tableRows}
        empty={view.apiDetail ?? words().none}
      />
      {detailRows > 0 && <Gap />}
      {detailRows > 0 && (
        <AreaProvider area={{ columns: area.columns, rows: detailRows }}>
          <LogView lines={lines} top={Math.min(run.top, Math.max(0, lines.length - detailRows))} empty="" />
        </AreaProvider>
      )}
    </>
  );
}

/**
 * Shows the progress of the release. There is no bar if the cluster reports only a problem: an empty one would mislead.
 */
function Progress({ version, label }: { readonly version: OperatorsView['clusterVersion']; readonly label: string }) {
  const { columns } = useArea();
  const width = Math.min(30, Math.floor(columns / 4));
  if (version !== null && version.percent === null) {
    return (
      <Row>
        <Label>{label}</Label>
      </Row>
    );
  }
  return <ProgressBar done={version?.percent ?? 0} total={100} width={width} label={label} />;
}

/** Derives the mark beside the state: it shows whether the operator needs the user's attention. */
function deriveStatus(operator: OperatorState): Status {
  if (operator.state === 'fine') return 'ok';
  if (needsAttention(operator)) return operator.state === 'degraded' ? 'failed' : 'warning';
  return operator.state === 'settling' || operator.state === 'progressing' ? 'running' : 'pending';
}

function toTableRow(operator: OperatorState, now: number, style: TerminalStyle): TableRow {
  const { name, state, since, wait } = operator;
  const status = deriveStatus(operator);
  return {
    id: name,
    cells: {
      name,
      state: statusText(status, style, words().states[state]),
      since: since === null ? '' : catalogue().screens.ageShort(now - since),
      // For an unknown wait, the operator's own message is shown.
      waits: wait?.code === 'other' ? operator.message : (wait?.waitsFor ?? ''),
    },
    tones: { state: getStatusTone(status) },
  };
}
