import { expect, test } from 'vitest';
import { catalogue } from '../../src/i18n/catalogue.ts';
import type { InfraContext, MoveFailure } from '../../src/infra/context.ts';
import { type MoveName, selectStartableMoves } from '../../src/infra/moves.ts';
import { probeMoves } from '../../src/infra/probe.ts';
import { createInfraContext } from '../../src/steps/infra/move-execution.ts';
import { infraWorld } from '../support/infra-world.ts';
import { createStepFixture } from '../support/step-fixture.ts';

const NAMES = ['label', 'dns', 'router'] as const satisfies readonly MoveName[];

test('a move on which the last job failed has failed until it is done, and nothing after it is offered', async () => {
  const world = infraWorld('4.18.9');
  await world.applyAndSettle('label');
  await world.apply('dns');
  const fixture = createStepFixture();
  const { directory } = createInfraContext(fixture.context);
  await fixture.remove();
  if (directory === null) throw new Error('there is no install directory');
  const probe = async (failure: MoveFailure | null) => {
    const infra: InfraContext = { ...world.site, directory: { ...directory, findLastFailure: () => failure } };
    return await probeMoves(infra, NAMES);
  };
  const at = Date.parse('2026-11-22T14:02:00Z');
  const failure = { move: 'dns', reason: 'not finished within 15 minutes', at } as const;
  expect((await probe(null)).map(({ state }) => state)).toEqual(['done', 'moving', 'needed']);
  const moves = await probe(failure);
  expect(moves[1]).toMatchObject({
    state: 'failed',
    why: catalogue().steps.infra.failedAt('14:02', 'not finished within 15 minutes'),
  });
  expect(selectStartableMoves(moves)).toMatchObject({ startableMoves: [], stoppingMove: { name: 'dns' } });
  // A move that still has to write can be applied again, and names the failure.
  const [, , router] = await probe({ ...failure, move: 'router' });
  expect(router).toMatchObject({ state: 'needed', notes: [expect.stringContaining('not finished within 15 minutes')] });
  await world.settle('dns');
  expect((await probe(failure))[1]).toMatchObject({ state: 'done' });
});
