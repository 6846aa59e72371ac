import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Score, Verdict } from './play.ts';

const FILE = fileURLToPath(new URL('../SCOREBOARD.md', import.meta.url));

/** What was told of one healthy site. */
export interface Healthy {
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

/** In the column of Hive: no pattern fits. */
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
const FAULTS =
  '| fault | site | verdict | since | how sure | beside it | Hive |\n| --- | --- | --- | --- | --- | --- | --- |';
const SITES = '| healthy site | asked | false alarms |\n| --- | --- | --- |';

/** The board with these plays in it; lines of others stay as they are in `before`. */
export function boardText(before: string, scores: readonly Score[], healthy: readonly Healthy[]): string {
  const faults = merged(linesOf(before, FAULTS), scores.map(scoreLine), 2);
  const sites = merged(linesOf(before, SITES), healthy.map(healthyLine), 1);
  const count = (verdict: Verdict) => faults.filter((line) => line.includes(`| ${VERDICTS[verdict]} |`)).length;
  const quiet = sites.filter((line) => line.endsWith('| none |')).length;
  const sum = `Named first ${count('first')}, named ${count('named')}, missed ${count('missed')}, not playable ${count('not playable')}; nothing told of ${quiet} of ${sites.length} healthy sites.`;
  const played = faults.filter((line) => !line.includes(`| ${VERDICTS['not playable']} |`));
  const fits = played.filter((line) => !line.endsWith(`| ${NO_PATTERN} |`)).length;
  const hive = `Hive's patterns fit the log of ${fits} of ${played.length} plays.`;
  return [HEADER, `${sum} ${hive}\n`, [FAULTS, ...faults].join('\n'), '', [SITES, ...sites].join('\n'), ''].join('\n');
}

function linesOf(text: string, head: string): string[] {
  const rest = text.split(`${head}\n`)[1] ?? '';
  return (
    rest
      .split('\n\n')[0]
      ?.split('\n')
      .filter((line) => line.startsWith('| ')) ?? []
  );
}

/** New lines in the place of those about the same. @param cells how many cells say what a line is about */
function merged(old: readonly string[], fresh: readonly string[], cells: number): string[] {
  const about = (line: string) => line.split(' | ').slice(0, cells).join(' | ');
  const lines = new Map([...old, ...fresh].map((line) => [about(line), line]));
  return [...lines.values()];
}

function scoreLine({ fault, site, verdict, since, likelihood, beside, hive }: Score): string {
  const said = hive ?? (verdict === 'not playable' ? '' : NO_PATTERN);
  return row([fault, site, VERDICTS[verdict], since ?? '', likelihood ?? '', beside.join(', '), said]);
}

function healthyLine({ name, moments, alarms }: Healthy): string {
  return row([name, `${moments} times`, alarms.length === 0 ? 'none' : `**${alarms.join('; ')}**`]);
}

const row = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

/** Puts plays into test/diagnosis/SCOREBOARD.md. */
export function writeBoard(scores: readonly Score[], healthy: readonly Healthy[]): void {
  const before = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
  writeFileSync(FILE, boardText(before, scores, healthy));
}
