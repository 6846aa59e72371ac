import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { BootServerConfig } from '../../../src/host/boot-server/boot-config.ts';
import { readRequests } from '../../../src/host/boot-server/boot-log.ts';
import { readBootStatus } from '../../../src/host/boot-server/boot-status.ts';
import { english } from '../../../src/i18n/en/index.ts';
import { eventually } from '../../support/eventually.ts';
import { getBuiltProgram } from '../../support/rehearsal-run.ts';

const MAIN = getBuiltProgram('boot-server');
const GIB = 1024 ** 3;
/** Limits of its memory in KiB. A bare HTTP server of Node takes 47 MiB, of which 38 are pages of the program file. */
const IDLE_KIB = 70 * 1024;
const PEAK_KIB = 90 * 1024;

test('as a program: a gigabyte to a slow reader without holding it in memory, time of the anchor, ends on SIGTERM', async () => {
  const { dir, config, configFile } = createSite();
  writeFileSync(join(dir, 'images/kernel'), '');
  truncateSync(join(dir, 'images/kernel'), GIB);
  const anchorFile = join(dir, 'anchor.json');
  const anchor = { real: Date.now(), simulated: 5_000_000_000_000, speed: 60 };
  writeFileSync(anchorFile, JSON.stringify(anchor));
  writeFileSync(configFile, JSON.stringify({ ...config, clockAnchorFile: anchorFile }));
  const child = execFile(process.execPath, [MAIN, configFile]);
  try {
    await eventually(() =>
      expect(readBootStatus(config.statusFile)).toMatchObject({ state: 'listening', pid: child.pid }),
    );
    const status = readBootStatus(config.statusFile);
    const port = status?.state === 'listening' ? status.port : 0;
    expect(residentKib(child.pid ?? 0)).toBeLessThan(IDLE_KIB);
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
    expect(peak).toBeLessThan(PEAK_KIB);
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

test('as a program: the texts are loaded for the first problem of a machine', async () => {
  const { configFile, config } = createSite();
  const plan = { name: 'w1', mac: '52:54:00:12:34:56', cpu: 'v2', memoryMiB: 8192, firmware: 'uefi' } as const;
  const machines = [{ ...plan, addresses: ['127.0.0.1'], clients: ['127.0.0.1'], questions: [] }];
  writeFileSync(configFile, JSON.stringify({ ...config, machines }));
  const child = execFile(process.execPath, [MAIN, configFile, '--lang', 'en']);
  onTestFinished(() => void child.kill('SIGKILL'));
  const port = await eventually(() => {
    const status = readBootStatus(config.statusFile);
    if (status?.state !== 'listening') throw new Error('not listening yet');
    return status.port;
  });
  const response = await fetch(`http://127.0.0.1:${port}/machine?mac=52-54-00-12-34-56&cpu=v1`);
  expect(await response.text()).toContain(
    `set verdict stop\nset problem1 ${english.bastion.machineProblem.cpu('v1', 'v2')}`,
  );
});

test('as a program: a configuration that cannot be read is explained', async () => {
  const { configFile } = createSite();
  const { stderr, code } = await new Promise<{ stderr: string; code: unknown }>((resolve) =>
    execFile(process.execPath, [MAIN, configFile, '--lang', 'en'], (error, _, text) =>
      resolve({ stderr: text, code: error?.code }),
    ),
  );
  expect(code).toBe(1);
  expect(stderr).toContain(english.bastion.bootServer.config.title);
  expect(stderr).toContain(configFile);
});

/** Creates the directories of a site, and a configuration that is not written yet. */
function createSite() {
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
  return { dir, config, configFile: join(dir, 'config.json') };
}

const residentKib = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
