import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLASSIFIERS } from './classifiers/index.ts';
import type { FieldCase } from './field-case.ts';
import { getWorstVerdict, type Play, VERDICTS } from './score.ts';

const FILE = join(import.meta.dirname, 'SCORES.md');
/** With this variable set, the scores are written and not compared. */
const IS_WRITTEN = process.env.FIELD_SCORES === 'write';

/** A case with its plays, and what the classifiers of others say about the same evidence. */
export interface ScoredCase {
  readonly fieldCase: FieldCase;
  readonly plays: readonly Play[];
  readonly others: readonly (string | null)[];
}

const HEADER = `# How well the diagnosis finds the causes of real failures

Written by \`FIELD_SCORES=write npx vitest run --project unit test/diagnosis/field\`; without the variable, the test fails when the run gives
another file. Each row is a failure of a public thread; its evidence is written again, in each form that people have of it: a log bundle, a
pasted text, the answers of a site. Bundles and texts are read with the design of the site and without. The worst result of all forms counts.

- *first*: the first finding names the cause; nothing is found where everything in the evidence is normal.
- *among three*: a guess (\`possible\`) comes before it, or is named where nothing is wrong.
- *missed*: the first three findings do not have it.
- *falsely accused*: another cause comes first, and is said to be likely or certain.

The other columns show what the public patterns of others say about the same texts. They have other tasks: Hive's name where an installation
stopped, the installer's which service of the bootstrap failed, those of assisted-installer known defects. Each log bundle also holds the noise of a healthy one, with a pull that failed once and was
repeated. They are no judgement of them.
`;

const formatRow = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

function renderTable(cases: readonly ScoredCase[]): string {
  const heads = ['case', 'symptom', 'cause', 'named as', 'result', ...CLASSIFIERS.map(({ name }) => name)];
  const rows = cases.map(({ fieldCase: { id, source, symptom, cause, expected }, plays, others }) => {
    const named = expected.length === 0 ? 'nothing' : expected.join(' or ');
    return [`[${id}](${source})`, symptom, cause, named, getWorstVerdict(plays), ...others.map((each) => each ?? '')];
  });
  return [heads, heads.map(() => '---'), ...rows].map(formatRow).join('\n');
}

function renderCounts(cases: readonly ScoredCase[]): string {
  const counts = VERDICTS.map((verdict) => {
    const count = cases.filter(({ plays }) => getWorstVerdict(plays) === verdict).length;
    return `${verdict} ${count}`;
  });
  const others = CLASSIFIERS.map(({ name }, index) => {
    const count = cases.filter((each) => (each.others[index] ?? null) !== null).length;
    return `${name} says something about ${count}`;
  });
  return `${cases.length} cases: ${counts.join(', ')}. ${others.join(', ')}.`;
}

/** Renders the scoreboard of groups of cases. */
export function renderFieldScores(groups: Readonly<Record<string, readonly ScoredCase[]>>): string {
  const parts = Object.entries(groups).flatMap(([title, cases]) => [
    `## ${title}`,
    renderCounts(cases),
    renderTable(cases),
  ]);
  return `${[HEADER.trimEnd(), ...parts].join('\n\n')}\n`;
}

/** Writes the scoreboard where that is wanted, and returns the recorded one. */
export function recordFieldScores(board: string): string {
  if (IS_WRITTEN) writeFileSync(FILE, board);
  return existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
}
