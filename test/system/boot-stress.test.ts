import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { runStressOnSmallDisk } from '../support/boot-stress.ts';
import { testInNamespace } from '../support/namespace.ts';

testInNamespace()(
  '200 stalled downloads, 1,500 half-open clients, a full disk and 5 kills: every node is served',
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'siege-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    // The supervisor's pauses, at a tenth of their length.
    mkdirSync(join(dir, 'bin'));
    writeFileSync(join(dir, 'bin/sleep'), '#!/bin/sh\nexec /bin/sleep "$(($1 / 10)).$(($1 % 10))"\n');
    chmodSync(join(dir, 'bin/sleep'), 0o755);
    const result = await runStressOnSmallDisk({
      stateDir: join(dir, 'state'),
      filesDir: join(dir, 'files'),
      stalled: 200,
      halfOpen: 1500,
      isDiskFull: true,
      kills: 5,
      nodes: 10,
      path: `${dir}/bin:/usr/bin:/bin`,
    });
    expect(result).toMatchObject({
      served: 10,
      servedThroughKills: 10,
      disk: 'ENOSPC',
      job: 'running, restarted 5 times',
    });
  },
);
