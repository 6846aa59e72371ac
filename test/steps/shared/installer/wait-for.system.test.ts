import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { claimStart, getJobFiles, writeStartRecord } from '../../../../src/host/jobs/job-files.ts';
import { startJob, stopJob } from '../../../../src/host/jobs/jobs.ts';
import { systemClock } from '../../../../src/platform/clock.ts';
import { readWaitState } from '../../../../src/steps/shared/installer/wait-for.ts';
import { workspace } from '../../../../src/steps/shared/workspace.ts';
import { eventually } from '../../../support/eventually.ts';
import { createStepFixture, type StepFixture } from '../../../support/step-fixture.ts';

const name = 'bootstrap-complete';
let fixture: StepFixture;
beforeEach(() => {
  fixture = createStepFixture();
});
afterEach(async () => {
  await stopJob(workspace(fixture.dir).jobsDir, name, { clock: systemClock });
  await fixture.remove();
});

const start = (script: string) =>
  startJob({ dir: workspace(fixture.dir).jobsDir, name, argv: ['/bin/sh', '-c', script], clock: systemClock });

test('a wait that is starting again is not reported as stopped with an error', async () => {
  await start('true');
  await eventually(async () => expect(await readWaitState(fixture.context, name)).toEqual({ state: 'complete' }));
  const files = getJobFiles(workspace(fixture.dir).jobsDir, name);
  const release = claimStart(files);
  writeStartRecord(files, {
    name,
    argv: ['/bin/true'],
    startedAt: 0,
    restart: 'killed',
    unit: null,
    home: null,
    version: null,
  });
  expect(await readWaitState(fixture.context, name)).toEqual({ state: 'running' });
  release?.();
  expect(await readWaitState(fixture.context, name)).toEqual({ state: 'none' });
});

test('a wait without a recorded end is started again, and is no error', async () => {
  const { pid } = await start('exec sleep 600');
  const shellPid = Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]);
  for (const each of [shellPid, Number(pid)]) process.kill(each, 'SIGKILL');
  await eventually(async () => expect(await readWaitState(fixture.context, name)).toEqual({ state: 'none' }));
});
