import { expect, test } from 'vitest';
import { moves } from '../../../src/i18n/en/moves/index.ts';
import { operatorView } from '../../../src/openshift/operator.ts';
import { type Clock, MINUTE } from '../../../src/platform/clock.ts';
import { executeMove } from '../../../src/steps/infra/apply-moves.ts';
import type { MoveEvent } from '../../../src/steps/infra/engine.ts';
import type { MoveExecutor } from '../../../src/steps/infra/infra-context.ts';

const { mustStayHealthy, operatorUnhealthy } = moves.why.rollout;

const createOperator = (progressing: boolean) =>
  operatorView({
    apiVersion: 'config.openshift.io/v1',
    kind: 'ClusterOperator',
    metadata: { name: 'ingress' },
    status: {
      conditions: [
        { type: 'Available', status: 'True' },
        { type: 'Progressing', status: progressing ? 'True' : 'False' },
      ],
    },
  });

/**
 * Executes the router move; its pods have already moved.
 * @param isProgressing whether the operator progresses at a time in ms; null: no operator
 */
async function runRouterMove(isProgressing: ((now: number) => boolean) | null) {
  let now = 0;
  const clock: Clock = {
    now: () => now,
    async sleep(ms) {
      now += ms;
    },
    interval: () => () => undefined,
  };
  const executor: MoveExecutor = {
    probe: async () => ({ state: 'done', why: 'there', changes: [] }),
    apply: async () => undefined,
    getOperator: async () => (isProgressing === null ? null : createOperator(isProgressing(now))),
    planUndo: async () => null,
    undo: async () => [],
    drain: async () => null,
    untilDrained: async () => null,
    untilUndoable: async () => null,
    untilPodsGone: async () => null,
    manualSteps: [],
  };
  const events: MoveEvent[] = [];
  const { signal } = new AbortController();
  const before = { name: 'router', state: 'needed', why: '', changes: [] } as const;
  const onEvent = (event: MoveEvent) => void events.push(event);
  await executeMove(executor, before, { clock, signal }, onEvent, () => undefined);
  const reasons = events.flatMap((event) => (event.type === 'waiting' ? event.why : []));
  return { took: now, reasons: [...new Set(reasons)] };
}

test('a workload counts as moved once its operator has been healthy for a minute', async () => {
  expect(await runRouterMove(() => false)).toEqual({ took: MINUTE, reasons: [mustStayHealthy('ingress')] });
});

test('an operator that progresses meanwhile restarts its minute', async () => {
  expect(await runRouterMove((now) => now === MINUTE / 2)).toEqual({
    took: MINUTE + MINUTE / 2 + 2000,
    reasons: [mustStayHealthy('ingress'), operatorUnhealthy('ingress')],
  });
});

test('a move without an operator does not wait', async () => {
  expect(await runRouterMove(null)).toEqual({ took: 0, reasons: [] });
});
