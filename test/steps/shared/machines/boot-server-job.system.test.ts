import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { MINUTE } from '../../../../src/platform/clock.ts';
import { isServerRunning, startBootServerJob } from '../../../../src/steps/shared/machines/boot-server-job.ts';
import { findFreePort } from '../../../support/free-port.ts';
import { manualClock, nextTurn } from '../../../support/manual-clock.ts';
import { createStepFixture } from '../../../support/step-fixture.ts';
import { START } from '../../../support/wizard-state.ts';

/** Serves boot.ipxe at the configured address as soon as a file named `go` exists beside it. */
const SLOW_SERVER = `
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
const { listen } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const look = setInterval(() => {
  if (!existsSync(new URL('go', import.meta.url))) return;
  clearInterval(look);
  createServer((request, response) => response.end('#!ipxe')).listen(listen.port, listen.host);
}, 20);
`;

test('a slow boot server gets enough time to start, however fast the clock of a rehearsal runs', async () => {
  const port = await findFreePort();
  const clock = manualClock(START);
  const fixture = createStepFixture({ clock, resolveEndpoint: () => ({ host: '127.0.0.1', port }) });
  onTestFinished(() => fixture.remove());
  fixture.write('slow.mjs', SLOW_SERVER);
  const context = { ...fixture.context, programs: { bootServer: join(fixture.dir, 'slow.mjs'), executable: '' } };
  let isOver = false;
  const result = startBootServerJob(context, () => undefined).finally(() => {
    isOver = true;
  });
  result.catch(() => undefined);
  while (!isOver && clock.now() - START < 60 * MINUTE) {
    await clock.advance(MINUTE / 2);
    await nextTurn();
  }
  expect(isOver).toBe(false);
  fixture.write('go', '');
  while (!isOver) await clock.advance(MINUTE / 2);
  await result;
  expect(await isServerRunning(context)).toBe(true);
});
