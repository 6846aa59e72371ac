import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCORES, type Score } from './fault.ts';

/** One line of the scoreboard. */
export interface ScoreRow {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly check: Score | 'OK';
  /** Null: `diagnose` was not asked. */
  readonly diagnose: Score | 'OK' | null;
  /** The first failed finding: its id and subject. */
  readonly first: string;
}

/** With this variable set, the scores are written and not compared. */
export const isRecording = process.env.SITE_SCORES === 'write';
/** Only these faults are played: ids with commas between them, or `all`. */
const selectedIds = process.env.SITE_FAULTS === 'all' ? null : (process.env.SITE_FAULTS?.split(',') ?? null);
export const isSelected = (id: string) => selectedIds?.includes(id) ?? true;
const isWhole = isRecording || process.env.SITE_FAULTS !== undefined;

/** A play takes ten seconds: unless scores are recorded or faults are selected, one of three is played. */
export const isPlayed = (id: string, index: number) => isSelected(id) && (isWhole || index % 3 === 0);

/** Prints all about a play that was selected, and appends it to the file that `SITE_PLAYS` names. */
export function showPlay(play: object): void {
  if (process.env.SITE_PLAYS !== undefined) appendFileSync(process.env.SITE_PLAYS, `${JSON.stringify(play)}\n`);
  else if (selectedIds !== null) process.stdout.write(`${JSON.stringify(play, null, 1)}\n`);
}

const getPath = (part: string) => join(import.meta.dirname, `SCORES-${part}.md`);

type Cells = readonly string[];

/** Reads the cells of the recorded rows, by id. */
function readCells(part: string): Map<string, Cells> {
  if (!existsSync(getPath(part))) return new Map();
  const rows = readFileSync(getPath(part), 'utf8')
    .split('\n')
    .filter((line) => /^\| [a-z]/.test(line) && !line.startsWith('| id '))
    .map((line) =>
      line
        .slice(2, -1)
        .split(' | ')
        .map((cell) => cell.trim()),
    );
  return new Map(rows.map((cells) => [cells[0] ?? '', cells]));
}

/** Lists the rows of a scoreboard to be: those that were played, and if faults were selected, the recorded ones. */
function mergeCells(part: string, played: readonly Cells[]): Cells[] {
  const recorded = selectedIds === null ? new Map<string, Cells>() : readCells(part);
  for (const cells of played) recorded.set(cells[0] ?? '', cells);
  return [...recorded.values()];
}

/** Writes the scoreboard of a part: a paragraph, the counts, and a line for each row. */
function writeBoard(
  part: string,
  title: string,
  about: string,
  counts: Cells,
  head: Cells,
  rows: readonly Cells[],
): void {
  const toLine = (cells: Cells) => `| ${cells.join(' | ')} |`;
  const lines = [head, head.map(() => '---'), ...rows].map(toLine);
  writeFileSync(getPath(part), [`# ${title}`, '', about, '', ...counts, '', ...lines, ''].join('\n'));
}

const WRITTEN_BY =
  'Written by the system tests with `SITE_SCORES=write`; otherwise they fail when a score differs from this file.';

const toScore = (cell = '') => (['OK', ...SCORES] as const).find((score) => score === cell) ?? null;

/** Whether scores are compared, and a row has the recorded ones. A play on a busy machine is worth a second one. */
export function isAsRecorded(part: string, { id, check, diagnose }: ScoreRow): boolean {
  const [, , , oldCheck, , oldDiagnose] = readCells(part).get(id) ?? [];
  return isRecording || (oldCheck === check && toScore(oldDiagnose) === diagnose);
}

/**
 * Compares scores with the recorded ones, or records them.
 * @returns a line for each difference: worse ones are regressions, and better ones have to be recorded
 */
export function compareScores(part: string, title: string, rows: readonly ScoreRow[]): string[] {
  if (isRecording) {
    if (rows.length > 0) recordScores(part, title, rows);
    return [];
  }
  const recorded = readCells(part);
  return rows.flatMap(({ id, check, diagnose, first }) => {
    const [, , , oldCheck, , oldDiagnose] = recorded.get(id) ?? [];
    return [
      ...(oldCheck === check
        ? []
        : [`${id}: check was ${oldCheck ?? 'not recorded'}, is ${check} (first failed: ${first || 'nothing'})`]),
      ...(oldCheck === undefined || toScore(oldDiagnose) === diagnose
        ? []
        : [`${id}: diagnose was ${oldDiagnose || 'not asked'}, is ${diagnose ?? 'not asked'}`]),
    ];
  });
}

function recordScores(part: string, title: string, played: readonly ScoreRow[]): void {
  const rows = mergeCells(
    part,
    played.map(({ id, kind, title: what, check, diagnose, first }) => [
      ...[id, kind, what.replaceAll('|', '/'), check, first, diagnose ?? ''],
    ]),
  );
  const count = (name: string, column: number) => {
    const asked = rows.flatMap((cells) => toScore(cells[column]) ?? []);
    const found = ['OK', ...SCORES].flatMap((score) => {
      const own = asked.filter((each) => each === score).length;
      return own === 0 ? [] : `${score} ${own}`;
    });
    return `- ${name}, ${asked.length}: ${found.join(', ')}`;
  };
  const head = ['id', 'kind', 'what', 'check', 'first failed', 'diagnose'];
  writeBoard(part, title, WRITTEN_BY, [count('check', 3), count('diagnose', 5)], head, rows);
}

/** A fault whose first remedy was followed word for word. */
export interface RemedyRow {
  readonly id: string;
  readonly kind: string;
  /** The failure whose remedy was followed: its id and subject. */
  readonly failed: string;
  readonly result: 'MENDED' | 'PART' | 'NOT' | 'WORDS';
  /** Why words alone are left. */
  readonly byHand: string;
}

const RESULT = 3;

/** Compares the results of the remedies with the recorded ones, or records them. Returns a line for each difference. */
export function compareRemedies(part: string, title: string, played: readonly RemedyRow[]): string[] {
  if (!isRecording) {
    const recorded = readCells(part);
    return played.flatMap(({ id, result, failed }) => {
      const before = recorded.get(id)?.[RESULT] ?? 'not recorded';
      return before === result ? [] : [`${id}: was ${before}, is ${result} (followed: ${failed})`];
    });
  }
  const rows = mergeCells(
    part,
    played.map(({ id, kind, failed, result, byHand }) => [id, kind, failed, result, byHand]),
  );
  const counts = (['MENDED', 'PART', 'NOT', 'WORDS'] as const).map(
    (result) => `${result} ${rows.filter((cells) => cells[RESULT] === result).length}`,
  );
  const about =
    'Each fault is planted, the remedy of the first failure is followed with nothing but its words, and the site is checked again. MENDED: nothing fails. PART: this failure is gone, another one is left. NOT: it is still there. WORDS: the remedy has nothing that could be run, and the last column says why.';
  const head = ['id', 'kind', 'first failed', 'result', 'why no command mends it'];
  writeBoard(
    part,
    title,
    `${about}\n\n${WRITTEN_BY}`,
    [`- remedies, ${rows.length}: ${counts.join(', ')}`],
    head,
    rows,
  );
  return [];
}
