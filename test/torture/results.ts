import { readFileSync, writeFileSync } from 'node:fs';
import type { Outcome, Row } from './row.ts';

const HEADER = `# Results of the torture tests

Written by \`npm run torture\`; do not edit. Each row shows its last full run. A row has reached its target if it has no
failures and at least as many cases as the target requires. Times depend on the machine.

| row | test | target | last run | failures | repeat with |
| --- | --- | --- | --- | --- | --- |
`;
const FAILURES = '\n## Failures\n';

/** Limit of failures per row; the run itself prints all of them. */
const MAX_FAILURES = 8;

/** The result of one full run of a row. */
export interface RowResult {
  readonly name: string;
  readonly row: Row;
  readonly outcome: Outcome;
  readonly seed: number;
  readonly seconds: number;
  /** ISO date. */
  readonly day: string;
}

/**
 * Writes the results of runs into the file. Rows that did not run stay unchanged.
 * @param names all rows in their order
 */
export function writeResults(file: string, results: readonly RowResult[], names: readonly string[]): void {
  const { lines, failures } = readResults(file);
  for (const { name, row, outcome, seed, seconds, day } of results) {
    const count = outcome.failures.length;
    const verdict =
      count === 0 ? (outcome.cases < row.minCases ? `0, but fewer than ${row.minCases} cases` : '0') : `**${count}**`;
    const cells = [
      name,
      row.description,
      row.target,
      `${outcome.figure}; ${Math.round(seconds)} s, ${day}`,
      verdict,
      `\`npm run torture -- ${name} --seed ${seed}\``,
    ];
    lines.set(name, `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
    const failureLines = outcome.failures
      .slice(0, MAX_FAILURES)
      .map((failure) => `- ${name}: ${formatOneLine(failure)}`);
    if (count > MAX_FAILURES) failureLines.push(`- ${name}: and ${count - MAX_FAILURES} more`);
    failures.set(name, failureLines);
  }
  const known = names.filter((name) => lines.has(name));
  const list = known.flatMap((name) => failures.get(name) ?? []);
  const table = known.map((name) => `${lines.get(name)}\n`).join('');
  writeFileSync(file, HEADER + table + (list.length > 0 ? `${FAILURES}\n${list.join('\n')}\n` : ''));
}

function readResults(file: string): { lines: Map<string, string>; failures: Map<string, string[]> } {
  const lines = new Map<string, string>();
  const failures = new Map<string, string[]>();
  for (const line of readText(file).split('\n')) {
    const row = /^\| ([a-z][a-z0-9-]*) \| /.exec(line)?.[1];
    if (row !== undefined && row !== 'row') lines.set(row, line);
    const failed = /^- ([a-z][a-z0-9-]*): /.exec(line)?.[1];
    if (failed !== undefined) failures.set(failed, [...(failures.get(failed) ?? []), line]);
  }
  return { lines, failures };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Formats a failure as one line of a list, without control characters or formatting. */
function formatOneLine(text: string): string {
  const plain = text.replaceAll(/[^\x20-\x7e]+/g, ' ').replaceAll(/[<`]/g, "'");
  return plain.length > 300 ? `${plain.slice(0, 300)} ...` : plain;
}
