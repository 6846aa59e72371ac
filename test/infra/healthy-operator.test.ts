import { expect, test } from 'vitest';
import { moves } from '../../src/i18n/en/moves/index.ts';
import { executeMove } from '../../src/infra/apply-moves.ts';
import type { MoveExecutor } from '../../src/infra/executors.ts';
import { routerMove } from '../../src/infra/moves/router.ts';
import type { MoveEvent } from '../../src/infra/run.ts';
import type { Cluster } from '../../src/kube/api.ts';
import type { KubeObject } from '../../src/openshift/object.ts';
import { type Clock, MINUTE } from '../../src/platform/clock.ts';
import { testDesign } from '../support/csr-forge.ts';

const { mustStayHealthy, operatorUnhealthy } = moves.reasons.rollout;

const createOperator = (progressing: boolean): KubeObject => ({
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
    startInterval: () => () => undefined,
  };
  const executor: MoveExecutor = {
    probe: async () => ({ state: 'done', why: 'there', changes: [] }),
    apply: async () => undefined,
    planUndo: async () => ({ move: 'router', kind: 'inherited', sets: [] }),
    findUndoObstacle: async () => null,
    undo: async () => null,
  };
  const getWithManagers = async () => (isProgressing === null ? null : createOperator(isProgressing(now)));
  const connect = async () => ({ getWithManagers }) as Partial<Cluster> as Cluster;
  const events: MoveEvent[] = [];
  const { signal } = new AbortController();
  const infra = { design: testDesign(), clock, signal, connect, directory: null, undoLog: null };
  const before = { state: 'needed', why: '' } as const;
  const onEvent = (event: MoveEvent) => void events.push(event);
  await executeMove(infra, routerMove, executor, before, { onEvent, check: () => undefined });
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
