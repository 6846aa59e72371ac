import { parseArgs } from 'node:util';
import { type ApiPast, skewTrouble } from '../cluster/outage.ts';
import { type Snapshot, type SnapshotPart, takeSnapshot } from '../cluster/snapshot.ts';
import type { OperatorWait } from '../diagnosis/operators.ts';
import { operatorStates } from '../steps/operators/states.ts';
import { catalogue } from '../text/catalogue.ts';
import { type Trouble, TroubleError } from '../text/trouble.ts';
import { type Live, TARGET_OPTIONS, withLive } from './live.ts';
import type { LiveIo } from './live-io.ts';
import { type Status, statusOf } from './status-document.ts';
import { statusText } from './status-text.ts';
import { watchStatus } from './status-watch.ts';
import { UsageError } from './usage.ts';
import type { Programs } from './world.ts';

const words = () => catalogue().live;

const PARTS = [
  'nodes',
  'requests',
  'clusterVersion',
  'operators',
  'bootstrapStatus',
  'etcdBootstrapMemberRemoved',
] as const satisfies readonly SnapshotPart[];

/** One look: the document, and what a person is told beside it. */
export interface StatusLook {
  readonly status: Status;
  /** What operators wait for, by name. */
  readonly waits: ReadonlyMap<string, OperatorWait>;
  /** What did not answer; without it the status is whole. */
  readonly troubles: readonly Trouble[];
  /** Clocks that differ. */
  readonly skew: Trouble | null;
  /** For the next look. */
  readonly past: ApiPast | undefined;
}

/**
 * `upi-wizard status [--watch]`: one look at the cluster, against the design; or one after the other until a person ends it.
 * @returns the exit code: 4 when the API, or a part of it, did not answer (the rest is shown all the same); watching ends with
 *   0 for `q` and with that of the signal
 */
export async function statusCommand(argv: readonly string[], io: LiveIo, programs: Programs): Promise<number> {
  const options = { ...TARGET_OPTIONS, watch: { type: 'boolean', default: false } } as const;
  const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
  if (positionals[0] !== undefined) throw new UsageError(words().unexpectedArgument(positionals[0]));
  return await withLive(values, io, programs, async (live) => {
    if (values.watch) return await watchStatus(live.clock, (past) => look(live, past), io, values.json);
    const { status, waits, troubles, skew } = await look(live);
    io.stdout(values.json ? `${JSON.stringify(status, null, 2)}\n` : statusText(status, waits, io.columns).join(''));
    for (const { title, cause, whatToDo } of [...troubles, ...(skew ? [skew] : [])])
      io.stderr(words().trouble(title, cause, whatToDo));
    return troubles.length > 0 ? 4 : 0;
  });
}

async function look(live: Live, past?: ApiPast): Promise<StatusLook> {
  let snapshot: Snapshot | null = null;
  const troubles: Trouble[] = [];
  try {
    snapshot = await takeSnapshot(await live.connect(), PARTS, live.clock.now(), past);
    const { trouble } = snapshot.api;
    troubles.push(...(trouble ? [trouble] : []), ...Object.values(snapshot.troubles));
  } catch (error) {
    if (!(error instanceof TroubleError)) throw error;
    troubles.push(error.trouble);
  }
  const states = operatorStates(live.design, snapshot?.operators ?? [], snapshot?.nodes ?? [], [], live.clock.now());
  return {
    status: statusOf(live, snapshot),
    waits: new Map(states.flatMap(({ name, wait }) => (wait ? [[name, wait]] : []))),
    troubles: [...new Map(troubles.map((trouble) => [trouble.code, trouble])).values()],
    skew: skewTrouble(snapshot?.api.clockSkew ?? null),
    past: snapshot?.api.past ?? past,
  };
}
