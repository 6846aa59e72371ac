import { expect, test } from 'vitest';
import { operatorView } from '../../../src/objects/operator.ts';
import { type Clock, MINUTE } from '../../../src/ports/clock.ts';
import { carryOut } from '../../../src/steps/infra/apply-moves.ts';
import type { MoveEvent } from '../../../src/steps/infra/engine.ts';
import type { Side } from '../../../src/steps/infra/site.ts';
import { moves } from '../../../src/text/en/moves/index.ts';

const { steady, unwell } = moves.why.rollout;

const operator = (progressing: boolean) =>
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

/** Makes the router's move, whose pods are there at once. @param isProgressing the operator, at a time in ms */
async function made(isProgressing: ((now: number) => boolean) | null) {
  let now = 0;
  const clock: Clock = {
    now: () => now,
    async sleep(ms) {
      now += ms;
    },
    interval: () => () => undefined,
  };
  const side: Side = {
    probe: async () => ({ state: 'done', why: 'there', changes: [] }),
    apply: async () => undefined,
    operator: async () => (isProgressing === null ? null : operator(isProgressing(now))),
    planUndo: async () => null,
    undo: async () => [],
    empty: async () => null,
    emptied: async () => null,
    undoWaits: async () => null,
    left: async () => null,
    byHand: [],
  };
  const events: MoveEvent[] = [];
  const { signal } = new AbortController();
  const before = { name: 'router', state: 'needed', why: '', changes: [] } as const;
  const tell = (event: MoveEvent) => void events.push(event);
  await carryOut(side, before, { clock, signal }, tell, () => undefined);
  const whys = events.flatMap((event) => (event.type === 'waiting' ? event.why : []));
  return { took: now, whys: [...new Set(whys)] };
}

test('what runs counts as moved when its operator has been healthy for a minute', async () => {
  expect(await made(() => false)).toEqual({ took: MINUTE, whys: [steady('ingress')] });
});

test('an operator that progresses meanwhile begins its minute anew', async () => {
  expect(await made((now) => now === MINUTE / 2)).toEqual({
    took: MINUTE + MINUTE / 2 + 2000,
    whys: [steady('ingress'), unwell('ingress')],
  });
});

test('where no operator carries it out, nothing is waited for', async () => {
  expect(await made(null)).toEqual({ took: 0, whys: [] });
});
