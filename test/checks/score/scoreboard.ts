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

const HEADER = `# How well the diagnosis finds the cause

Written by \`npm run torture -- diagnosis\`; do not edit. Each row is from the last run of its fault. Each fault of \`rehearse --break\` is
set on two sites, and a simulated user follows the wizard. The rules of \`upi-wizard diagnose\` are evaluated with the evidence that they gather: before
power-on, after 10 minutes, after 35 and 60 minutes or when the bootstrap is complete, and 15 and 45 minutes after that. *Named first*: the fault
is the first finding whenever the diagnosis is more than a guess. *Beside it*: other findings at the last evaluation. Hosts: DNS with ISC
dhcpd, HAProxy and bastion on three machines, 4.18. Bastion: one machine with all services, Kea, 4.20. \`machine-fails\` is a fault of cloud machines.
*Hive*: the first of the patterns of OpenShift Hive (test/checks/score/hive.ts) that matches the log of openshift-install at the end of the
same run. They show where an installation stopped, not why.
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
  const summary = `Named first ${count('first')}, named ${count('named')}, missed ${count('missed')}, not playable ${count('not playable')}; no findings on ${withoutAlarms} of ${sites.length} healthy sites.`;
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

/** Writes plays into test/checks/SCOREBOARD.md. */
export function writeBoard(scores: readonly Score[], healthy: readonly HealthySiteResult[]): void {
  const before = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
  writeFileSync(FILE, renderBoard(before, scores, healthy));
}
