import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { BootServerConfig } from '../../../src/host/boot-server/boot-config.ts';
import { readRequests } from '../../../src/host/boot-server/boot-log.ts';
import { readBootStatus } from '../../../src/host/boot-server/boot-status.ts';
import { eventually } from '../../support/eventually.ts';
import { getBuiltProgram } from '../../support/rehearsal-run.ts';

const MAIN = getBuiltProgram('boot-server');
const GIB = 1024 ** 3;

test('as a program: a gigabyte to a slow reader without holding it in memory, time of the anchor, ends on SIGTERM', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'boot-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const name of ['web', 'images']) mkdirSync(join(dir, name));
  const config: BootServerConfig = {
    listen: { host: '127.0.0.1', port: 0 },
    webRoot: join(dir, 'web'),
    imagesDir: join(dir, 'images'),
    ignition: {},
    logFile: join(dir, 'requests.ndjson'),
    statusFile: join(dir, 'status.json'),
    clockAnchorFile: null,
  };
  writeFileSync(join(dir, 'images/kernel'), '');
  truncateSync(join(dir, 'images/kernel'), GIB);
  const anchorFile = join(dir, 'anchor.json');
  const anchor = { real: Date.now(), simulated: 5_000_000_000_000, speed: 60 };
  writeFileSync(anchorFile, JSON.stringify(anchor));
  writeFileSync(join(dir, 'config.json'), JSON.stringify({ ...config, clockAnchorFile: anchorFile }));
  const child = execFile(process.execPath, [MAIN, join(dir, 'config.json')]);
  try {
    await eventually(() =>
      expect(readBootStatus(config.statusFile)).toMatchObject({ state: 'listening', pid: child.pid }),
    );
    const status = readBootStatus(config.statusFile);
    const port = status?.state === 'listening' ? status.port : 0;
    let received = 0;
    let peak = 0;
    await new Promise<void>((resolve, reject) => {
      httpRequest({ host: '127.0.0.1', port, path: '/images/kernel' }, (response) => {
        response.on('data', (chunk: Buffer) => {
          received += chunk.length;
          if (received % (64 * 1024 * 1024) < chunk.length) peak = Math.max(peak, residentKib(child.pid ?? 0));
        });
        response.on('end', resolve);
      })
        .on('error', reject)
        .end();
    });
    expect(received).toBe(GIB);
    expect(peak).toBeGreaterThan(0);
    expect(peak).toBeLessThan(250 * 1024);
    process.kill(child.pid ?? 0, 'SIGHUP');
    await eventually(async () =>
      expect((await readRequests(config.logFile)).requests[0]?.at).toBeGreaterThan(anchor.simulated),
    );
    expect(child.exitCode).toBeNull();
    const exit = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  } finally {
    child.kill('SIGKILL');
  }
});

const residentKib = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
