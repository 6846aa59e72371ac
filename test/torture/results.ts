import { readFileSync, writeFileSync } from 'node:fs';
import type { Outcome, Row } from './row.ts';

const HEADER = `# What upi-wizard was put through

Written by \`npm run torture\`, never by hand: each row as its last full run left it. A row without failures and with
at least as many cases as its target asks for has reached it. Figures of time depend on the machine.

| row | what is done | target | last run | failures | repeat with |
| --- | --- | --- | --- | --- | --- |
`;
const FAILURES = '\n## Failures\n';
/** Of each row; the run itself prints them all. */
const SHOWN = 8;

/** One full run of a row. */
export interface Finished {
  readonly name: string;
  readonly row: Row;
  readonly outcome: Outcome;
  readonly seed: number;
  readonly seconds: number;
  /** ISO date. */
  readonly day: string;
}

/** Puts runs into the file; rows that did not run stay as they are. `names` is the order of the rows. */
export function writeResults(file: string, finished: readonly Finished[], names: readonly string[]): void {
  const { lines, failures } = read(file);
  for (const { name, row, outcome, seed, seconds, day } of finished) {
    const count = outcome.failures.length;
    const verdict =
      count === 0 ? (outcome.cases < row.least ? `0, but fewer than ${row.least} cases` : '0') : `**${count}**`;
    const cells = [
      name,
      row.what,
      row.target,
      `${outcome.figure}; ${Math.round(seconds)} s, ${day}`,
      verdict,
      `\`npm run torture -- ${name} --seed ${seed}\``,
    ];
    lines.set(name, `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
    const shown = outcome.failures.slice(0, SHOWN).map((failure) => `- ${name}: ${oneLine(failure)}`);
    if (count > SHOWN) shown.push(`- ${name}: and ${count - SHOWN} more`);
    failures.set(name, shown);
  }
  const known = names.filter((name) => lines.has(name));
  const list = known.flatMap((name) => failures.get(name) ?? []);
  const table = known.map((name) => `${lines.get(name)}\n`).join('');
  writeFileSync(file, HEADER + table + (list.length > 0 ? `${FAILURES}\n${list.join('\n')}\n` : ''));
}

function read(file: string): { lines: Map<string, string>; failures: Map<string, string[]> } {
  const lines = new Map<string, string>();
  const failures = new Map<string, string[]>();
  for (const line of textOf(file).split('\n')) {
    const row = /^\| ([a-z][a-z0-9-]*) \| /.exec(line)?.[1];
    if (row !== undefined && row !== 'row') lines.set(row, line);
    const failed = /^- ([a-z][a-z0-9-]*): /.exec(line)?.[1];
    if (failed !== undefined) failures.set(failed, [...(failures.get(failed) ?? []), line]);
  }
  return { lines, failures };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** A failure as one line of a list, with nothing in it that draws or formats. */
function oneLine(text: string): string {
  const plain = text.replaceAll(/[^\x20-\x7e]+/g, ' ').replaceAll(/[<`]/g, "'");
  return plain.length > 300 ? `${plain.slice(0, 300)} ...` : plain;
}
