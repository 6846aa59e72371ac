import { BOOT_STAGES } from '../../src/checks/boot/checks.ts';
import { formatShortReasons, type RequestVerdict } from '../../src/checks/certificates.ts';

import { catalogue } from '../../src/i18n/catalogue.ts';
import { formatTimeOfDay, HOUR } from '../../src/platform/clock.ts';
import { wrapLines } from '../../src/platform/text.ts';
import type { CertificatesView } from '../../src/steps/certificates/certificates-view.ts';
import { type Status, statusText } from '../../src/ui/components/notices.tsx';
import type { TableRow } from '../../src/ui/components/table.tsx';
import type { Tone } from '../../src/ui/terminal-style.tsx';

const words = () => catalogue().screens.certificates;
const STATUS: Readonly<Record<RequestVerdict, Status>> = {
  expected: 'running',
  refused: 'failed',
  'not-ours': 'skipped',
  decided: 'ok',
  superseded: 'skipped',
};
const TONES: Readonly<Record<RequestVerdict, Tone>> = {
  expected: 'accent',
  refused: 'error',
  'not-ours': 'dim',
  decided: 'ok',
  superseded: 'dim',
};

/** A row: a request, or a node without any sign of booting. */
export type RequestRow =
  | { readonly kind: 'request'; readonly request: CertificatesView['requests'][number] }
  | { readonly kind: 'missing'; readonly node: CertificatesView['missing'][number] };

/** Lists the rows, most urgent first: waiting requests, then nodes without any sign, then the rest. */
export function listRows({ requests, missing }: CertificatesView): readonly RequestRow[] {
  const isWaiting = ({ verdict }: { readonly verdict: RequestVerdict }) =>
    verdict === 'expected' || verdict === 'refused';
  const toRows = (some: typeof requests) => some.map((request): RequestRow => ({ kind: 'request', request }));
  return [
    ...toRows(requests.filter(isWaiting)),
    ...missing.map((node): RequestRow => ({ kind: 'missing', node })),
    ...toRows(requests.filter((request) => !isWaiting(request))),
  ];
}

/**
 * Formats why the request is not approved automatically; otherwise its requester and its key. Reasons are shown whole:
 * a count replaces those that do not fit.
 */
export function formatFacts(listed: RequestRow, columns: number, height: number): string {
  if (listed.kind === 'missing') return words().silentDetail(listed.node.name);
  const { name, requester, fingerprint, verdict, reasons, why } = listed.request;
  if (verdict === 'superseded') return `${name}  ${words().superseded}`;
  if (why.length === 0) return `${name}  ${requester}  ${fingerprint?.slice(0, 16) ?? ''}`;
  const formatWith = (count: number) => {
    const remaining = why.length - count;
    return [`${name} `, ...why.slice(0, count), ...(remaining > 0 ? [words().moreReasons(remaining)] : [])].join(' ');
  };
  const fits = (text: string) => wrapLines(text, columns).length <= height;
  const counts = why.map((_, index) => why.length - index);
  return counts.map(formatWith).find(fits) ?? `${name}  ${formatShortReasons(reasons)}`;
}

function formatVerdict({ verdict, reasons, isUnseen, rejoining }: CertificatesView['requests'][number]): string {
  const short = (code: (typeof reasons)[number]) =>
    code === 'NODE_EXISTS' && rejoining !== null
      ? catalogue().csr.rejoiningShort[rejoining]
      : catalogue().csr.short[code];
  const why = [
    ...(verdict === 'refused' ? reasons.map(short) : []),
    ...(isUnseen ? [words().noBootObserved] : []),
  ].join(', ');
  return why === '' ? words().verdicts[verdict] : `${words().verdicts[verdict]}: ${why}`;
}

/** Returns the owner of a request: the short name of a node of the design; otherwise all that is known of it. */
export function formatOwner({ shortName, node, requester }: CertificatesView['requests'][number]): string {
  return shortName ?? node ?? requester;
}

/** Returns the age of a request; its time once probing has ended, since a displayed age would keep growing. */
function formatRequestAge(requestedAt: number | null, now: number, isOver: boolean): string {
  if (requestedAt === null) return '';
  return isOver && now - requestedAt < DAY
    ? formatTimeOfDay(requestedAt)
    : catalogue().screens.ageShort(now - requestedAt);
}

const DAY = 24 * HOUR;

/** Creates the table row of a request or a missing node. */
export function createRow(
  listed: RequestRow,
  style: { readonly hasUnicode: boolean },
  now: number,
  isOver: boolean,
): TableRow {
  if (listed.kind === 'missing') {
    const { name, minutes } = listed.node;
    const verdict = statusText('warning', style, words().silent(minutes));
    return { id: `/${name}`, cells: { node: name, kind: '', age: '', verdict, name: '' }, tones: { verdict: 'warn' } };
  }
  const { name, kind, verdict, requestedAt } = listed.request;
  return {
    id: name,
    cells: {
      node: formatOwner(listed.request),
      kind: catalogue().steps.certificates.kinds[kind],
      age: formatRequestAge(requestedAt, now, isOver),
      verdict: statusText(STATUS[verdict], style, formatVerdict(listed.request)),
      name,
    },
    tones: { verdict: TONES[verdict] },
  };
}

/** Groups the nodes that have not joined by the stage of their boot, furthest first. */
export function groupMissingByStage({ nodes }: CertificatesView): { stage: string; names: string }[] {
  const open = nodes.filter(({ hasJoined }) => !hasJoined);
  return [...BOOT_STAGES].reverse().flatMap((id) => {
    // The boot of the control plane is not watched here, but a node of it may be Ready.
    const names = open
      .filter(({ stage, isReady }) => (stage ?? (isReady ? 'ready' : 'off')) === id)
      .map(({ name }) => name);
    const stage = id === 'ready' ? words().readyNotJoined : catalogue().steps.boot.stages[id];
    return names.length > 0 ? [{ stage, names: names.join(' ') }] : [];
  });
}

export const createColumns = (isOver: boolean) => [
  { id: 'node', title: words().columns.node, min: 16, max: 40 },
  { id: 'kind', title: words().columns.kind, min: 8, max: 10, priority: 1 },
  { id: 'age', title: isOver ? words().columns.requestedAt : words().columns.age, min: 7, max: 8, priority: 2 },
  { id: 'verdict', title: words().columns.verdict, min: 28, max: 60 },
  { id: 'name', title: words().columns.name, min: 9, max: 24, priority: 3 },
];
