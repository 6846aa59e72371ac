import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serveControl } from '../../../src/rehearsal/site/control-server.ts';
import { sitePaths } from '../../../src/rehearsal/site/files.ts';
import type { SiteHost } from '../../../src/rehearsal/site/site.ts';

test('a site that nobody speaks to is stopped after its time', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'upi-control-'));
  const paths = sitePaths(dir);
  const stopped = Promise.withResolvers<string>();
  const control = await serveControl({} as SiteHost, paths, () => stopped.resolve('stopped'), 20);
  expect(await stopped.promise).toBe('stopped');
  control.close();
  rmSync(dir, { recursive: true });
});
