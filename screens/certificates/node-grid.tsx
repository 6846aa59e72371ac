import type { WaveState } from '../../src/steps/certificates/members.ts';
import type { CertificatesView } from '../../src/steps/certificates/seen.ts';
import { catalogue } from '../../src/text/catalogue.ts';
import { cut, pad, widthOf, wrapLines } from '../../src/text/width.ts';
import { Label, Row } from '../../src/ui/components/label.tsx';
import { useArea, useLook } from '../../src/ui/look.tsx';
import { glyphs } from '../../src/ui/theme.ts';

const words = () => catalogue().screens.certificates.grid;
type GridNode = CertificatesView['nodes'][number];

const MARKS: Readonly<Record<'unicode' | 'ascii', Readonly<Record<WaveState, string>>>> = {
  unicode: { done: '✔', asked: '?', refused: '✖', open: '·' },
  ascii: { done: '+', asked: '?', refused: 'x', open: '-' },
};

/** Cells of a name in the grid. */
const LONGEST_NAME = 16;

/**
 * The lines of the grid: what the marks mean, then a cell for each node; joined nodes give way where there is no
 * room for all. Empty where not even one row of nodes fits.
 */
export function gridLines(
  nodes: readonly GridNode[],
  { columns, most, hasUnicode }: { readonly columns: number; readonly most: number; readonly hasUnicode: boolean },
): readonly string[] {
  const marks = MARKS[hasUnicode ? 'unicode' : 'ascii'];
  const legend = wrapLines(words().legend(marks), columns);
  const lines = most - legend.length;
  if (nodes.length === 0 || lines < 1) return [];
  // A long name gives way, so that more nodes are in sight.
  const room = Math.min(LONGEST_NAME, Math.max(...nodes.map(({ name }) => widthOf(name))));
  const width = room + 1 + 3;
  const perLine = Math.max(1, Math.floor((columns + 2) / (width + 2)));
  const fits = perLine * lines >= nodes.length;
  const byNeed = [...nodes].sort((a, b) => Number(a.hasJoined) - Number(b.hasJoined));
  const seen = new Set(fits ? nodes : byNeed.slice(0, perLine * lines - 1));
  const shown = nodes.filter((node) => seen.has(node));
  const cells = shown.map(({ name, waves, isReady }) => {
    const states: readonly WaveState[] = [...waves, isReady ? 'done' : 'open'];
    return pad(
      `${cut(name, room, glyphs({ hasUnicode }).ellipsis)} ${states.map((state) => marks[state]).join('')}`,
      width,
      '',
    );
  });
  if (!fits) cells.push(words().more(nodes.length - shown.length));
  const rows: string[] = [];
  for (let at = 0; at < cells.length; at += perLine)
    rows.push(
      cells
        .slice(at, at + perLine)
        .join('  ')
        .trimEnd(),
    );
  return [...legend, ...rows];
}

/**
 * Each node of the design on its way into the cluster.
 *
 *     Each node: join, serve, Ready. ✔ there  ? asked  ✖ refused  · not yet
 *     m1 ✔✔✔  m2 ✔✔✔  w1 ✔?·  w2 ···
 */
export function NodeGrid({ nodes, most }: { readonly nodes: readonly GridNode[]; readonly most: number }) {
  const { columns } = useArea();
  const lines = gridLines(nodes, { ...useLook(), columns, most });
  return lines.map((text, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: cut names may be equal
    <Row key={index}>
      <Label>{text}</Label>
    </Row>
  ));
}
