import type { BootServerConfig } from './boot-config.ts';
import type { InstalledMachines } from './boot-status.ts';
import { describeProblem, judgeMachine, type MachineProblem, parseMachineReport } from './machine-report.ts';

/** Lines that the menu of boot.ipxe shows. */
const MAX_PROBLEMS = 3;
/** Columns of an item in a menu of iPXE. */
const MAX_COLUMNS = 76;

/**
 * Answers the report of a machine with a script of iPXE that sets what boot.ipxe does next: `verdict` go, or stop with
 * the problems. A machine that is installed, or that the user at its console lets go on, is not stopped.
 * @param now ms of the clock
 * @returns null: the request is no report, or nothing is known of the design
 */
export function answerMachineReport(
  target: string,
  client: string,
  config: BootServerConfig,
  now: number,
  installed: InstalledMachines,
): string | null {
  const report = parseMachineReport(target);
  if (report === null || config.machines === undefined) return null;
  const plan = config.machines.find(({ mac }) => mac === report.mac) ?? null;
  const isFree =
    report.override !== null ||
    installed.isOverridden(report.mac, client, config) ||
    installed.findReplacement(client, config) !== null;
  const problems = isFree ? [] : judgeMachine(report, plan, config.machines, now);
  return renderAnswer(problems);
}

function renderAnswer(problems: readonly MachineProblem[]): string {
  const lines = problems.slice(0, MAX_PROBLEMS).map(describeProblem);
  return [
    '#!ipxe',
    `set verdict ${lines.length === 0 ? 'go' : 'stop'}`,
    // The lines of an earlier answer are replaced.
    ...Array.from(
      { length: MAX_PROBLEMS },
      (_, index) => `set problem${index + 1} ${toScriptText(lines[index] ?? '')}`,
    ),
    '',
  ].join('\n');
}

/** Keeps the characters that mean nothing to iPXE: no setting, operator, comment or newline. */
function toScriptText(text: string): string {
  return text
    .replaceAll(/[^A-Za-z0-9 .,:;()/_%+-]/g, '?')
    .replaceAll(/ {2,}/g, ' ')
    .slice(0, MAX_COLUMNS)
    .trim();
}
