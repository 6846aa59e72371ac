import { BOOT_STAGES } from '../../src/diagnosis/boot/evidence.ts';
import type { Verdict } from '../../src/diagnosis/certificates/evidence.ts';
import { shortReasons } from '../../src/diagnosis/certificates/short-reasons.ts';
import { HOUR } from '../../src/ports/clock.ts';
import type { CertificatesView } from '../../src/steps/certificates/seen.ts';
import { catalogue } from '../../src/text/catalogue.ts';
import { timeOfDay } from '../../src/text/time-of-day.ts';
import { wrapLines } from '../../src/text/width.ts';
import { type Status, statusText } from '../../src/ui/components/status-mark.tsx';
import type { TableRow } from '../../src/ui/components/table.tsx';
import type { Tone } from '../../src/ui/theme.ts';

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

/** A row: a request, or a node without any sign. */
export type Listed =
  | { readonly kind: 'request'; readonly request: CertificatesView['requests'][number] }
  | { readonly kind: 'missing'; readonly node: CertificatesView['missing'][number] };

/** Sorts by what needs a person first: waiting requests, then nodes without any sign, then the rest. */
export function listOf({ requests, missing }: CertificatesView): readonly Listed[] {
  const waits = ({ verdict }: { readonly verdict: Verdict }) => verdict === 'expected' || verdict === 'refused';
  const rows = (some: typeof requests) => some.map((request): Listed => ({ kind: 'request', request }));
  return [
    ...rows(requests.filter(waits)),
    ...missing.map((node): Listed => ({ kind: 'missing', node })),
    ...rows(requests.filter((request) => !waits(request))),
  ];
}

/**
 * Why the request is not approved automatically; else who sent it, and the key it is for. Shows whole reasons: the
 * number of the others takes the place of those that do not fit.
 */
export function factsOf(listed: Listed, columns: number, height: number): string {
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
export function whoseIs({ shortName, node, requester }: CertificatesView['requests'][number]): string {
  return shortName ?? node ?? requester;
}

/** The age of a request or, when nobody looks any more, its time: an age on the screen would go on. */
function ageText(requestedAt: number | null, now: number, isOver: boolean): string {
  if (requestedAt === null) return '';
  return isOver && now - requestedAt < DAY ? timeOfDay(requestedAt) : catalogue().screens.ageShort(now - requestedAt);
}

const DAY = 24 * HOUR;

/** What the table says of a row. */
export function rowOf(listed: Listed, look: { readonly hasUnicode: boolean }, now: number, isOver: boolean): TableRow {
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
export function missingByStage({ nodes }: CertificatesView): { stage: string; names: string }[] {
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

/** The columns of the table. */
export const columns = (isOver: boolean) => [
  { id: 'node', title: words().columns.node, min: 16, max: 40 },
  { id: 'kind', title: words().columns.kind, min: 8, max: 10, priority: 1 },
  { id: 'age', title: isOver ? words().columns.askedAt : words().columns.age, min: 7, max: 8, priority: 2 },
  { id: 'verdict', title: words().columns.verdict, min: 28, max: 60 },
  { id: 'name', title: words().columns.name, min: 9, max: 24, priority: 3 },
];
