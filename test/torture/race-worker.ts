// One of those who race for the lock of a directory: told by messages, answers by messages.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import '../support/language.ts';
import { findHolder, requestTakeOver, watchHolder } from '../../src/session/holder-client.ts';
import { acquireLock, SessionLockedError, withLockCheck } from '../../src/session/lock.ts';
import { createOwner } from '../../src/session/owner.ts';
import { servePeers } from '../../src/session/session-protocol.ts';
import { openSession } from '../../src/session/store.ts';

/** What the one who starts the race asks for. */
export interface RaceOrder {
  readonly dir: string;
  /** Ms before the attempt, and how long the lock is held. */
  readonly delay: number;
  readonly hold: number;
  /** True: say so when it is held, and hold it until somebody ends us, says `go on`, or takes over. */
  readonly isToHang: boolean;
  /** `take-over`: asks who holds the directory to leave first. `view`: watches who holds it until it ends. */
  readonly role: 'race' | 'take-over' | 'view';
}

export type RaceAnswer =
  | { readonly type: 'ready' | 'holding' }
  | {
      readonly type: 'over';
      readonly how: 'won' | 'lost' | 'failed' | 'taken' | 'seen';
      readonly why: string;
      readonly saves: number;
    };

const say = (answer: RaceAnswer) => void process.send?.(answer);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
let goOn: () => void = () => undefined;

process.on('message', (message: RaceOrder | 'go on') => {
  if (message === 'go on') goOn();
  else race(message).then(say, (error: unknown) => say({ type: 'over', how: 'failed', why: String(error), saves: 0 }));
});
process.on('disconnect', () => process.exit());
say({ type: 'ready' });

/** Watches the holder, if there is one; `seen` when a state of it came. */
async function view(dir: string): Promise<RaceAnswer> {
  const holder = await findHolder(dir);
  let states = 0;
  const count = () => {
    states += 1;
  };
  if (holder !== null) await watchHolder(dir, holder, count, new AbortController().signal);
  return { type: 'over', how: states > 0 ? 'seen' : 'lost', why: '', saves: 0 };
}

async function race({ dir, delay, hold, isToHang, role }: RaceOrder): Promise<RaceAnswer> {
  await pause(delay);
  if (role === 'view') return await view(dir);
  const holder = role === 'take-over' ? await findHolder(dir) : null;
  if (holder !== null) {
    const { kind } = await requestTakeOver(dir, holder, 'take-over', createOwner('', ''));
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
    // Whoever finds the marker of another is the second writer.
    const fd = openSync(marker, 'wx');
    writeSync(fd, String(process.pid));
    closeSync(fd);
    const session = withLockCheck(openSession(dir), lock);
    const state = session.load();
    const count = Number((state.design as { count?: number } | null)?.count ?? 0);
    session.save({ ...state, design: { count: count + 1 } });
    saves += 1;
    if (isToHang) {
      const told = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      servePeers(lock, {
        status: () => ({ place: 'racing', cluster: '', isActing: false }),
        leave() {
          goOn();
          return null;
        },
        question: () => null,
        answer: () => '',
        watchSource: { current: () => ({ count }), subscribe: () => () => undefined },
      });
      say({ type: 'holding' });
      await told;
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
