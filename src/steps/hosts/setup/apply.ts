import { type RunPlace, runOnHost } from '../../../bastion/host-run.ts';
import type { ServiceHost } from '../../../design/model.ts';
import { SECOND } from '../../../ports/clock.ts';
import { catalogue } from '../../../text/catalogue.ts';
import type { StepContext } from '../../contract.ts';
import { outputOf } from '../../shared/files/output.ts';
import { liveStage } from '../../shared/hosts/live-stage.ts';
import { forgetPut, noteAsPut } from '../../shared/hosts/put-in-place.ts';
import { isAsBefore } from './as-before.ts';
import { checkHost, failing } from './checks.ts';
import type { HostEvent, RunEnd } from './events.ts';
import { followRun, outlast } from './follow.ts';
import { noting, unfollow } from './noted.ts';
import { runPlace } from './place.ts';
import { type HostPlan, parsePlan, parseStatus, type RunStatus } from './records.ts';

/** How long a change that could cut us or the cluster off waits for its confirmation, in seconds. */
export const REVERTS_AFTER = 120;
/** Between two rounds of checks. */
const PAUSE = 2 * SECOND;

/** What the kinds of files are read by: with a wrong one the cluster or we are cut off. */
const CUTTING = new Set(['bind-conf', 'bind-zone', 'haproxy', 'keepalived', 'isc-dhcpd', 'kea-dhcp4', 'firewall']);

interface Options {
  readonly tell: (event: HostEvent) => void;
  /** Seconds; default `REVERTS_AFTER`. */
  readonly revertsAfter?: number;
}

/**
 * Has `install.sh` run on a host by itself, tells what it says, and asks the checks of that host. What could cut us or the
 * cluster off goes back by itself, on the host's own watch, unless they pass in time: only then it is confirmed. A run that is
 * found under way, or unconfirmed, is taken up where it is.
 * @param before the host as it was shown
 * @throws TroubleError `ssh-…`, `host-…` when it cannot be begun
 */
export async function applyToHost(
  context: StepContext,
  host: ServiceHost,
  before: HostPlan | null,
  { tell, revertsAfter = REVERTS_AFTER }: Options,
): Promise<RunEnd> {
  return await followed(context, host, tell, async (place, note) => {
    const end = await runAndJudge(context, host, place, before, { tell: note, revertsAfter });
    if (end.end === 'confirmed' || end.end === 'same') noteAsPut(context, [host.name]);
    if (end.end === 'reverted' || end.end === 'failed') forgetPut(context, host.name);
    return end;
  });
}

/** Has something done on a host, notes what happens there while somebody follows it, and tells its end. */
async function followed(
  context: StepContext,
  { name }: ServiceHost,
  tell: Options['tell'],
  run: (place: RunPlace, note: Options['tell']) => Promise<RunEnd>,
): Promise<RunEnd> {
  const note = noting(context, name, tell);
  try {
    const end = await run(runPlace(context, name), note);
    note({ type: 'ended', end });
    return end;
  } finally {
    unfollow(context, name);
  }
}

async function runAndJudge(
  context: StepContext,
  host: ServiceHost,
  place: RunPlace,
  before: HostPlan | null,
  { tell, revertsAfter }: Required<Options>,
): Promise<RunEnd> {
  const { signal } = context;
  const found = await statusOf(context, place, tell);
  const isOpen = found.outcome === 'open';
  if (!found.isRunning && !isOpen && before !== null && before.changes.length === 0) return { end: 'same' };
  const seconds = before !== null && !(await cuts(context, host.name, before)) ? 0 : revertsAfter;
  if (!found.isRunning && !isOpen) await runOnHost(place, ['start', 'install', String(seconds)], { signal });
  tell({
    type: 'began',
    action: found.isRunning ? found.action : 'install',
    isFound: found.isRunning || isOpen,
    revertsAfter: seconds,
  });
  if (found.isRunning || !isOpen) {
    const { exitCode, last } = await followRun(context, place, tell);
    // One that was killed, or whose host was started again, has not taken itself back yet.
    if (exitCode !== null && exitCode !== 0) return { end: 'failed', why: last };
    if (found.isRunning && found.action === 'undo') return { end: 'undone' };
  }
  return await judge(context, host, place, before, tell);
}

/** Would a mistake in what changes cut us or the cluster off? */
async function cuts(context: StepContext, name: string, { changes }: HostPlan): Promise<boolean> {
  const { files } = await outputOf(context, liveStage(context));
  const cutting = new Set(files.filter(({ host, kind }) => host === name && CUTTING.has(kind)).map(({ path }) => path));
  return changes.some(({ kind, what }) => kind === 'firewall' || cutting.has(what));
}

async function statusOf(context: StepContext, place: RunPlace, tell: Options['tell']): Promise<RunStatus> {
  const { signal } = context;
  return parseStatus(await outlast(context, tell, () => runOnHost(place, ['status'], { signal })));
}

/** Asks the checks until they pass, and confirms; else waits until the host has taken the run back, and looks. */
async function judge(
  context: StepContext,
  host: ServiceHost,
  place: RunPlace,
  before: HostPlan | null,
  tell: Options['tell'],
): Promise<RunEnd> {
  const { clock, signal } = context;
  let why = '';
  // What the checks said last: of the run only when it was still in place after them, and not taken back meanwhile.
  let last = '';
  for (;;) {
    // Over a line of its own: a way that is cut is a check that fails.
    const status = await statusOf(context, place, tell);
    if (status.outcome === null) return { end: 'lost' };
    if (status.outcome === 'revert-failed') return { end: 'stuck', why: why || last };
    if (status.outcome === 'reverted')
      return {
        end: 'reverted',
        why: status.wasRestarted ? catalogue().hosts.says.restarted : why || last,
        isAsBefore: await isAsBefore(context, place, before, tell),
      };
    why = last;
    const wrong = failing(await checkHost(context, host)).map(({ title }) => title);
    signal.throwIfAborted();
    last = wrong[0] ?? last;
    tell({ type: 'checking', failing: wrong, secondsLeft: status.secondsLeft });
    if (wrong.length === 0) {
      if (status.outcome === 'confirmed') return { end: 'confirmed' };
      const said = await outlast(context, tell, () => runOnHost(place, ['confirm'], { signal }));
      if (said.includes('outcome\tconfirmed')) return { end: 'confirmed' };
      // It was a moment late.
      why = last = catalogue().hosts.says.late;
      continue;
    }
    if (status.outcome === 'confirmed') return { end: 'unproven', why: last };
    await clock.sleep(PAUSE, signal);
  }
}

/**
 * Has everything on a host put back as it was before the first run; packages stay.
 * @param overwrites files, too, that somebody changed since
 */
export async function undoOnHost(
  context: StepContext,
  host: ServiceHost,
  { tell, overwrites }: { readonly tell: Options['tell']; readonly overwrites: boolean },
): Promise<RunEnd> {
  return await followed(context, host, tell, async (place, note) => {
    const end = await undoAndLook(context, place, overwrites, note);
    if (end.end === 'undone') forgetPut(context, host.name);
    return end;
  });
}

async function undoAndLook(
  context: StepContext,
  place: RunPlace,
  overwrites: boolean,
  tell: Options['tell'],
): Promise<RunEnd> {
  const { signal } = context;
  const found = await statusOf(context, place, tell);
  if (!found.isRunning) await runOnHost(place, ['start', 'undo', ...(overwrites ? ['--all'] : [])], { signal });
  tell({ type: 'began', action: found.isRunning ? found.action : 'undo', isFound: found.isRunning, revertsAfter: 0 });
  const { exitCode, last } = await followRun(context, place, tell);
  const left = parsePlan(await outlast(context, tell, () => runOnHost(place, ['undo-plan'], { signal })));
  return exitCode === 0 && left.changes.length === 0 ? { end: 'undone' } : { end: 'failed', why: last };
}
