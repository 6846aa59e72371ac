import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { findJob } from '../../../src/host/jobs/job-status.ts';
import { startJob } from '../../../src/host/jobs/jobs.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { findLiveProcess } from '../../../src/platform/process.ts';
import { checkJob } from '../../../src/steps/shared/jobs.ts';
import {
  BOOT_SERVER_JOB,
  detectBootServer,
  startBootServerJob,
} from '../../../src/steps/shared/machines/boot-server-job.ts';
import { workspace } from '../../../src/steps/shared/workspace.ts';
import { eventually } from '../../support/eventually.ts';
import { createStepFixture, type StepFixture } from '../../support/step-fixture.ts';

const BOOT_SERVER = join(import.meta.dirname, '../../../src/host/boot-server/boot-server-main.ts');
let fixture: StepFixture;
let port: number;

afterEach(() => fixture.remove());

/** Creates a world whose bastion is this machine, with the real boot server on a free port. */
async function createBastion() {
  port = await new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = probe.address() as AddressInfo;
      probe.close(() => resolve(free));
    });
  });
  fixture = createStepFixture({ clock: systemClock, resolveEndpoint: () => ({ host: '127.0.0.1', port }) });
  const context = { ...fixture.context, programs: { bootServer: BOOT_SERVER, executable: '' } };
  const root = `${workspace(fixture.dir).hostFilesDir(context.design.services.bastion.name)}/var/www/upi-wizard`;
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'boot.ipxe'), '#!ipxe\n');
  return { context, readJob: () => findJob(workspace(fixture.dir).jobsDir, BOOT_SERVER_JOB) };
}

test('a killed boot server serves again and is reported; without its supervisor it is started again', async () => {
  const { context, readJob } = await createBastion();
  await startBootServerJob(context, () => undefined);
  expect(await checkJob(context, BOOT_SERVER_JOB)).toEqual([]);
  const first = (await readJob())?.pid ?? 0;
  process.kill(first, 'SIGKILL');
  const findings = await eventually(async () => {
    const found = await checkJob(context, BOOT_SERVER_JOB);
    expect(found[0]?.title).toMatch(
      /^The boot server was terminated by SIGKILL at \d\d:\d\d and was restarted, 1 time so far$/,
    );
    return found;
  });
  expect(findings).toMatchObject([{ code: 'job-restarted', severity: 'warning' }]);
  await eventually(async () => expect(await readJob()).toMatchObject({ state: 'running', isAwaitingRestart: false }));
  expect(await detectBootServer(context)).toBe('ours');
  const second = (await readJob())?.pid ?? 0;
  process.kill(findLiveProcess(second)?.group ?? 0, 'SIGKILL');
  await eventually(async () =>
    expect(await checkJob(context, BOOT_SERVER_JOB)).toMatchObject([
      { title: expect.stringContaining('nothing restarts it') },
    ]),
  );
  await startBootServerJob(context, () => undefined);
  expect(await readJob()).toMatchObject({ isSupervised: true, lastRestart: null });
  expect(findLiveProcess(second)).toBeNull();
  const third = (await readJob())?.pid ?? 0;
  process.kill(findLiveProcess(third)?.group ?? 0, 'SIGKILL');
  process.kill(third, 'SIGKILL');
  await eventually(async () =>
    expect(await checkJob(context, BOOT_SERVER_JOB)).toMatchObject([{ title: 'The boot server no longer runs' }]),
  );
  expect(await detectBootServer(context)).toBeNull();
  await startBootServerJob(context, () => undefined);
  expect(await checkJob(context, BOOT_SERVER_JOB)).toEqual([]);
});

test('a boot server whose port is taken reports that at once and is not restarted; one that loses its port later is', async () => {
  const { context, readJob } = await createBastion();
  const other = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
  await eventually(() => expect(other.listening).toBe(true));
  await expect(startBootServerJob(context, () => undefined)).rejects.toMatchObject({
    userError: { code: 'boot-server-port-taken' },
  });
  expect((await readJob())?.state).toBe('ended');
  const config = workspace(fixture.dir).bootConfig;
  const argv = [process.execPath, BOOT_SERVER, config];
  await startJob({
    dir: workspace(fixture.dir).jobsDir,
    name: BOOT_SERVER_JOB,
    argv,
    clock: systemClock,
    restart: 'failed',
  });
  await eventually(async () => {
    const [found] = await checkJob(context, BOOT_SERVER_JOB);
    expect(found?.title).toMatch(/does not keep running: it exited with code 1 at \d\d:\d\d, 3 times in a row$/);
    expect(found?.cause).toContain('The port of the boot server is in use: Another program listens on');
    expect(found?.remedy).toContain('60 seconds');
  });
  await eventually(async () => expect(await detectBootServer(context)).toBeNull());
  await new Promise((resolve) => other.close(resolve));
  await startBootServerJob(context, () => undefined);
  expect(await detectBootServer(context)).toBe('ours');
});

test('a boot server of another version is named, followed, and replaced once it was ended', async () => {
  const { context, readJob } = await createBastion();
  const older = { ...context, programs: { ...context.programs, version: '0.1.0' } };
  const newer = { ...context, programs: { ...context.programs, version: '0.2.0' } };
  await startBootServerJob(older, () => undefined);
  expect(await checkJob(older, BOOT_SERVER_JOB)).toEqual([]);
  const first = (await readJob())?.pid ?? 0;
  expect(await detectBootServer(newer)).toBe('ours');
  await startBootServerJob(newer, () => undefined);
  expect((await readJob())?.pid).toBe(first);
  const [found] = await checkJob(newer, BOOT_SERVER_JOB);
  expect(found).toMatchObject({ code: 'job-other-version', remedy: expect.stringContaining(`kill ${first}`) });
  // Versions before this one recorded none.
  const { jobsDir } = workspace(fixture.dir);
  const record = join(jobsDir, `${BOOT_SERVER_JOB}.json`);
  const { version: _, ...intent } = JSON.parse(readFileSync(record, 'utf8'));
  writeFileSync(record, `${JSON.stringify(intent)}\n`);
  expect(await checkJob(newer, BOOT_SERVER_JOB)).toMatchObject([
    { cause: expect.stringContaining('recorded no version number') },
  ]);
  process.kill(first, 'SIGTERM');
  await eventually(async () => expect(await readJob()).toMatchObject({ state: 'ended' }));
  await startBootServerJob(newer, () => undefined);
  expect(await readJob()).toMatchObject({ state: 'running', version: '0.2.0' });
  expect(await checkJob(newer, BOOT_SERVER_JOB)).toEqual([]);
});
