import { afterEach, expect, test } from 'vitest';
import { stagesOf } from '../../../src/diagnosis/bootstrap/stages.ts';
import { MINUTE } from '../../../src/ports/clock.ts';
import { gatherEvidence, stuckEvidence } from '../../../src/steps/bootstrap/evidence.ts';
import { noteProgress } from '../../../src/steps/shared/installer/bootstrap-progress.ts';
import { exampleSite } from '../../support/example-design.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { type StepWorld, stepWorld } from '../../support/step-world.ts';

let world: StepWorld | null = null;
afterEach(async () => {
  await world?.remove();
  world = null;
});

const design = exampleSite();
const BOOTSTRAP_STAGES = stagesOf(design, false);

test('an endpoint with two addresses is asked at both, and told apart', async () => {
  const { endpoints } = design;
  const dual = { ...design, endpoints: { ...endpoints, apiInt: [...endpoints.apiInt, 'fd00::110'] } };
  // Nothing listens on port 1; the second address takes nobody in.
  world = stepWorld({ design: dual, reach: (host) => ({ host: host === 'fd00::110' ? '::1' : '127.0.0.1', port: 1 }) });
  const { ports } = await gatherEvidence(world.context);
  const balancer = ports.filter(({ kind, port }) => kind === 'api-int' && port === 22623);
  expect(balancer.map(({ host, address }) => [host, address])).toEqual([
    ['api-int (172.16.0.110)', '172.16.0.110'],
    ['api-int (fd00::110)', 'fd00::110'],
  ]);
  expect(ports.filter(({ kind }) => kind === 'api').map(({ host }) => host)).toEqual(['api']);
});

test('of a cluster that is stuck, only the names that every node looks up are told, whatever it is called', async () => {
  const capital = { ...design, cluster: { ...design.cluster, name: 'capital' } };
  world = stepWorld({ design: capital, reach: () => ({ host: '127.0.0.1', port: 1 }) });
  const stuck = { stage: 'joined', stageTitle: 'the stage', quietFor: 20 * MINUTE } as const;
  const { wrongNames } = await stuckEvidence(world.context, await gatherEvidence(world.context), stuck);
  expect([...new Set(wrongNames.map(({ what }) => what))]).toEqual([
    'api.capital.example.localdomain',
    'api-int.capital.example.localdomain',
  ]);
});

test('times: a stage keeps what it took, what was done at the first look has none, and the same sight is no progress', async () => {
  const clock = manualClock(1_000_000);
  world = stepWorld({ clock });
  const { context } = world;
  const note = (count: number, signature: string, startedAt: number | null = null, told = {}) =>
    noteProgress(context, {
      order: BOOTSTRAP_STAGES,
      done: new Set(BOOTSTRAP_STAGES.slice(0, count)),
      signature,
      startedAt,
      told,
    });
  expect(note(0, 'a', 940_000)).toMatchObject({
    stages: { 'bootstrap-up': { startedAt: 940_000, doneAt: null } },
    changedAt: 1_000_000,
  });
  await clock.advance(5 * MINUTE);
  expect(note(0, 'a').changedAt).toBe(1_000_000);
  const after = note(2, 'b');
  expect(after.changedAt).toBe(1_300_000);
  expect(after.stages['bootstrap-up']).toEqual({ startedAt: 940_000, doneAt: 1_300_000 });
  expect(after.stages.api).toEqual({ startedAt: null, doneAt: 1_300_000 });
  expect(after.stages['machine-config']).toEqual({ startedAt: 1_300_000, doneAt: null });
  await clock.advance(MINUTE);
  // The balancer restarts: the stage is not done for a moment, and its first time counts when it is again.
  note(1, 'c');
  expect(note(3, 'b').stages.api?.doneAt).toBe(1_300_000);
  // What went by while nobody looked has the times that the log and the API tell.
  await clock.advance(20 * MINUTE);
  const { joined, serving, complete } = note(7, 'd', null, { joined: 1_960_000, complete: 2_260_000 }).stages;
  expect(joined).toEqual({ startedAt: 1_360_000, doneAt: 1_960_000 });
  expect(serving).toEqual({ startedAt: null, doneAt: 2_560_000 });
  expect(complete?.doneAt).toBe(2_560_000);
});
