import { getShownVerdict, type RequestVerdict, type ShownVerdict } from '../../csr/verdict.ts';
import type { CertificatesView } from './certificates-probe.ts';

/** Verdicts after which a node sends the same CSR again. */
const REPEATED_VERDICTS: ReadonlySet<ShownVerdict> = new Set(['denied', 'failed', 'superseded']);

/** A row: a CSR, or a node without any sign of booting. */
export type RequestRow =
  | {
      readonly kind: 'request';
      readonly request: CertificatesView['requests'][number];
      /** The number of CSRs that the row stands for. */
      readonly count: number;
    }
  | { readonly kind: 'missing'; readonly node: CertificatesView['missingNodes'][number] };

/**
 * Lists the rows, most urgent first: nodes whose CSRs are denied, waiting CSRs, nodes without any sign, then the rest,
 * by node. A node whose CSRs are denied sends another one every few seconds: the latest one stands for all.
 */
export function listRows({
  requests,
  missingNodes,
  nodes,
}: Pick<CertificatesView, 'requests' | 'missingNodes' | 'nodes'>): readonly RequestRow[] {
  const waitingRows = requests.filter(isWaiting).map((request): RequestRow => ({ kind: 'request', request, count: 1 }));
  const groups = Map.groupBy(
    requests.filter((request) => !isWaiting(request)),
    (request) =>
      REPEATED_VERDICTS.has(getShownVerdict(request))
        ? `${formatOwner(request)} ${request.kind} ${getShownVerdict(request)}`
        : request.name,
  );
  const otherRows = [...groups.values()].flatMap((group): RequestRow[] => {
    const [request] = group.toSorted((a, b) => (b.requestedAt ?? 0) - (a.requestedAt ?? 0));
    return request === undefined ? [] : [{ kind: 'request', request, count: group.length }];
  });
  const isDenied = (row: RequestRow) => row.kind === 'request' && isDenialOpen(row.request, nodes);
  return [
    ...otherRows.filter(isDenied),
    ...waitingRows,
    ...missingNodes.map((node): RequestRow => ({ kind: 'missing', node })),
    ...groupByOwner(otherRows.filter((row) => !isDenied(row))),
  ];
}

/** Whether the CSR was denied, or its signer refused it, and its node still needs the certificate. */
function isDenialOpen(request: CertificatesView['requests'][number], nodes: CertificatesView['nodes']): boolean {
  const [join, serve] = nodes.find(({ name }) => name === request.shortName)?.certificateProgress ?? [];
  const progress = request.kind === 'serving' ? serve : join;
  return progress === 'refused' && ['denied', 'failed'].includes(getShownVerdict(request));
}

/** Lists the rows of a node together: in the order of the newest row of each node. */
const groupByOwner = (rows: readonly RequestRow[]): readonly RequestRow[] =>
  [...Map.groupBy(rows, (row) => (row.kind === 'request' ? formatOwner(row.request) : row.node.name)).values()].flat();

/** Whether the user may have to act on the row: the CSR waits, or its node has sent none. */
export const isWaitingRow = (row: RequestRow) => row.kind === 'missing' || isWaiting(row.request);

const isWaiting = ({ verdict }: { readonly verdict: RequestVerdict }) =>
  verdict === 'expected' || verdict === 'refused';

/** Returns the id of a row, which stays the same while the list is sorted again. */
export const getRowId = (row: RequestRow) => (row.kind === 'request' ? row.request.name : row.node.name);

/** Returns the owner of a CSR: the short name of a node of the design; otherwise all that is known of it. */
export function formatOwner({ shortName, node, requester }: CertificatesView['requests'][number]): string {
  return shortName ?? node ?? requester;
}
