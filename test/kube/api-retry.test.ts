import { expect, test } from 'vitest';
import { executeMove } from '../../src/infra/apply-moves.ts';
import type { MoveExecutor } from '../../src/infra/executors.ts';
import { taintMove } from '../../src/infra/moves/taint.ts';
import type { MoveEvent } from '../../src/infra/run.ts';
import { retryWhileApiDown } from '../../src/kube/api-health.ts';
import { ClusterError } from '../../src/kube/errors.ts';
import { MINUTE, SECOND } from '../../src/platform/clock.ts';
import type { StepContext } from '../../src/steps/contract.ts';
import { testDesign } from '../support/csr-forge.ts';
import { manualClock } from '../support/manual-clock.ts';

const { signal } = new AbortController();

/** Throws the faults one after the other, then returns the answer. */
function failThenAnswer<T>(faults: readonly Error[], answer: T): () => Promise<T> {
  const remaining = [...faults];
  return async () => {
    const fault = remaining.shift();
    if (fault) throw fault;
    return answer;
  };
}

async function passTime<T>(
  context: Pick<StepContext, 'clock'> & { clock: ReturnType<typeof manualClock> },
  work: Promise<T>,
) {
  let isOver = false;
  const outcome = work.then(
    (value) => ({ value, error: null }),
    (error: unknown) => ({ value: null, error }),
  );
  void outcome.finally(() => {
    isOver = true;
  });
  while (!isOver) await context.clock.advance(SECOND);
  return outcome;
}

const createTimeout = () => new ClusterError('timeout', 'no answer within 10000 ms');

test('a request to an API that answers late or refuses for a moment is repeated', async () => {
  const context = { clock: manualClock(), signal };
  const outcome = await passTime(
    context,
    retryWhileApiDown(context, failThenAnswer([createTimeout(), new ClusterError('refused', '')], 'moved')),
  );
  expect(outcome).toEqual({ value: 'moved', error: null });
});

test('credentials that are refused for a moment are sent again, for a minute', async () => {
  const context = { clock: manualClock(), signal };
  const createUnauthorized = () => new ClusterError('unauthorized', '401 Unauthorized', 401);
  expect(
    await passTime(
      context,
      retryWhileApiDown(context, failThenAnswer([createUnauthorized(), createUnauthorized()], 'done')),
    ),
  ).toEqual({
    value: 'done',
    error: null,
  });
  const startedAt = context.clock.now();
  const faults = Array.from({ length: 1000 }, createUnauthorized);
  expect((await passTime(context, retryWhileApiDown(context, failThenAnswer(faults, '')))).error).toMatchObject({
    class: 'credentials',
  });
  expect(context.clock.now() - startedAt).toBeLessThan(2 * MINUTE);
});

test('an API that stays away is reported, and a permanent error is reported at once', async () => {
  const context = { clock: manualClock(), signal };
  const faults = Array.from({ length: 1000 }, createTimeout);
  expect((await passTime(context, retryWhileApiDown(context, failThenAnswer(faults, '')))).error).toMatchObject({
    class: 'unreachable',
  });
  expect(context.clock.now()).toBeGreaterThan(5 * MINUTE);
  const permanentError = new ClusterError('forbidden', 'no');
  await expect(retryWhileApiDown(context, failThenAnswer([permanentError], ''))).rejects.toBe(permanentError);
});

test('an API that is slow because time runs fast gets ten requests, however late that is', async () => {
  const context = { clock: manualClock(), signal };
  const slow = Array.from({ length: 9 }, createTimeout);
  const attempt = failThenAnswer(slow, 'moved');
  const outcome = await passTime(
    context,
    retryWhileApiDown(context, async () => {
      await context.clock.sleep(4 * MINUTE);
      return await attempt();
    }),
  );
  expect(outcome).toEqual({ value: 'moved', error: null });
});

test('a move continues when the API is away while it is applied and probed', async () => {
  const context = { clock: manualClock(), signal };
  const readStatus = failThenAnswer([createTimeout()], { state: 'done', why: 'kept off', changes: [] } as const);
  const executor: MoveExecutor = {
    probe: readStatus,
    apply: failThenAnswer([createTimeout()], undefined),
    planUndo: async () => ({ move: 'taint', kind: 'inherited', sets: [] }),
    findUndoObstacle: async () => null,
    undo: async () => null,
  };
  const events: MoveEvent[] = [];
  const connect = () => Promise.reject(new Error('no cluster'));
  const infra = { ...context, design: testDesign(), connect, directory: null, undoLog: null };
  const run = { onEvent: (event: MoveEvent) => void events.push(event), check: () => undefined };
  const execution = executeMove(infra, taintMove, executor, { state: 'needed', why: '' }, run);
  expect((await passTime(context, execution)).error).toBeNull();
  expect(events.at(-1)).toEqual({ type: 'done', move: 'taint', doing: 'apply', why: 'kept off' });
});
