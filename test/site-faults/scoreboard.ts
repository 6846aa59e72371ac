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

/** Renders the scoreboard of a part: the counts, and a line for each fault. */
function renderScores(title: string, rows: readonly ScoreRow[]): string {
  const counts = (of: 'check' | 'diagnose') => {
    const asked = rows.filter((row) => row[of] !== null);
    const found = ['OK', ...SCORES].flatMap((score) => {
      const count = asked.filter((row) => row[of] === score).length;
      return count === 0 ? [] : `${score} ${count}`;
    });
    return `- ${of}, ${asked.length}: ${found.join(', ')}`;
  };
  const lines = rows.map(
    ({ id, kind, title: what, check, diagnose, first }) =>
      `| ${id} | ${kind} | ${what.replaceAll('|', '/')} | ${check} | ${first} | ${diagnose ?? ''} |`,
  );
  return [
    `# ${title}`,
    '',
    'Written by the system tests with `SITE_SCORES=write`; otherwise they fail when a score differs from this file.',
    '',
    counts('check'),
    counts('diagnose'),
    '',
    '| id | kind | what | check | first failed | diagnose |',
    '| --- | --- | --- | --- | --- | --- |',
    ...lines,
    '',
  ].join('\n');
}

/** Reads the recorded rows by id. */
function readRows(part: string): ReadonlyMap<string, ScoreRow> {
  if (!existsSync(getPath(part))) return new Map();
  const rows = readFileSync(getPath(part), 'utf8')
    .split('\n')
    .filter((line) => /^\| [a-z]/.test(line) && !line.startsWith('| id '))
    .map((line): ScoreRow => {
      const [id = '', kind = '', title = '', check = '', first = '', diagnose = ''] = line
        .slice(2, -1)
        .split(' | ')
        .map((cell) => cell.trim());
      return { id, kind, title, check: toScore(check) ?? 'MISSED', first, diagnose: toScore(diagnose) };
    });
  return new Map(rows.map((row) => [row.id, row]));
}

const toScore = (cell: string) => (['OK', ...SCORES] as const).find((score) => score === cell) ?? null;

/** Whether scores are compared, and a row has the recorded ones. A play on a busy machine is worth a second one. */
export function isAsRecorded(part: string, { id, check, diagnose }: ScoreRow): boolean {
  const recorded = readRows(part).get(id);
  return isRecording || (recorded?.check === check && recorded.diagnose === diagnose);
}

/**
 * Compares scores with the recorded ones, or records them.
 * @returns a line for each difference: worse ones are regressions, and better ones have to be recorded
 */
export function compareScores(part: string, title: string, rows: readonly ScoreRow[]): string[] {
  const recorded = readRows(part);
  if (isRecording) {
    const played = new Map(rows.map((row) => [row.id, row]));
    const all = selectedIds === null ? rows : [...new Map([...recorded, ...played])].map(([, row]) => row);
    if (rows.length > 0) writeFileSync(getPath(part), renderScores(title, all));
    return [];
  }
  return rows.flatMap(({ id, check, diagnose, first }) => {
    const old = recorded.get(id);
    return [
      ...(old?.check === check
        ? []
        : [`${id}: check was ${old?.check ?? 'not recorded'}, is ${check} (first failed: ${first || 'nothing'})`]),
      ...(old === undefined || old.diagnose === diagnose
        ? []
        : [`${id}: diagnose was ${old.diagnose ?? 'not asked'}, is ${diagnose ?? 'not asked'}`]),
    ];
  });
}

/** A fault whose first remedy was followed word for word. */
export interface RemedyRow {
  readonly id: string;
  readonly kind: string;
  /** The failure whose remedy was followed: its id and subject. */
  readonly failed: string;
  readonly result: 'MENDED' | 'PART' | 'NOT' | 'WORDS';
}

/** Compares the results of the remedies with the recorded ones, or records them. Returns a line for each difference. */
export function compareRemedies(title: string, rows: readonly RemedyRow[]): string[] {
  const path = getPath('remedies');
  const render = ({ id, kind, failed, result }: RemedyRow) => `| ${id} | ${kind} | ${failed} | ${result} |`;
  const old = existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => /^\| [a-z]/.test(line))
    : [];
  const recorded = new Map(old.map((line) => [line.split(' | ')[0]?.slice(2) ?? '', line]));
  if (!isRecording)
    return rows.flatMap((row) => {
      const before = recorded.get(row.id) ?? 'not recorded';
      return before.endsWith(`| ${row.result} |`) ? [] : [`${before} was recorded, now ${render(row)}`];
    });
  const lines = new Map([
    ...(selectedIds === null ? [] : recorded),
    ...rows.map((row) => [row.id, render(row)] as const),
  ]);
  lines.delete('id');
  const count = (result: RemedyRow['result']) =>
    [...lines.values()].filter((line) => line.endsWith(`${result} |`)).length;
  const counts = (['MENDED', 'PART', 'NOT', 'WORDS'] as const).map((result) => `${result} ${count(result)}`).join(', ');
  writeFileSync(
    path,
    [
      ...[`# ${title}`, ''],
      'Each fault is planted, the remedy of the first failure is followed with nothing but its words, and the site is checked again. MENDED: nothing fails. PART: this failure is gone, another one is left. NOT: it is still there. WORDS: the remedy has nothing that could be run.',
      ...['', 'Written by the system tests with `SITE_SCORES=write`.', '', `- remedies, ${lines.size}: ${counts}`, ''],
      ...['| id | kind | first failed | result |', '| --- | --- | --- | --- |', ...lines.values(), ''],
    ].join('\n'),
  );
  return [];
}
