import { catalogue } from '../../src/i18n/catalogue.ts';
import { displayWidth, padEnd, truncate, wrapLines } from '../../src/platform/text.ts';
import type { CertificatesView } from '../../src/steps/certificates/certificates-view.ts';
import type { CertificateProgress } from '../../src/steps/certificates/node-membership.ts';

import { Label, Row } from '../../src/ui/components/select.tsx';
import { getGlyphs, useArea, useTerminalStyle } from '../../src/ui/terminal-style.tsx';

const words = () => catalogue().screens.certificates.grid;
type GridNode = CertificatesView['nodes'][number];

const MARKS: Readonly<Record<'unicode' | 'ascii', Readonly<Record<CertificateProgress, string>>>> = {
  unicode: { done: '✔', asked: '?', refused: '✖', open: '·' },
  ascii: { done: '+', asked: '?', refused: 'x', open: '-' },
};

/** Maximum cells of a name in the grid. */
const MAX_NAME_WIDTH = 16;

/**
 * Formats the grid: the meaning of the marks, then a cell for each node. If space is short, joined nodes are left out
 * first. Empty if not even one row of nodes fits.
 */
export function formatGrid(
  nodes: readonly GridNode[],
  { columns, most, hasUnicode }: { readonly columns: number; readonly most: number; readonly hasUnicode: boolean },
): readonly string[] {
  const marks = MARKS[hasUnicode ? 'unicode' : 'ascii'];
  const legend = wrapLines(words().legend(marks), columns);
  const lines = most - legend.length;
  if (nodes.length === 0 || lines < 1) return [];
  // A long name is cut, so that more nodes are visible.
  const nameWidth = Math.min(MAX_NAME_WIDTH, Math.max(...nodes.map(({ name }) => displayWidth(name))));
  const width = nameWidth + 1 + 3;
  const perLine = Math.max(1, Math.floor((columns + 2) / (width + 2)));
  const canShowAll = perLine * lines >= nodes.length;
  const sortedByNeed = [...nodes].sort((a, b) => Number(a.hasJoined) - Number(b.hasJoined));
  const visible = new Set(canShowAll ? nodes : sortedByNeed.slice(0, perLine * lines - 1));
  const shown = nodes.filter((node) => visible.has(node));
  const cells = shown.map(({ name, waves, isReady }) => {
    const states: readonly CertificateProgress[] = [...waves, isReady ? 'done' : 'open'];
    return padEnd(
      `${truncate(name, nameWidth, getGlyphs({ hasUnicode }).ellipsis)} ${states.map((state) => marks[state]).join('')}`,
      width,
      '',
    );
  });
  if (!canShowAll) cells.push(words().more(nodes.length - shown.length));
  const rows: string[] = [];
  for (let index = 0; index < cells.length; index += perLine)
    rows.push(
      cells
        .slice(index, index + perLine)
        .join('  ')
        .trimEnd(),
    );
  return [...legend, ...rows];
}

/**
 * Each node of the design and its progress into the cluster.
 *
 *     Each node: join, serve, Ready. ✔ there  ? asked  ✖ refused  · not yet
 *     m1 ✔✔✔  m2 ✔✔✔  w1 ✔?·  w2 ···
 */
export function NodeGrid({ nodes, most }: { readonly nodes: readonly GridNode[]; readonly most: number }) {
  const { columns } = useArea();
  const lines = formatGrid(nodes, { ...useTerminalStyle(), columns, most });
  return lines.map((text, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: cut names may be equal
    <Row key={index}>
      <Label>{text}</Label>
    </Row>
  ));
}
