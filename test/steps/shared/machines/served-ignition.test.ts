import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startBootServerJob } from '../../../../src/steps/shared/machines/boot-server-job.ts';
import { updateIgnitionAccess } from '../../../../src/steps/shared/machines/ignition-access.ts';
import { recordReadyNodes } from '../../../../src/steps/shared/machines/node-facts.ts';
import {
  listServedIgnitionFiles,
  toggleIgnitionAccess,
} from '../../../../src/steps/shared/machines/served-ignition.ts';
import { createStepFixture, type StepFixture } from '../../../support/step-fixture.ts';
import { START } from '../../../support/wizard-state.ts';

let fixture: StepFixture;
beforeEach(async () => {
  fixture = createStepFixture({
    resolveEndpoint: (host, port) => ({ host: host.replace(/^172/, '127'), port: Math.max(port, 1024) }),
  });
  for (const name of ['bootstrap.ign', 'master.ign', 'worker.ign']) fixture.write(name, '{}');
  await fixture.startBootServer();
  await startBootServerJob(fixture.context, () => undefined);
});
afterEach(() => fixture.remove());

const listExposed = async () =>
  (await listServedIgnitionFiles(fixture.context)).map(({ file, nodes }) => `${file} ${nodes.join(' ')}`);
const findLine = async (file: string) =>
  (await listServedIgnitionFiles(fixture.context)).find((each) => each.file === file)?.line;
const readAllowed = (role: string) => {
  const { ignition } = JSON.parse(readFileSync(join(fixture.dir, '.upi-wizard/boot-server.json'), 'utf8')) as {
    ignition: Record<string, { allow: string[] }>;
  };
  return ignition[role]?.allow;
};
const requestLine = (path: string, changes: object = {}) =>
  `${JSON.stringify({ at: START, client: '127.16.0.11', method: 'GET', path, status: 200, bytes: 9, complete: true, ...changes })}\n`;

test('each served file is listed with its clients, since when, and its fetches', async () => {
  expect(await listExposed()).toEqual([
    'bootstrap.ign bs',
    'master.ign m1 m2 m3',
    expect.stringMatching(/^worker\.ign w1 /),
  ]);
  expect(await findLine('bootstrap.ign')).toMatch(
    /^bootstrap\.ign is offered to 172\.16\.0\.11, since \d\d:\d\d \(no fetch yet\)$/,
  );
  const path = '/ignition/bootstrap.ign';
  const others = [{ complete: false }, { method: 'HEAD' }, { status: 403 }].map((changes) =>
    requestLine(path, changes),
  );
  fixture.write(
    '.upi-wizard/boot-requests.ndjson',
    [
      requestLine(path),
      ...others,
      requestLine('/boot.ipxe'),
      requestLine(path),
      // Another machine, which may fetch the same file, and did.
      requestLine('/ignition/worker.ign', { client: '127.16.0.32' }),
    ].join(''),
  );
  expect(await findLine('bootstrap.ign')).toMatch(/ \(2 fetches, last \d\d:\d\d\)$/);
  expect(await findLine('worker.ign')).toMatch(/ \(1 fetch, last \d\d:\d\d\)$/);
  recordReadyNodes(fixture.context, ['w2']);
  await updateIgnitionAccess(fixture.context);
  expect(await findLine('worker.ign'), 'the fetches of a node that has joined do not count').toMatch(
    / \(no fetch yet\)$/,
  );
  expect(await findLine('master.ign')).toMatch(/ to 172\.16\.0\.21 and 2 others, since .* \(no fetch yet\)$/);
});

test('the bootstrap machine loses access once bootstrap is complete, and a node once it is Ready', async () => {
  const stages = { complete: { startedAt: START, doneAt: START } };
  fixture.context.stepState.set('bootstrap-progress', { stages, changedAt: START, signature: '' });
  recordReadyNodes(fixture.context, ['m1', 'm2', 'm3']);
  await updateIgnitionAccess(fixture.context);
  expect(await listExposed()).toEqual([expect.stringMatching(/^worker\.ign w1 /)]);
  expect([readAllowed('bootstrap'), readAllowed('master')]).toEqual([[], []]);
});

test('the user can revoke access at once, and grant it again', async () => {
  const lines: string[] = [];
  await toggleIgnitionAccess(fixture.context, ['bs'], (line) => lines.push(line));
  await toggleIgnitionAccess(fixture.context, ['m2'], (line) => lines.push(line));
  expect(await listExposed()).toEqual(['master.ign m1 m3', expect.stringMatching(/^worker\.ign w1 /)]);
  expect(readAllowed('bootstrap')).toEqual([]);
  // A later start of the server keeps access revoked.
  await startBootServerJob(fixture.context, () => undefined);
  expect(readAllowed('bootstrap')).toEqual([]);
  await toggleIgnitionAccess(fixture.context, ['bs'], (line) => lines.push(line));
  expect(readAllowed('bootstrap')).toEqual(['127.16.0.11']);
  expect(lines).toEqual([
    'bs: the ignition file is no longer served',
    'm2: the ignition file is no longer served',
    'bs: the ignition file is served again',
  ]);
});

test('a file that is missing is not listed, nor any file of a server that does not run', async () => {
  const emptyWorld = createStepFixture();
  try {
    expect(await listServedIgnitionFiles(emptyWorld.context)).toEqual([]);
    await emptyWorld.startBootServer();
    await startBootServerJob(emptyWorld.context, () => undefined);
    expect(await listServedIgnitionFiles(emptyWorld.context)).toEqual([]);
  } finally {
    await emptyWorld.remove();
  }
});
