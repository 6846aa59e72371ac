import { BOOT_STAGES } from '../src/diagnosis/boot.ts';
import type { CertificatesView } from '../src/steps/certificates-seen.ts';
import { csr } from '../src/text/en/csr.ts';
import { screens } from '../src/text/en/screens.ts';
import { steps } from '../src/text/en/steps.ts';
import { Gap, Label, Row } from '../src/ui/components/label.tsx';
import type { Status } from '../src/ui/components/status-mark.tsx';
import { statusText } from '../src/ui/components/status-mark.tsx';
import { Table } from '../src/ui/components/table.tsx';
import { useArea, useLook } from '../src/ui/look.tsx';
import type { Tone } from '../src/ui/theme.ts';
import { stepPage } from './shared/step-page.tsx';
import { Paragraph, paragraphRows } from './shared/text.tsx';

const words = screens.certificates;
const STATUS: Readonly<Record<string, Status>> = {
  expected: 'running',
  refused: 'failed',
  'not-ours': 'skipped',
  decided: 'ok',
  superseded: 'skipped',
};
const TONES: Readonly<Record<string, Tone>> = {
  expected: 'accent',
  refused: 'error',
  'not-ours': 'dim',
  decided: 'ok',
  superseded: 'dim',
};

/** Every request with its verdict in words; the selected one's facts under the list. */
export const certificatesScreen = stepPage<CertificatesView>({
  id: 'certificates',
  isWide: true,
  rowCount: ({ requests }) => requests.length,
  bindings: ({ requests }, row) => {
    const selected = requests[Math.min(row, requests.length - 1)];
    if (!selected) return [];
    const ask = { type: 'step/ask', action: 'apply-one' } as const;
    const show = { type: 'step/show', subject: selected.name } as const;
    return [
      { keys: ['a'], label: screens.keys.approveOne, ...approveKey(selected, ask) },
      { keys: ['d'], label: screens.keys.details, intent: show },
    ];
  },
  questionOf: ({ requests }, subject) => {
    const [name, node] = subject.split('/');
    const request = requests.find((one) => one.name === name);
    const { question, questionTyped, questionFor, typeNode, neverApproved } = steps.certificates;
    const why = (request?.reasons ?? []).map((code) => csr.reasons[code]);
    const key = request?.fingerprint ? [words.fingerprint(request.fingerprint)] : [];
    return node === undefined
      ? { question: question(name ?? ''), details: [questionFor(request?.node ?? ''), ...key, neverApproved] }
      : { question: questionTyped(name ?? ''), details: [typeNode(node), ...why, ...key, neverApproved] };
  },
  Body: ({ view, run, now }) => <Requests view={view} row={run.row} now={now} />,
});

/** One that is expected needs a yes; one that a person may overrule the name of its node; no other can be approved. */
function approveKey(
  selected: CertificatesView['requests'][number],
  ask: { readonly type: 'step/ask'; readonly action: 'apply-one' },
) {
  const { name, node, verdict, reasons, isOverrulable } = selected;
  if (verdict === 'expected') return { intent: { ...ask, subject: name } };
  if (isOverrulable && node !== null) {
    return { intent: { ...ask, subject: `${name}/${node}`, words: [node, node.split('.')[0] ?? node] } };
  }
  const disabled = reasons.map((code) => csr.reasons[code]).join(' ') || words.verdicts[verdict];
  return { intent: { ...ask, subject: name }, disabled };
}

/** Why the request is not approved by itself; else who sent it, and the key it is for. */
function factsOf({ name, requester, fingerprint, reasons }: CertificatesView['requests'][number]): string {
  const why = reasons.map((code) => csr.reasons[code]).join(' ');
  return `${name}  ${why || `${requester}  ${fingerprint?.slice(0, 16) ?? ''}`}`;
}

function verdictText(
  verdict: CertificatesView['requests'][number]['verdict'],
  reasons: CertificatesView['requests'][number]['reasons'],
): string {
  const why = verdict === 'refused' ? reasons.map((code) => csr.short[code]).join(', ') : '';
  return why === '' ? words.verdicts[verdict] : `${words.verdicts[verdict]}: ${why}`;
}

/** The nodes that have not joined, by how far their boot has come, the furthest first. */
function missingByStage({ nodes }: CertificatesView): { stage: string; names: string }[] {
  const open = nodes.filter(({ hasJoined }) => !hasJoined);
  return [...BOOT_STAGES].reverse().flatMap((id) => {
    const names = open.filter(({ stage }) => (stage ?? 'off') === id).map(({ name }) => name);
    return names.length > 0 ? [{ stage: steps.boot.stages[id], names: names.join(' ') }] : [];
  });
}

function Requests({ view, row, now }: { readonly view: CertificatesView; readonly row: number; readonly now: number }) {
  const area = useArea();
  const look = useLook();
  const joined = view.nodes.filter(({ hasJoined }) => hasJoined).length;
  const missing = missingByStage(view);
  const selected = view.requests[Math.min(row, view.requests.length - 1)];
  const facts = selected ? factsOf(selected) : '';
  const factRows = Math.max(1, paragraphRows(facts, area.columns, area.rows < 9 ? 1 : 2));
  return (
    <>
      <Row>
        <Label tone={missing.length === 0 ? 'ok' : 'text'}>{words.nodes(joined, view.nodes.length, missing)}</Label>
      </Row>
      <Table
        columns={[
          { id: 'node', title: words.columns.node, min: 16, max: 40 },
          { id: 'kind', title: words.columns.kind, min: 8, max: 10, priority: 1 },
          { id: 'age', title: words.columns.age, min: 6, max: 11, priority: 2 },
          { id: 'verdict', title: words.columns.verdict, min: 28, max: 60 },
          { id: 'name', title: words.columns.name, min: 9, max: 24, priority: 3 },
        ]}
        rows={view.requests.map(({ name, node, requester, kind, verdict, reasons, requestedAt }) => ({
          id: name,
          cells: {
            node: node ?? requester,
            kind: steps.certificates.kinds[kind],
            age: requestedAt === null ? '' : screens.age(now - requestedAt),
            verdict: statusText(STATUS[verdict] ?? 'unknown', look, verdictText(verdict, reasons)),
            name,
          },
          tones: { verdict: TONES[verdict] ?? 'text' },
        }))}
        selected={Math.min(row, view.requests.length - 1)}
        height={area.rows - 2 - factRows}
        empty={view.apiDetail ?? words.none}
      />
      <Gap />
      <Paragraph text={facts} tone="dim" height={factRows} />
    </>
  );
}
