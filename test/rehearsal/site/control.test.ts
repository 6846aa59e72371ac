import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serveControl } from '../../../src/rehearsal/site/control-server.ts';
import { getSitePaths } from '../../../src/rehearsal/site/files.ts';
import type { SimulatedSite } from '../../../src/rehearsal/site/site.ts';

test('an idle site is stopped after its timeout', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'upi-control-'));
  const paths = getSitePaths(dir);
  const stopped = Promise.withResolvers<string>();
  const control = await serveControl({} as SimulatedSite, paths, () => stopped.resolve('stopped'), 20);
  expect(await stopped.promise).toBe('stopped');
  control.close();
  rmSync(dir, { recursive: true });
});
