import type { CertificatesView } from '../../src/steps/certificates/seen.ts';
import { ALL_EXPECTED, missingSubject } from '../../src/steps/certificates/subjects.ts';
import { catalogue } from '../../src/text/catalogue.ts';
import { LETTERS } from '../../src/text/letters.ts';
import { Gap } from '../../src/ui/components/label.tsx';
import { Table, tableHeight, wholeTable } from '../../src/ui/components/table.tsx';
import { useArea, useLook } from '../../src/ui/look.tsx';
import { stepPage } from '../shared/step/step-page.tsx';
import { Paragraph, paragraphRows } from '../shared/text.tsx';
import { gridLines, NodeGrid } from './node-grid.tsx';
import { columns, factsOf, type Listed, listOf, missingByStage, rowOf, whoseIs } from './request-rows.ts';

const words = () => catalogue().screens.certificates;

/** Every node's way into the cluster, every request with its verdict in words, and the facts of the selected one. */
export const certificatesScreen = stepPage<CertificatesView>({
  id: 'certificates',
  isWide: true,
  mostNotes: 3,
  isInBody: ({ code }) => code === 'request-refused',
  rowCount: (view) => listOf(view).length,
  bindings: (view, row, run) => {
    const list = listOf(view);
    const selected = list[Math.min(row, list.length - 1)];
    const isFollowing = run.phase === 'applying';
    const why = isFollowing ? { disabled: words().following } : {};
    const hasExpected = view.requests.some(({ verdict }) => verdict === 'expected');
    const all = hasExpected ? why : { disabled: words().noneExpected };
    const one = selected ? { ...approveKey(selected), ...why } : null;
    const show = selected ? { type: 'step/show' as const, subject: subjectOf(selected) } : null;
    return [
      ...(one ? [{ keys: [LETTERS.approveOne], label: catalogue().screens.keys.approveOne, ...one }] : []),
      {
        keys: [LETTERS.allExpected],
        label: catalogue().screens.keys.approveExpected,
        intent: { ...ASK, subject: ALL_EXPECTED },
        ...all,
      },
      ...(show ? [{ keys: [LETTERS.details], label: catalogue().screens.keys.details, intent: show }] : []),
    ];
  },
  cell: (view, row) => {
    const list = listOf(view);
    const selected = list[Math.min(row, list.length - 1)];
    return selected === undefined ? null : selected.kind === 'request' ? selected.request.name : selected.node.name;
  },
  questionOf: ({ requests }, subject) => {
    if (subject === ALL_EXPECTED) {
      const all = requests.filter(({ verdict }) => verdict === 'expected');
      const { questionAll, kinds, neverApproved } = catalogue().steps.certificates;
      const lines = all.map((one) => `${whoseIs(one)}  ${kinds[one.kind]}  ${one.name}`);
      return { question: questionAll(all.length), details: [neverApproved, ...lines] };
    }
    const [name, node] = subject.split('/');
    const request = requests.find((one) => one.name === name);
    const { question, questionTyped, questionFor, typeNode, neverApproved } = catalogue().steps.certificates;
    const why = request?.why ?? [];
    const key = request?.fingerprint ? [words().fingerprint(request.fingerprint)] : [];
    return node === undefined
      ? {
          question: question(name ?? ''),
          details: [questionFor(request === undefined ? '' : whoseIs(request)), ...key, neverApproved],
        }
      : { question: questionTyped(name ?? ''), details: [typeNode(node), ...why, ...key, neverApproved] };
  },
  needed: (view, { phase }, now, look) => {
    const isOver = phase === 'done';
    return wholeTable(
      columns(isOver),
      listOf(view).map((listed) => rowOf(listed, look, now, isOver)),
    );
  },
  Body: ({ view, run, now }) => <Requests view={view} row={run.row} now={now} isOver={run.phase === 'done'} />,
});

const ASK = { type: 'step/ask', action: 'apply-one' } as const;

/** The subject of its page. */
function subjectOf(listed: Listed): string {
  return listed.kind === 'request' ? listed.request.name : missingSubject(listed.node.name);
}

/** An expected one needs a yes; an overrulable one needs the name of its node; no other can be approved. */
function approveKey(listed: Listed) {
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
  /** All have joined: nobody looks any more. */
  readonly isOver: boolean;
}

function Requests({ view, row, now, isOver }: RequestsProps) {
  const area = useArea();
  const look = useLook();
  const missing = missingByStage(view);
  // How many have joined is said of the step.
  const waited = missing.length === 0 ? '' : words().missing(missing);
  const waitedRows = waited === '' ? 0 : paragraphRows(waited, area.columns, area.rows < 9 ? 2 : 3);
  const list = listOf(view);
  const selected = list[Math.min(row, list.length - 1)];
  const facts = selected ? factsOf(selected, area.columns, area.rows < 9 ? 1 : 2) : '';
  const factRows = Math.max(1, paragraphRows(facts, area.columns, area.rows < 9 ? 1 : 2));
  const listed = {
    columns: columns(isOver),
    rows: list.map((one) => rowOf(one, look, now, isOver)),
    selected: Math.min(row, list.length - 1),
  };
  // The list comes first: the grid gets the remaining rows, and a part of them where the list has room for all.
  const spare = area.rows - 1 - waitedRows - factRows - tableHeight(listed, area.columns);
  const most = area.rows < 10 ? 0 : Math.max(2 + Math.floor((area.rows - 9) / 3), spare);
  const gridRows = gridLines(view.nodes, { ...look, columns: area.columns, most }).length;
  return (
    <>
      <Paragraph text={waited} height={waitedRows} />
      <NodeGrid nodes={view.nodes} most={most} />
      <Table
        {...listed}
        height={area.rows - 1 - waitedRows - factRows - gridRows}
        empty={view.apiDetail ?? (missing.length === 0 ? words().noneLeft : words().none)}
      />
      <Gap />
      <Paragraph text={facts} tone="dim" height={factRows} />
    </>
  );
}
