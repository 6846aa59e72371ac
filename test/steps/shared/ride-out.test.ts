import { expect, test } from 'vitest';
import { ClusterError } from '../../../src/cluster/errors.ts';
import { MINUTE, SECOND } from '../../../src/ports/clock.ts';
import type { StepContext } from '../../../src/steps/contract.ts';
import { carryOut } from '../../../src/steps/infra/apply-moves.ts';
import type { MoveEvent } from '../../../src/steps/infra/engine.ts';
import type { Side } from '../../../src/steps/infra/site.ts';
import { rideOut } from '../../../src/steps/shared/ride-out.ts';
import { manualClock } from '../../support/manual-clock.ts';

const { signal } = new AbortController();

/** Throws these one after the other, then answers. */
function after<T>(faults: readonly Error[], answer: T): () => Promise<T> {
  const left = [...faults];
  return async () => {
    const fault = left.shift();
    if (fault) throw fault;
    return answer;
  };
}

async function passTime<T>(
  context: Pick<StepContext, 'clock'> & { clock: ReturnType<typeof manualClock> },
  work: Promise<T>,
) {
  let isOver = false;
  const ended = work.then(
    (value) => ({ value, error: null }),
    (error: unknown) => ({ value: null, error }),
  );
  void ended.finally(() => {
    isOver = true;
  });
  while (!isOver) await context.clock.advance(SECOND);
  return ended;
}

const late = () => new ClusterError('timeout', 'no answer within 10000 ms');

test('an API that answers late or refuses for a moment is asked again', async () => {
  const context = { clock: manualClock(), signal };
  const done = await passTime(context, rideOut(context, after([late(), new ClusterError('refused', '')], 'moved')));
  expect(done).toEqual({ value: 'moved', error: null });
});

test('credentials that are refused for a moment are sent again, for a minute', async () => {
  const context = { clock: manualClock(), signal };
  const blip = () => new ClusterError('unauthorized', '401 Unauthorized', 401);
  expect(await passTime(context, rideOut(context, after([blip(), blip()], 'done')))).toEqual({
    value: 'done',
    error: null,
  });
  const began = context.clock.now();
  const faults = Array.from({ length: 1000 }, blip);
  expect((await passTime(context, rideOut(context, after(faults, '')))).error).toMatchObject({ class: 'credentials' });
  expect(context.clock.now() - began).toBeLessThan(2 * MINUTE);
});

test('an API that stays away is told, and what does not pass is told at once', async () => {
  const context = { clock: manualClock(), signal };
  const faults = Array.from({ length: 1000 }, late);
  expect((await passTime(context, rideOut(context, after(faults, '')))).error).toMatchObject({ class: 'unreachable' });
  expect(context.clock.now()).toBeGreaterThan(5 * MINUTE);
  const wrong = new ClusterError('forbidden', 'no');
  await expect(rideOut(context, after([wrong], ''))).rejects.toBe(wrong);
});

test('an API that is slow because time runs fast is asked ten times, however late that is', async () => {
  const context = { clock: manualClock(), signal };
  const slow = Array.from({ length: 9 }, late);
  const act = after(slow, 'moved');
  const done = await passTime(
    context,
    rideOut(context, async () => {
      await context.clock.sleep(4 * MINUTE);
      return await act();
    }),
  );
  expect(done).toEqual({ value: 'moved', error: null });
});

test('a move goes on where the API is away while it is made and looked at', async () => {
  const context = { clock: manualClock(), signal };
  const done = after([late()], { state: 'done', why: 'kept off', changes: [] } as const);
  const side: Side = {
    probe: done,
    apply: after([late()], undefined),
    planUndo: async () => null,
    undo: async () => [],
    operator: async () => null,
    empty: async () => null,
    emptied: async () => null,
    undoWaits: async () => null,
    left: async () => null,
    byHand: [],
  };
  const events: MoveEvent[] = [];
  const before = { name: 'taint', state: 'needed', why: '', changes: [] } as const;
  const made = carryOut(
    side,
    before,
    context,
    (event) => events.push(event),
    () => undefined,
  );
  expect((await passTime(context, made)).error).toBeNull();
  expect(events.at(-1)).toEqual({ type: 'done', move: 'taint', doing: 'apply', why: 'kept off' });
});
