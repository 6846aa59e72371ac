import { mkdirSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { findJob } from '../../../src/bastion/jobs/job-status.ts';
import { startJob } from '../../../src/bastion/jobs/jobs.ts';
import { systemClock } from '../../../src/ports/clock.ts';
import { livingProcess } from '../../../src/ports/process-identity.ts';
import { jobFindings } from '../../../src/steps/shared/job-findings.ts';
import { BOOT_SERVER_JOB, serve, whoServes } from '../../../src/steps/shared/machines/serving.ts';
import { workspace } from '../../../src/steps/shared/workspace.ts';
import { eventually } from '../../support/eventually.ts';
import { type StepWorld, stepWorld } from '../../support/step-world.ts';

const BOOT_SERVER = join(import.meta.dirname, '../../../src/bastion/boot/boot-server-main.ts');
let world: StepWorld;
let port: number;

afterEach(() => world.remove());

/** A world whose bastion is this machine, with the real boot server; its port is free. */
async function bastion() {
  port = await new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = probe.address() as AddressInfo;
      probe.close(() => resolve(free));
    });
  });
  world = stepWorld({ clock: systemClock, reach: () => ({ host: '127.0.0.1', port }) });
  const context = { ...world.context, programs: { bootServer: BOOT_SERVER, executable: '' } };
  const root = `${workspace(world.dir).filesOf(context.design.services.bastion.name)}/var/www/upi-wizard`;
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'boot.ipxe'), '#!ipxe\n');
  return { context, job: () => findJob(workspace(world.dir).jobs, BOOT_SERVER_JOB) };
}

test('a killed boot server serves again, and the screen is told; without its supervisor it is begun anew', async () => {
  const { context, job } = await bastion();
  await serve(context, () => undefined);
  expect(await jobFindings(context, BOOT_SERVER_JOB)).toEqual([]);
  const first = (await job())?.pid ?? 0;
  process.kill(first, 'SIGKILL');
  const findings = await eventually(async () => {
    const found = await jobFindings(context, BOOT_SERVER_JOB);
    expect(found[0]?.title).toMatch(
      /^The boot server was ended by SIGKILL at \d\d:\d\d and was restarted, 1 time so far$/,
    );
    return found;
  });
  expect(findings).toMatchObject([{ code: 'job-restarted', severity: 'warning' }]);
  await eventually(async () => expect(await job()).toMatchObject({ state: 'running', isPausing: false }));
  expect(await whoServes(context)).toBe('ours');
  const second = (await job())?.pid ?? 0;
  process.kill(livingProcess(second)?.group ?? 0, 'SIGKILL');
  await eventually(async () =>
    expect(await jobFindings(context, BOOT_SERVER_JOB)).toMatchObject([
      { title: expect.stringContaining('nothing restarts it') },
    ]),
  );
  await serve(context, () => undefined);
  expect(await job()).toMatchObject({ isSupervised: true, restarted: null });
  expect(livingProcess(second)).toBeNull();
  const third = (await job())?.pid ?? 0;
  process.kill(livingProcess(third)?.group ?? 0, 'SIGKILL');
  process.kill(third, 'SIGKILL');
  await eventually(async () =>
    expect(await jobFindings(context, BOOT_SERVER_JOB)).toMatchObject([{ title: 'The boot server no longer runs' }]),
  );
  expect(await whoServes(context)).toBeNull();
  await serve(context, () => undefined);
  expect(await jobFindings(context, BOOT_SERVER_JOB)).toEqual([]);
});

test('a boot server whose port is taken says so at once and is not tried again; one that loses it later is', async () => {
  const { context, job } = await bastion();
  const other = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
  await eventually(() => expect(other.listening).toBe(true));
  await expect(serve(context, () => undefined)).rejects.toMatchObject({ trouble: { code: 'boot-server-port-taken' } });
  expect((await job())?.state).toBe('ended');
  const config = workspace(world.dir).bootConfig;
  const argv = [process.execPath, BOOT_SERVER, config];
  await startJob({
    dir: workspace(world.dir).jobs,
    name: BOOT_SERVER_JOB,
    argv,
    clock: systemClock,
    restart: 'failed',
  });
  await eventually(async () => {
    const [found] = await jobFindings(context, BOOT_SERVER_JOB);
    expect(found?.title).toMatch(/does not keep running: it ended with code 1 at \d\d:\d\d, 3 times in a row$/);
    expect(found?.cause).toContain('The port of the boot server is in use: Another program listens on');
    expect(found?.whatToDo).toContain('60 seconds');
  });
  await eventually(async () => expect(await whoServes(context)).toBeNull());
  await new Promise((resolve) => other.close(resolve));
  await serve(context, () => undefined);
  expect(await whoServes(context)).toBe('ours');
});
