import { BOOT_STAGES } from '../src/diagnosis/boot/evidence.ts';
import type { Verdict } from '../src/diagnosis/certificates/evidence.ts';
import { shortReasons } from '../src/diagnosis/certificates/short-reasons.ts';
import { HOUR } from '../src/ports/clock.ts';
import type { CertificatesView } from '../src/steps/certificates/seen.ts';
import { ALL_EXPECTED, missingSubject } from '../src/steps/certificates/subjects.ts';
import { catalogue } from '../src/text/catalogue.ts';
import { LETTERS } from '../src/text/letters.ts';
import { timeOfDay } from '../src/text/time-of-day.ts';
import { wrapLines } from '../src/text/width.ts';
import { Gap } from '../src/ui/components/label.tsx';
import type { Status } from '../src/ui/components/status-mark.tsx';
import { statusText } from '../src/ui/components/status-mark.tsx';
import { Table, type TableRow, tableHeight, wholeTable } from '../src/ui/components/table.tsx';
import { useArea, useLook } from '../src/ui/look.tsx';
import type { Tone } from '../src/ui/theme.ts';
import { gridLines, NodeGrid } from './shared/node-grid.tsx';
import { stepPage } from './shared/step-page.tsx';
import { Paragraph, paragraphRows } from './shared/text.tsx';

const words = () => catalogue().screens.certificates;
const STATUS: Readonly<Record<Verdict, Status>> = {
  expected: 'running',
  refused: 'failed',
  'not-ours': 'skipped',
  decided: 'ok',
  superseded: 'skipped',
};
const TONES: Readonly<Record<Verdict, Tone>> = {
  expected: 'accent',
  refused: 'error',
  'not-ours': 'dim',
  decided: 'ok',
  superseded: 'dim',
};

type Listed =
  | { readonly kind: 'request'; readonly request: CertificatesView['requests'][number] }
  | { readonly kind: 'missing'; readonly node: CertificatesView['missing'][number] };

/** Sorts by what needs a person first: waiting requests, then nodes without any sign, then the rest. */
function listOf({ requests, missing }: CertificatesView): readonly Listed[] {
  const waits = ({ verdict }: { readonly verdict: Verdict }) => verdict === 'expected' || verdict === 'refused';
  const rows = (some: typeof requests) => some.map((request): Listed => ({ kind: 'request', request }));
  return [
    ...rows(requests.filter(waits)),
    ...missing.map((node): Listed => ({ kind: 'missing', node })),
    ...rows(requests.filter((request) => !waits(request))),
  ];
}

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

/**
 * Why the request is not approved automatically; else who sent it, and the key it is for. Shows whole reasons: the
 * number of the others takes the place of those that do not fit.
 */
function factsOf(listed: Listed, columns: number, height: number): string {
  if (listed.kind === 'missing') return words().silentFacts(listed.node.name);
  const { name, requester, fingerprint, verdict, reasons, why } = listed.request;
  if (verdict === 'superseded') return `${name}  ${words().superseded}`;
  if (why.length === 0) return `${name}  ${requester}  ${fingerprint?.slice(0, 16) ?? ''}`;
  const said = (count: number) => {
    const left = why.length - count;
    return [`${name} `, ...why.slice(0, count), ...(left > 0 ? [words().moreReasons(left)] : [])].join(' ');
  };
  const fits = (text: string) => wrapLines(text, columns).length <= height;
  const counts = why.map((_, index) => why.length - index);
  return counts.map(said).find(fits) ?? `${name}  ${shortReasons(reasons)}`;
}

function verdictText({ verdict, reasons, isUnseen, rejoining }: CertificatesView['requests'][number]): string {
  const short = (code: (typeof reasons)[number]) =>
    code === 'NODE_EXISTS' && rejoining !== null
      ? catalogue().csr.rejoiningShort[rejoining]
      : catalogue().csr.short[code];
  const why = [...(verdict === 'refused' ? reasons.map(short) : []), ...(isUnseen ? [words().unseen] : [])].join(', ');
  return why === '' ? words().verdicts[verdict] : `${words().verdicts[verdict]}: ${why}`;
}

/** Whose a request is: a node of the design by its short name, as everywhere; any other by all that is known of it. */
function whoseIs({ shortName, node, requester }: CertificatesView['requests'][number]): string {
  return shortName ?? node ?? requester;
}

/** The age of a request or, when nobody looks any more, its time: an age on the screen would go on. */
function ageText(requestedAt: number | null, now: number, isOver: boolean): string {
  if (requestedAt === null) return '';
  return isOver && now - requestedAt < DAY ? timeOfDay(requestedAt) : catalogue().screens.ageShort(now - requestedAt);
}

const DAY = 24 * HOUR;

function rowOf(listed: Listed, look: { readonly hasUnicode: boolean }, now: number, isOver: boolean): TableRow {
  if (listed.kind === 'missing') {
    const { name, minutes } = listed.node;
    const verdict = statusText('warning', look, words().silent(minutes));
    return { id: `/${name}`, cells: { node: name, kind: '', age: '', verdict, name: '' }, tones: { verdict: 'warn' } };
  }
  const { name, kind, verdict, requestedAt } = listed.request;
  return {
    id: name,
    cells: {
      node: whoseIs(listed.request),
      kind: catalogue().steps.certificates.kinds[kind],
      age: ageText(requestedAt, now, isOver),
      verdict: statusText(STATUS[verdict], look, verdictText(listed.request)),
      name,
    },
    tones: { verdict: TONES[verdict] },
  };
}

/** The nodes that have not joined, by how far their boot has come, furthest first. */
function missingByStage({ nodes }: CertificatesView): { stage: string; names: string }[] {
  const open = nodes.filter(({ hasJoined }) => !hasJoined);
  return [...BOOT_STAGES].reverse().flatMap((id) => {
    // The control plane has no boot to watch here: Ready it is all the same.
    const names = open
      .filter(({ stage, isReady }) => (stage ?? (isReady ? 'ready' : 'off')) === id)
      .map(({ name }) => name);
    const stage = id === 'ready' ? words().readyNotJoined : catalogue().steps.boot.stages[id];
    return names.length > 0 ? [{ stage, names: names.join(' ') }] : [];
  });
}

const columns = (isOver: boolean) => [
  { id: 'node', title: words().columns.node, min: 16, max: 40 },
  { id: 'kind', title: words().columns.kind, min: 8, max: 10, priority: 1 },
  { id: 'age', title: isOver ? words().columns.askedAt : words().columns.age, min: 7, max: 8, priority: 2 },
  { id: 'verdict', title: words().columns.verdict, min: 28, max: 60 },
  { id: 'name', title: words().columns.name, min: 9, max: 24, priority: 3 },
];

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
