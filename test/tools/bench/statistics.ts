/** Statistics of the samples of one program, in any unit. */
export interface Quantiles {
  readonly min: number;
  readonly median: number;
  readonly p95: number;
}

/**
 * Computes nearest-rank quantiles of the samples.
 * @throws Error without samples, so that nothing unmeasured is ever shown
 */
export function computeSpread(samples: readonly number[]): Quantiles {
  const sorted = [...samples].sort((a, b) => a - b);
  const quantile = (share: number) => {
    const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
    if (value === undefined || sorted.some(Number.isNaN)) throw new Error('nothing was measured');
    return value;
  };
  return { min: quantile(0), median: quantile(0.5), p95: quantile(0.95) };
}

/** One line of the result. With a reference it has a ratio; `target` limits the ratio or the value. */
export interface ResultLine {
  readonly row: string;
  readonly value: number;
  readonly unit: string;
  readonly reference?: { readonly what: string; readonly value: number };
  readonly target?: { readonly of: 'ratio' | 'value'; readonly most: number };
}

export const computeRatio = ({ value, reference }: ResultLine) => (reference ? value / reference.value : null);

/** Compares the line with its target; an empty result means that it has none. */
export function checkTarget(line: ResultLine): 'ok' | 'over' | '' {
  if (!line.target) return '';
  const measured = line.target.of === 'value' ? line.value : computeRatio(line);
  if (measured === null) throw new Error(`${line.row} has a target for its ratio and no reference`);
  return measured <= line.target.most ? 'ok' : 'over';
}

const formatNumber = (value: number) => value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);

/** Formats the lines as a plain table with column titles. */
export function formatTable(lines: readonly ResultLine[]): string {
  const rows = lines.map((line) => {
    const ratio = computeRatio(line);
    const { target } = line;
    return [
      line.row,
      `${formatNumber(line.value)} ${line.unit}`,
      line.reference ? `${formatNumber(line.reference.value)} ${line.unit} (${line.reference.what})` : '-',
      ratio === null ? '-' : `${formatNumber(ratio)}x`,
      target ? `<= ${target.most}${target.of === 'ratio' ? 'x' : ` ${line.unit}`}` : '-',
      checkTarget(line),
    ];
  });
  const table = [['row', 'value', 'reference', 'ratio', 'target', ''], ...rows];
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0)));
  return table
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
