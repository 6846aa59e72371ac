/** One side of a comparison: the samples of the runs, in any unit. */
export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly p95: number;
}

/** Nearest-rank quantiles of the samples; throws without any, so that nothing unmeasured is ever shown. */
export function spreadOf(samples: readonly number[]): Spread {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (share: number) => {
    const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
    if (value === undefined || sorted.some(Number.isNaN)) throw new Error('nothing was measured');
    return value;
  };
  return { min: at(0), median: at(0.5), p95: at(0.95) };
}

/** One line of the result. It has a ratio where there is a reference; `target` limits the ratio or the value. */
export interface Line {
  readonly row: string;
  readonly value: number;
  readonly unit: string;
  readonly reference?: { readonly what: string; readonly value: number };
  readonly target?: { readonly of: 'ratio' | 'value'; readonly most: number };
}

export const ratioOf = ({ value, reference }: Line) => (reference ? value / reference.value : null);

/** Whether the line meets its target; empty where it has none. */
export function verdictOf(line: Line): 'ok' | 'over' | '' {
  if (!line.target) return '';
  const measured = line.target.of === 'value' ? line.value : ratioOf(line);
  if (measured === null) throw new Error(`${line.row} has a target for its ratio and no reference`);
  return measured <= line.target.most ? 'ok' : 'over';
}

const number = (value: number) => value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);

/** The lines as a plain table with titles. */
export function formatTable(lines: readonly Line[]): string {
  const rows = lines.map((line) => {
    const ratio = ratioOf(line);
    const { target } = line;
    return [
      line.row,
      `${number(line.value)} ${line.unit}`,
      line.reference ? `${number(line.reference.value)} ${line.unit} (${line.reference.what})` : '-',
      ratio === null ? '-' : `${number(ratio)}x`,
      target ? `<= ${target.most}${target.of === 'ratio' ? 'x' : ` ${line.unit}`}` : '-',
      verdictOf(line),
    ];
  });
  const all = [['row', 'value', 'reference', 'ratio', 'target', ''], ...rows];
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0)));
  return all
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
