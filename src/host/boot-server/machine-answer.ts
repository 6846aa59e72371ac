import { ensureLanguage } from '../../i18n/catalogue.ts';
import { type BootServerConfig, resolveRoute } from './boot-config.ts';
import type { InstalledMachines } from './boot-status.ts';
import {
  checkMachineReport,
  describeMachineProblem,
  type MachinePlan,
  type MachineProblem,
  parseMachineReport,
  parseNetworkTestRequest,
  parseNetworkTestResult,
  renderNetworkTests,
} from './machine-report.ts';

/** Maximum number of problems that the menu of boot.ipxe shows, one per line. */
const MAX_PROBLEMS = 3;
/** Maximum number of columns of an item in an iPXE menu. */
const MAX_ITEM_COLUMNS = 76;

/**
 * Answers requests that iPXE sends before it installs: its report, the script of its network tests, and their results.
 * @param now ms of the clock
 * @returns null for another request, or if the configuration has no machines
 */
export async function answerMachineRequest(
  target: string,
  client: string,
  config: BootServerConfig,
  now: number,
  installedMachines: InstalledMachines,
): Promise<string | null> {
  const { machines } = config;
  if (machines === undefined) return null;
  const requestingMac = parseNetworkTestRequest(target);
  if (requestingMac !== null) {
    const plan = machines.find(({ mac }) => mac === requestingMac);
    return plan === undefined ? null : renderNetworkTests(plan);
  }
  if (parseNetworkTestResult(target) !== null) return '#!ipxe\n';
  return await answerReport(target, client, config, now, installedMachines);
}

/**
 * Answers the report of a machine with an iPXE script that sets `verdict`, which decides what boot.ipxe does next.
 * `go`: it installs. `stop`: it shows the problems. `scout`: it only tests the network, since no ignition file is
 * served to the machine yet. A machine that is installed, or that the user lets continue at its console, is not
 * stopped.
 */
async function answerReport(
  target: string,
  client: string,
  config: BootServerConfig,
  now: number,
  installedMachines: InstalledMachines,
): Promise<string | null> {
  const report = parseMachineReport(target);
  if (report === null) return null;
  const machines = config.machines ?? [];
  const plan = machines.find(({ mac }) => mac === report.mac) ?? null;
  const isInstalled = installedMachines.findReplacement(client, config) !== null;
  const isOverridden = report.override !== null || installedMachines.isOverridden(report.mac, client, config);
  const problems = isInstalled || isOverridden ? [] : checkMachineReport(report, plan, machines, now);
  if (problems.length > 0) await ensureLanguage();
  const isAwaitingIgnition = plan !== null && !isInstalled && !isIgnitionServed(plan, config);
  return renderAnswer(problems.length > 0 ? 'stop' : isAwaitingIgnition ? 'scout' : 'go', problems);
}

/** Whether the machine may fetch its ignition file. */
function isIgnitionServed({ clients, questions }: MachinePlan, config: BootServerConfig): boolean {
  const url = questions.find(({ id }) => id === 'ignition')?.url;
  if (url === undefined) return true;
  const { pathname } = new URL(url);
  return clients.some((client) => {
    const route = resolveRoute(pathname, client, config);
    return route.kind === 'file';
  });
}

function renderAnswer(verdict: 'go' | 'stop' | 'scout', problems: readonly MachineProblem[]): string {
  const lines = problems.slice(0, MAX_PROBLEMS).map(describeMachineProblem);
  return [
    '#!ipxe',
    `set verdict ${verdict}`,
    // All lines are set, so that no problem of an earlier answer remains.
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
    .slice(0, MAX_ITEM_COLUMNS)
    .trim();
}
