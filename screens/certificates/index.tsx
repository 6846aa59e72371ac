import { catalogue } from '../../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../../src/i18n/shortcuts.ts';
import type { CertificatesView } from '../../src/steps/certificates/certificates-view.ts';
import { ALL_EXPECTED, createMissingNodeSubject } from '../../src/steps/certificates/index.ts';

import { Gap } from '../../src/ui/components/select.tsx';
import { measureUncutTable, Table, tableHeight } from '../../src/ui/components/table.tsx';
import { useArea, useTerminalStyle } from '../../src/ui/terminal-style.tsx';

import { createStepScreen } from '../shared/step/step-page.tsx';
import { countParagraphRows, Paragraph } from '../shared/text.tsx';
import { formatGrid, NodeGrid } from './node-grid.tsx';
import {
  createColumns,
  createRow,
  formatFacts,
  formatOwner,
  groupMissingByStage,
  listRows,
  type RequestRow,
} from './request-rows.ts';

const words = () => catalogue().screens.certificates;

/** The progress of each node into the cluster, each request with its verdict, and the facts of the selected one. */
export const certificatesScreen = createStepScreen<CertificatesView>({
  id: 'certificates',
  isWide: true,
  maxNotes: 3,
  isInBody: ({ code }) => code === 'request-refused',
  rowCount: (view) => listRows(view).length,
  bindings: (view, row, run) => {
    const list = listRows(view);
    const selected = list[Math.min(row, list.length - 1)];
    const isFollowing = run.phase === 'applying';
    const why = isFollowing ? { disabled: words().following } : {};
    const hasExpected = view.requests.some(({ verdict }) => verdict === 'expected');
    const all = hasExpected ? why : { disabled: words().noneExpected };
    const one = selected ? { ...createApproveKey(selected), ...why } : null;
    const show = selected ? { type: 'step/show' as const, subject: getSubject(selected) } : null;
    return [
      ...(one ? [{ keys: [SHORTCUTS.approveOne], label: catalogue().screens.keys.approveOne, ...one }] : []),
      {
        keys: [SHORTCUTS.approveExpected],
        label: catalogue().screens.keys.approveExpected,
        intent: { ...ASK, subject: ALL_EXPECTED },
        ...all,
      },
      ...(show ? [{ keys: [SHORTCUTS.details], label: catalogue().screens.keys.details, intent: show }] : []),
    ];
  },
  cell: (view, row) => {
    const list = listRows(view);
    const selected = list[Math.min(row, list.length - 1)];
    return selected === undefined ? null : selected.kind === 'request' ? selected.request.name : selected.node.name;
  },
  getQuestion: ({ requests }, subject) => {
    if (subject === ALL_EXPECTED) {
      const all = requests.filter(({ verdict }) => verdict === 'expected');
      const { questionAll, kinds, approvalIsFinal } = catalogue().steps.certificates;
      const lines = all.map((one) => `${formatOwner(one)}  ${kinds[one.kind]}  ${one.name}`);
      return { question: questionAll(all.length), details: [approvalIsFinal, ...lines] };
    }
    const [name, node] = subject.split('/');
    const request = requests.find((one) => one.name === name);
    const {
      question,
      questionTyped,
      questionFor,
      typeNode,
      approvalIsFinal: neverApproved,
    } = catalogue().steps.certificates;
    const why = request?.why ?? [];
    const key = request?.fingerprint ? [words().fingerprint(request.fingerprint)] : [];
    return node === undefined
      ? {
          question: question(name ?? ''),
          details: [questionFor(request === undefined ? '' : formatOwner(request)), ...key, neverApproved],
        }
      : { question: questionTyped(name ?? ''), details: [typeNode(node), ...why, ...key, neverApproved] };
  },
  needed: (view, { phase }, now, style) => {
    const isOver = phase === 'done';
    return measureUncutTable(
      createColumns(isOver),
      listRows(view).map((listed) => createRow(listed, style, now, isOver)),
    );
  },
  Body: ({ view, run, now }) => <RequestList view={view} row={run.row} now={now} isOver={run.phase === 'done'} />,
});

const ASK = { type: 'step/ask', action: 'apply-one' } as const;

/** Returns the subject of the details page. */
function getSubject(listed: RequestRow): string {
  return listed.kind === 'request' ? listed.request.name : createMissingNodeSubject(listed.node.name);
}

/** An expected request needs a yes, an overrulable one the name of its node; no other can be approved. */
function createApproveKey(listed: RequestRow) {
  if (listed.kind === 'missing') {
    return { intent: { ...ASK, subject: '' }, disabled: words().notApprovable(listed.node.name) };
  }
  const { name, node, verdict, why, isOverrulable } = listed.request;
  if (verdict === 'expected') return { intent: { ...ASK, subject: name } };
  if (isOverrulable && node !== null) {
    return { intent: { ...ASK, subject: `${name}/${node}`, words: [node, node.split('.')[0] ?? node] } };
  }
  const disabled = why.join(' ') || words().verdicts[verdict];
  return { intent: { ...ASK, subject: name }, disabled };
}

interface RequestsProps {
  readonly view: CertificatesView;
  readonly row: number;
  readonly now: number;
  /** All nodes have joined: probing has ended. */
  readonly isOver: boolean;
}

function RequestList({ view, row, now, isOver }: RequestsProps) {
  const area = useArea();
  const style = useTerminalStyle();
  const missing = groupMissingByStage(view);
  // The state line of the step already counts the nodes that have joined.
  const waitLine = missing.length === 0 ? '' : words().missing(missing);
  const waitRows = waitLine === '' ? 0 : countParagraphRows(waitLine, area.columns, area.rows < 9 ? 2 : 3);
  const list = listRows(view);
  const selected = list[Math.min(row, list.length - 1)];
  const facts = selected ? formatFacts(selected, area.columns, area.rows < 9 ? 1 : 2) : '';
  const factRows = Math.max(1, countParagraphRows(facts, area.columns, area.rows < 9 ? 1 : 2));
  const table = {
    columns: createColumns(isOver),
    rows: list.map((one) => createRow(one, style, now, isOver)),
    selected: Math.min(row, list.length - 1),
  };
  // The list comes first: the grid gets the rows that the list leaves, but at least a share in a window of 10 rows or
  // more.
  const spare = area.rows - 1 - waitRows - factRows - tableHeight(table, area.columns);
  const maxGridRows = area.rows < 10 ? 0 : Math.max(2 + Math.floor((area.rows - 9) / 3), spare);
  const gridRows = formatGrid(view.nodes, { ...style, columns: area.columns, most: maxGridRows }).length;
  return (
    <>
      <Paragraph text={waitLine} height={waitRows} />
      <NodeGrid nodes={view.nodes} most={maxGridRows} />
      <Table
        {...table}
        height={area.rows - 1 - waitRows - factRows - gridRows}
        empty={view.apiDetail ?? (missing.length === 0 ? words().noneLeft : words().none)}
      />
      <Gap />
      <Paragraph text={facts} tone="dim" height={factRows} />
    </>
  );
}
