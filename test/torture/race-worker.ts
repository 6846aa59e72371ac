// One of the processes that race for the lock of a directory. It receives its order and reports its result by messages.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import '../support/language.ts';
import { findHolder, requestTakeOver, watchHolder } from '../../src/session/holder-client.ts';
import { createHolderRecord } from '../../src/session/holder-files.ts';
import { acquireLock, addLockCheck, SessionLockedError } from '../../src/session/lock.ts';
import { openSession } from '../../src/session/session.ts';
import { servePeers } from '../../src/session/session-protocol.ts';

/** The order from the process that starts the race. */
export interface RaceOrder {
  readonly dir: string;
  /** Delay before the attempt, and time to hold the lock (ms). */
  readonly delay: number;
  readonly hold: number;
  /** True: reports that it has the lock, and keeps it until it is killed, gets `go on`, or is taken over. */
  readonly holdsUntilReleased: boolean;
  /** `take-over`: first asks the holder of the directory to leave. `view`: watches the holder until it ends. */
  readonly role: 'race' | 'take-over' | 'view';
}

export type RaceReport =
  | { readonly type: 'ready' | 'holding' }
  | {
      readonly type: 'over';
      readonly how: 'won' | 'lost' | 'failed' | 'taken' | 'seen';
      readonly why: string;
      readonly saves: number;
    };

const sendReport = (report: RaceReport) => void process.send?.(report);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
let goOn: () => void = () => undefined;

process.on('message', (message: RaceOrder | 'go on') => {
  if (message === 'go on') goOn();
  else
    race(message).then(sendReport, (error: unknown) =>
      sendReport({ type: 'over', how: 'failed', why: String(error), saves: 0 }),
    );
});
process.on('disconnect', () => process.exit());
sendReport({ type: 'ready' });

/** Watches the holder, if there is one. The result is `seen` if a state of it arrived. */
async function viewHolder(dir: string): Promise<RaceReport> {
  const holder = await findHolder(dir);
  let states = 0;
  const count = () => {
    states += 1;
  };
  if (holder !== null) await watchHolder(dir, holder, count, new AbortController().signal);
  return { type: 'over', how: states > 0 ? 'seen' : 'lost', why: '', saves: 0 };
}

async function race({ dir, delay, hold, holdsUntilReleased: isToHang, role }: RaceOrder): Promise<RaceReport> {
  await pause(delay);
  if (role === 'view') return await viewHolder(dir);
  const holder = role === 'take-over' ? await findHolder(dir) : null;
  if (holder !== null) {
    const { kind } = await requestTakeOver(dir, holder, 'take-over', createHolderRecord('', ''));
    if (kind === 'silent') return { type: 'over', how: 'failed', why: 'the holder was silent', saves: 0 };
  }
  let saves = 0;
  let lock: Awaited<ReturnType<typeof acquireLock>>;
  try {
    lock = await acquireLock(dir);
  } catch (error) {
    if (error instanceof SessionLockedError) return { type: 'over', how: 'lost', why: '', saves };
    throw error;
  }
  const marker = join(dir, '..', 'writer');
  try {
    // A process that finds the marker of another process is a second writer.
    const fd = openSync(marker, 'wx');
    writeSync(fd, String(process.pid));
    closeSync(fd);
    const session = addLockCheck(openSession(dir), lock);
    const state = session.load();
    const count = Number((state.design as { count?: number } | null)?.count ?? 0);
    session.save({ ...state, design: { count: count + 1 } });
    saves += 1;
    if (isToHang) {
      const released = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      servePeers(lock, {
        getStatus: () => ({ place: 'racing', cluster: '', isActing: false }),
        leave() {
          goOn();
          return null;
        },
        getQuestion: () => null,
        answer: () => '',
        watchSource: { getState: () => ({ count }), subscribe: () => () => undefined },
      });
      sendReport({ type: 'holding' });
      await released;
    }
    await pause(hold);
    rmSync(marker);
    return { type: 'over', how: 'won', why: '', saves };
  } catch (error) {
    const isSecond = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    return { type: 'over', how: 'failed', why: isSecond ? 'two writers at once' : String(error), saves };
  } finally {
    lock.release();
  }
}
