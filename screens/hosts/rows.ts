import type { ServiceProbeResult } from '../../src/checks/service-hosts.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import type { HostsView, HostView } from '../../src/steps/hosts/index.ts';
import { getStatusTone, type Status, statusText } from '../../src/ui/components/notices.tsx';
import type { TerminalStyle } from '../../src/ui/terminal-style.tsx';

import type { StepRun } from '../../src/wizard/live/step-run.ts';

const words = () => catalogue().screens.hosts;

const STATUS: Readonly<Record<HostView['state'], Status>> = {
  answers: 'ok',
  found: 'ok',
  said: 'pending',
  unfound: 'warning',
  wrong: 'running',
  unreached: 'warning',
  open: 'pending',
  outdated: 'warning',
  copied: 'running',
};
/** A row: a host, or all services that others set up. */
export type HostRow = HostView | { readonly name: null; readonly checks: readonly ServiceProbeResult[] };

/** Lists the rows: every host and, if others set something up, one row for all of that. */
export function listHostRows({ hosts, others }: HostsView): HostRow[] {
  return others.length === 0 ? [...hosts] : [...hosts, { name: null, checks: others }];
}

/** Returns the selected row; the last one if the list became shorter. */
export function getSelectedHost(view: HostsView, row: number): HostRow | undefined {
  const lines = listHostRows(view);
  return lines[Math.min(row, lines.length - 1)];
}

export const createHostColumns = () => [
  { id: 'host', title: words().columns.host, min: 10, max: 24 },
  { id: 'state', title: words().columns.state, min: 21, max: 24 },
  { id: 'address', title: words().columns.address, min: 12, max: 39, priority: 2 },
  { id: 'roles', title: words().columns.roles, min: 8, max: 24, priority: 1 },
];

/** Lists the hosts on which `install.sh` runs from here now, or later in this run; null: none. */
export function listActiveHosts(run: StepRun): readonly string[] | null {
  if (run.phase !== 'applying' || (run.attempt.action !== 'set-up' && run.attempt.action !== 'undo')) return null;
  const [names = ''] = (run.attempt.subject ?? '').split(' ');
  return names.split(',');
}

/** Creates a row of the table. `activeHosts`: the hosts that this run changes. */
export function createHostRow(
  line: HostRow,
  index: number,
  style: TerminalStyle,
  now: number,
  activeHosts: readonly string[] | null,
) {
  if (line.name === null) {
    const status = line.checks.every(({ isOk }) => isOk) ? 'ok' : 'failed';
    return {
      id: '',
      cells: {
        host: words().others,
        state: statusText(status, style, words().states[status === 'ok' ? 'answers' : 'wrong']),
        roles: '',
        address: '',
      },
      tones: { state: getStatusTone(status) },
    };
  }
  const { name, state, roles, address } = line;
  const activity = describeRun(line, style, now) ?? describeActiveHost(line, style, activeHosts);
  return {
    id: name,
    cells: {
      host: words().host(index + 1, name),
      state: activity?.text ?? statusText(STATUS[state], style, words().states[state]),
      roles: roles.join(', '),
      address,
    },
    tones: { state: activity?.tone ?? getStatusTone(STATUS[state]) },
  };
}

/** Returns the state of a run from here: it is more precise than the checks meanwhile. */
function describeRun({ run }: HostView, style: TerminalStyle, now: number) {
  if (run === null || run.state === 'ended') return null;
  const isOpen = run.state === 'open';
  const secondsLeft = run.revertsAt === null ? null : secondsUntil(run.revertsAt, now);
  const label = !isOpen ? words().running : secondsLeft === null ? words().unconfirmed : words().revertsIn(secondsLeft);
  const status = isOpen ? 'warning' : 'running';
  return { text: statusText(status, style, label), tone: getStatusTone(status) };
}

/** A row is as old as the last probe: for a host that the run changes, it shows that instead of the outdated state. */
function describeActiveHost({ name }: HostView, style: TerminalStyle, activeHosts: readonly string[] | null) {
  if (activeHosts === null || !activeHosts.includes(name)) return null;
  const label = activeHosts.length === 1 ? words().running : words().inThisRun;
  return { text: statusText('running', style, label), tone: getStatusTone('running') };
}

/** Whole seconds from now (both ms of the clock), never below 0. */
export const secondsUntil = (at: number, now: number) => Math.max(0, Math.ceil((at - now) / 1000));
