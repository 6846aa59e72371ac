import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { MINUTE } from '../../../../src/ports/clock.ts';
import { isServerRunning, serve } from '../../../../src/steps/shared/machines/serving.ts';
import { manualClock, turn } from '../../../support/manual-clock.ts';
import { stepWorld } from '../../../support/step-world.ts';
import { START } from '../../../support/wizard-state.ts';

/** Serves boot.ipxe where its configuration says, as soon as a file named `go` lies beside it. */
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

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('a boot server that takes its time to start has it, however fast the clock of a rehearsal runs', async () => {
  const port = await freePort();
  const clock = manualClock(START);
  const world = stepWorld({ clock, reach: () => ({ host: '127.0.0.1', port }) });
  onTestFinished(() => world.remove());
  world.write('slow.mjs', SLOW_SERVER);
  const context = { ...world.context, programs: { bootServer: join(world.dir, 'slow.mjs'), executable: '' } };
  let isOver = false;
  const served = serve(context, () => undefined).finally(() => {
    isOver = true;
  });
  served.catch(() => undefined);
  while (!isOver && clock.now() - START < 60 * MINUTE) {
    await clock.advance(MINUTE / 2);
    await turn();
  }
  expect(isOver).toBe(false);
  world.write('go', '');
  while (!isOver) await clock.advance(MINUTE / 2);
  await served;
  expect(await isServerRunning(context)).toBe(true);
});
