import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Score, Verdict } from './play.ts';

const FILE = fileURLToPath(new URL('../SCOREBOARD.md', import.meta.url));

/** Result of the diagnosis on one healthy site. */
export interface HealthySiteResult {
  readonly name: string;
  readonly moments: number;
  readonly alarms: readonly string[];
}

const VERDICTS: Readonly<Record<Verdict, string>> = {
  first: 'named first',
  named: 'named',
  missed: '**missed**',
  'not playable': 'not playable',
};

/** Cell of the Hive column when no pattern matches. */
const NO_PATTERN = 'nothing';

const HEADER = `# How well the diagnosis names what is wrong

Written by \`npm run torture -- diagnosis\`, never by hand: each line as its last play left it. Each fault of \`rehearse --break\` is planted
on two sites, played by a person who follows the wizard, and judged by the functions of \`upi-wizard diagnose\`, from what they gather themselves: before
power-on, at 10 minutes, at 35 and 60 minutes or when the bootstrap is complete, and 15 and 45 minutes after that. *Named first*: the planted
cause stands at the top each time that anything but a guess is told. *Beside it*: what else was told the last time. Hosts: DNS with ISC
dhcpd, HAProxy and bastion on three machines, 4.18. Bastion: one machine with everything, Kea, 4.20. \`machine-fails\` is a fault of a cloud's machines.
*Hive*: the first of the patterns of OpenShift Hive (test/diagnosis/score/hive.ts) that fits openshift-install's log of the same play, at its end.
They tell where an installation stopped, never why.
`;
const FAULT_TABLE_HEADER =
  '| fault | site | verdict | since | how sure | beside it | Hive |\n| --- | --- | --- | --- | --- | --- | --- |';
const SITE_TABLE_HEADER = '| healthy site | asked | false alarms |\n| --- | --- | --- |';

/** Renders the scoreboard with these plays. Lines about other faults and sites stay as they are in `before`. */
export function renderBoard(before: string, scores: readonly Score[], healthy: readonly HealthySiteResult[]): string {
  const faults = mergeRows(extractRows(before, FAULT_TABLE_HEADER), scores.map(formatScore), 2);
  const sites = mergeRows(extractRows(before, SITE_TABLE_HEADER), healthy.map(formatHealthySite), 1);
  const count = (verdict: Verdict) => faults.filter((line) => line.includes(`| ${VERDICTS[verdict]} |`)).length;
  const withoutAlarms = sites.filter((line) => line.endsWith('| none |')).length;
  const summary = `Named first ${count('first')}, named ${count('named')}, missed ${count('missed')}, not playable ${count('not playable')}; nothing told of ${withoutAlarms} of ${sites.length} healthy sites.`;
  const playable = faults.filter((line) => !line.includes(`| ${VERDICTS['not playable']} |`));
  const matches = playable.filter((line) => !line.endsWith(`| ${NO_PATTERN} |`)).length;
  const hive = `Hive's patterns fit the log of ${matches} of ${playable.length} plays.`;
  return [
    HEADER,
    `${summary} ${hive}\n`,
    [FAULT_TABLE_HEADER, ...faults].join('\n'),
    '',
    [SITE_TABLE_HEADER, ...sites].join('\n'),
    '',
  ].join('\n');
}

function extractRows(text: string, head: string): string[] {
  const rest = text.split(`${head}\n`)[1] ?? '';
  return (
    rest
      .split('\n\n')[0]
      ?.split('\n')
      .filter((line) => line.startsWith('| ')) ?? []
  );
}

/**
 * Replaces old lines by new ones about the same subject.
 * @param cells number of leading cells that identify the subject of a line
 */
function mergeRows(old: readonly string[], updates: readonly string[], cells: number): string[] {
  const getRowKey = (line: string) => line.split(' | ').slice(0, cells).join(' | ');
  const lines = new Map([...old, ...updates].map((line) => [getRowKey(line), line]));
  return [...lines.values()];
}

function formatScore({ fault, site, verdict, since, likelihood, otherFindings, hive }: Score): string {
  const hiveCell = hive ?? (verdict === 'not playable' ? '' : NO_PATTERN);
  return formatRow([fault, site, VERDICTS[verdict], since ?? '', likelihood ?? '', otherFindings.join(', '), hiveCell]);
}

function formatHealthySite({ name, moments, alarms }: HealthySiteResult): string {
  return formatRow([name, `${moments} times`, alarms.length === 0 ? 'none' : `**${alarms.join('; ')}**`]);
}

const formatRow = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

/** Writes plays into test/diagnosis/SCOREBOARD.md. */
export function writeBoard(scores: readonly Score[], healthy: readonly HealthySiteResult[]): void {
  const before = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
  writeFileSync(FILE, renderBoard(before, scores, healthy));
}
