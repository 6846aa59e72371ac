import { runOnHost } from '../../../bastion/host-run.ts';
import { SECOND } from '../../../ports/clock.ts';
import { catalogue } from '../../../text/catalogue.ts';
import { asTrouble } from '../../../text/trouble.ts';
import type { StepContext } from '../../contract.ts';
import type { HostRun } from '../../recollection.ts';
import { noteAsPut } from '../../shared/hosts/put-in-place.ts';
import { isAsBefore } from './as-before.ts';
import { endLine, eventLine, type HostEvent, type RunEnd } from './events.ts';
import { runPlace } from './place.ts';
import { parseStatus, type RunStatus } from './records.ts';

const MEMORY = 'host-runs';

/** The service hosts on which a run began whose end nobody has seen yet. */
export function unseenRuns({ memory }: Pick<StepContext, 'memory'>): readonly string[] {
  return Object.keys(memory.get(MEMORY) ?? {});
}

function forget({ memory }: StepContext, name: string): void {
  const { [name]: _ended, ...others } = memory.get(MEMORY) ?? {};
  memory.set(MEMORY, others);
}

/** Notes what happens on a host, for a later sitting and for the screen, and tells it on. */
export function noting(context: StepContext, name: string, tell: (event: HostEvent) => void) {
  const { clock, memory, recollection } = context;
  return (event: HostEvent): void => {
    if (event.type === 'began') memory.set(MEMORY, { ...memory.get(MEMORY), [name]: clock.now() });
    if (event.type === 'ended') forget(context, name);
    const run = runAfter(event, recollection.hostRuns.get(name) ?? null, clock.now());
    if (run !== null) recollection.hostRuns.set(name, run);
    tell(event);
  };
}

/** Nobody here follows the run on a host any more, whatever becomes of it there. */
export function unfollow({ recollection }: StepContext, name: string): void {
  const run = recollection.hostRuns.get(name);
  if (run?.isFollowed) recollection.hostRuns.set(name, { ...run, isFollowed: false });
}

function runAfter(event: HostEvent, before: HostRun | null, now: number): HostRun | null {
  const said = eventLine(event);
  switch (event.type) {
    case 'began':
    case 'stage':
      return { state: 'running', isMissing: false, isFollowed: true, said, revertsAt: null };
    case 'checking': {
      const revertsAt = event.secondsLeft === null ? null : now + event.secondsLeft * SECOND;
      return { state: 'open', isMissing: false, isFollowed: true, said, revertsAt };
    }
    case 'ended':
      return ended(event.end);
    case 'line':
    case 'line-lost':
    case 'line-back':
      return before === null || event.type === 'line' ? null : { ...before, said };
  }
}

const IN_PLACE: ReadonlySet<RunEnd['end']> = new Set(['same', 'confirmed', 'unproven', 'stuck']);

function ended(end: RunEnd): HostRun {
  return { state: 'ended', isMissing: !IN_PLACE.has(end.end), isFollowed: false, said: endLine(end), revertsAt: null };
}

/** Looks at the hosts whose runs nobody here follows: one that ended meanwhile is said, and what it came to is verified there. */
export async function lookAfterRuns(context: StepContext): Promise<void> {
  const { recollection, signal } = context;
  const alone = unseenRuns(context).filter((name) => !recollection.hostRuns.get(name)?.isFollowed);
  await Promise.all(
    alone.map(async (name) => {
      try {
        recollection.hostRuns.set(name, await lookAfter(context, name));
      } catch (error) {
        signal.throwIfAborted();
        const said = catalogue().hosts.says.outOfSight(asTrouble(error).cause);
        recollection.hostRuns.set(name, {
          state: 'running',
          isMissing: false,
          isFollowed: false,
          said,
          revertsAt: null,
        });
      }
    }),
  );
}

async function lookAfter(context: StepContext, name: string): Promise<HostRun> {
  const place = runPlace(context, name);
  const status = parseStatus(await runOnHost(place, ['status'], { signal: context.signal }));
  const { running, says } = catalogue().hosts;
  if (status.isRunning)
    return { state: 'running', isMissing: false, isFollowed: false, said: running, revertsAt: null };
  if (status.outcome === 'open' && status.secondsLeft !== null) {
    const revertsAt = context.clock.now() + status.secondsLeft * SECOND;
    return { state: 'open', isMissing: false, isFollowed: false, said: says.unconfirmed, revertsAt };
  }
  const end = await endOf(context, name, status);
  if (end.end === 'confirmed') noteAsPut(context, [name]);
  forget(context, name);
  return ended(end);
}

async function endOf(
  context: StepContext,
  name: string,
  { id, action, exitCode, outcome, wasRestarted }: RunStatus,
): Promise<RunEnd> {
  const { restarted, unwatched } = catalogue().hosts.says;
  const why = wasRestarted ? restarted : unwatched;
  if (id === null) return { end: 'lost' };
  if (outcome === 'confirmed') return { end: 'confirmed' };
  if (outcome === 'revert-failed') return { end: 'stuck', why };
  if (outcome === 'reverted')
    return {
      end: 'reverted',
      why,
      isAsBefore: await isAsBefore(context, runPlace(context, name), null, () => undefined),
    };
  return action === 'undo' && exitCode === 0 ? { end: 'undone' } : { end: 'failed', why };
}
