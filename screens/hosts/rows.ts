import type { ServiceAnswer } from '../../src/diagnosis/hosts/services.ts';
import type { HostsView, HostView } from '../../src/steps/hosts/index.ts';
import { catalogue } from '../../src/text/catalogue.ts';
import { type Status, statusText, toneOf } from '../../src/ui/components/status-mark.tsx';
import type { Look } from '../../src/ui/look.tsx';
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
/** A row: a host, or everything that others set up. */
export type HostLine = HostView | { readonly name: null; readonly checks: readonly ServiceAnswer[] };

/** The rows: every host and, where others set something up, one for all of that. */
export function hostLines({ hosts, others }: HostsView): HostLine[] {
  return others.length === 0 ? [...hosts] : [...hosts, { name: null, checks: others }];
}

/** The row that is selected; the last where the list became shorter. */
export function selectedHost(view: HostsView, row: number): HostLine | undefined {
  const lines = hostLines(view);
  return lines[Math.min(row, lines.length - 1)];
}

/** What the table of hosts says of each. */
export const hostColumns = () => [
  { id: 'host', title: words().columns.host, min: 10, max: 24 },
  { id: 'state', title: words().columns.state, min: 21, max: 24 },
  { id: 'address', title: words().columns.address, min: 12, max: 39, priority: 2 },
  { id: 'roles', title: words().columns.roles, min: 8, max: 24, priority: 1 },
];

/** The hosts on which `install.sh` runs from here now, or will in this run; null: on none. */
export function actingOn(run: StepRun): readonly string[] | null {
  if (run.phase !== 'applying' || (run.tried.action !== 'set-up' && run.tried.action !== 'undo')) return null;
  const [names = ''] = (run.tried.subject ?? '').split(' ');
  return names.split(',');
}

/** A row of the table as it stands now. `acting`: the hosts that are acted on. */
export function hostRow(line: HostLine, index: number, look: Look, now: number, acting: readonly string[] | null) {
  if (line.name === null) {
    const status = line.checks.every(({ isOk }) => isOk) ? 'ok' : 'failed';
    return {
      id: '',
      cells: {
        host: words().others,
        state: statusText(status, look, words().states[status === 'ok' ? 'answers' : 'wrong']),
        roles: '',
        address: '',
      },
      tones: { state: toneOf(status) },
    };
  }
  const { name, state, roles, address } = line;
  const live = liveState(line, look, now) ?? actedOn(line, look, acting);
  return {
    id: name,
    cells: {
      host: words().host(index + 1, name),
      state: live?.text ?? statusText(STATUS[state], look, words().states[state]),
      roles: roles.join(', '),
      address,
    },
    tones: { state: live?.tone ?? toneOf(STATUS[state]) },
  };
}

/** How a run from here stands: it says more than what the services answer meanwhile. */
function liveState({ run }: HostView, look: Look, now: number) {
  if (run === null || run.state === 'ended') return null;
  const isOpen = run.state === 'open';
  const left = run.revertsAt === null ? null : secondsUntil(run.revertsAt, now);
  const said = !isOpen ? words().running : left === null ? words().unconfirmed : words().revertsIn(left);
  const status = isOpen ? 'warning' : 'running';
  return { text: statusText(status, look, said), tone: toneOf(status) };
}

/** A row is as old as the last look: of a host that is acted on it says that, not how the host was before. */
function actedOn({ name }: HostView, look: Look, acting: readonly string[] | null) {
  if (acting === null || !acting.includes(name)) return null;
  const said = acting.length === 1 ? words().running : words().inThisRun;
  return { text: statusText('running', look, said), tone: toneOf('running') };
}

/** Whole seconds from now (both ms of the clock), never below 0. */
export const secondsUntil = (at: number, now: number) => Math.max(0, Math.ceil((at - now) / 1000));
