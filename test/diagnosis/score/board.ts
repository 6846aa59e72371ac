import { writeFileSync } from 'node:fs';
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

/** The scores as a person reads them. @param command repeats the run */
export function boardText(scores: readonly Score[], healthy: readonly Healthy[], command: string): string {
  const count = (verdict: Verdict) => scores.filter((each) => each.verdict === verdict).length;
  const alarms = healthy.reduce((sum, each) => sum + each.alarms.length, 0);
  const moments = healthy.reduce((sum, each) => sum + each.moments, 0);
  return `# How well the diagnosis names what is wrong

Written by \`npm run torture -- diagnosis\`, never by hand. Each fault of \`rehearse --break\` is planted on two sites, played by a
person who follows the wizard, and judged by the functions of \`upi-wizard diagnose\`, from what they gather themselves: before power-on, at
10 minutes, at 35 and 60 minutes or when the bootstrap is complete, and 15 and 45 minutes after that. *Named first*: the planted cause stands at
the top each time that anything but a guess is told. *Beside it*: what else was told the last time. Hosts: DNS with ISC dhcpd,
HAProxy and bastion on three machines, 4.18. Bastion: one machine with everything, Kea, 4.20.

Named first ${count('first')}, named ${count('named')}, missed ${count('missed')}, not playable ${count('not playable')}; ${alarms} false alarms at ${moments} moments of ${healthy.length} healthy sites.

Repeat with \`${command}\`.

## Planted faults

| fault | site | verdict | since | how sure | beside it |
| --- | --- | --- | --- | --- | --- |
${scores.map(scoreLine).join('\n')}

\`machine-fails\` is a fault of a cloud's machines, which no site of one's own has.

## Healthy sites

| site | asked | false alarms |
| --- | --- | --- |
${healthy.map(healthyLine).join('\n')}
`;
}

function scoreLine({ fault, site, verdict, since, likelihood, beside }: Score): string {
  return row([fault, site, VERDICTS[verdict], since ?? '', likelihood ?? '', beside.join(', ')]);
}

function healthyLine({ name, moments, alarms }: Healthy): string {
  return row([name, `${moments} times`, alarms.length === 0 ? 'none' : `**${alarms.join('; ')}**`]);
}

const row = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

/** Writes test/diagnosis/SCOREBOARD.md. */
export function writeBoard(scores: readonly Score[], healthy: readonly Healthy[], command: string): void {
  writeFileSync(FILE, boardText(scores, healthy, command));
}
