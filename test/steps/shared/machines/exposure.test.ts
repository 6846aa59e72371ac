import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { closeDoors } from '../../../../src/steps/shared/machines/doors.ts';
import { exposures, toggleIgnition } from '../../../../src/steps/shared/machines/exposure.ts';
import { noteReady } from '../../../../src/steps/shared/machines/later-nodes.ts';
import { serve } from '../../../../src/steps/shared/machines/serving.ts';
import { type StepWorld, stepWorld } from '../../../support/step-world.ts';
import { START } from '../../../support/wizard-state.ts';

let world: StepWorld;
beforeEach(async () => {
  world = stepWorld({ reach: (host, port) => ({ host: host.replace(/^172/, '127'), port: Math.max(port, 1024) }) });
  for (const name of ['bootstrap.ign', 'master.ign', 'worker.ign']) world.write(name, '{}');
  await world.startBootServer();
  await serve(world.context, () => undefined);
});
afterEach(() => world.remove());

const seen = async () => (await exposures(world.context)).map(({ file, nodes }) => `${file} ${nodes.join(' ')}`);
const lineOf = async (file: string) => (await exposures(world.context)).find((each) => each.file === file)?.line;
const allowed = (role: string) => {
  const { ignition } = JSON.parse(readFileSync(join(world.dir, '.upi-wizard/boot-server.json'), 'utf8')) as {
    ignition: Record<string, { allow: string[] }>;
  };
  return ignition[role]?.allow;
};
const request = (path: string, changes: object = {}) =>
  `${JSON.stringify({ at: START, client: '127.16.0.11', method: 'GET', path, status: 200, bytes: 9, complete: true, ...changes })}\n`;

test('what is served is said with to whom, since when, and who fetched it', async () => {
  expect(await seen()).toEqual(['bootstrap.ign bs', 'master.ign m1 m2 m3', expect.stringMatching(/^worker\.ign w1 /)]);
  expect(await lineOf('bootstrap.ign')).toMatch(
    /^bootstrap\.ign is served to 172\.16\.0\.11 since \d\d:\d\d \(no fetch yet\)$/,
  );
  const path = '/ignition/bootstrap.ign';
  const others = [{ complete: false }, { method: 'HEAD' }, { status: 403 }].map((changes) => request(path, changes));
  world.write(
    '.upi-wizard/boot-requests.ndjson',
    [request(path), ...others, request('/boot.ipxe'), request(path)].join(''),
  );
  expect(await lineOf('bootstrap.ign')).toMatch(/ \(2 fetches, last \d\d:\d\d\)$/);
  expect(await lineOf('master.ign')).toMatch(/ to 172\.16\.0\.21 and 2 others since .* \(no fetch yet\)$/);
});

test('the bootstrap is shut out once it is complete, and a node once it is Ready', async () => {
  const stages = { complete: { startedAt: START, doneAt: START } };
  world.context.memory.set('bootstrap-progress', { stages, changedAt: START, signature: '' });
  noteReady(world.context, ['m1', 'm2', 'm3']);
  await closeDoors(world.context);
  expect(await seen()).toEqual([expect.stringMatching(/^worker\.ign w1 /)]);
  expect([allowed('bootstrap'), allowed('master')]).toEqual([[], []]);
});

test('a person ends it at once, and may take that back', async () => {
  const told: string[] = [];
  await toggleIgnition(world.context, ['bs'], (line) => told.push(line));
  await toggleIgnition(world.context, ['m2'], (line) => told.push(line));
  expect(await seen()).toEqual(['master.ign m1 m3', expect.stringMatching(/^worker\.ign w1 /)]);
  expect(allowed('bootstrap')).toEqual([]);
  // Whatever looks at the server later leaves it so.
  await serve(world.context, () => undefined);
  expect(allowed('bootstrap')).toEqual([]);
  await toggleIgnition(world.context, ['bs'], (line) => told.push(line));
  expect(allowed('bootstrap')).toEqual(['127.16.0.11']);
  expect(told).toEqual([
    'bs: the ignition file is no longer served',
    'm2: the ignition file is no longer served',
    'bs: the ignition file is served again',
  ]);
});

test('nothing is served that is not there, and nothing by a server that does not run', async () => {
  const without = stepWorld();
  try {
    expect(await exposures(without.context)).toEqual([]);
    await without.startBootServer();
    await serve(without.context, () => undefined);
    expect(await exposures(without.context)).toEqual([]);
  } finally {
    await without.remove();
  }
});
