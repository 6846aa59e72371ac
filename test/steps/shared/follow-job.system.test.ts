import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import { findCsrApprovalJob, startCsrApprovalJob, stopCsrApprovalJob } from '../../../src/steps/shared/jobs.ts';
import { createStepFixture, type StepFixture } from '../../support/step-fixture.ts';

let fixture: StepFixture;
afterEach(() => fixture.remove());

test('following runs as its own job: started once, found again, stopped; only its owner can read the log', async () => {
  fixture = createStepFixture();
  const executable = join(fixture.dir, 'program.mjs');
  writeFileSync(executable, 'console.log(process.argv.slice(2).join(" ")); setInterval(() => {}, 1000);\n');
  const context = { dir: fixture.dir, programs: { ...fixture.context.programs, executable } };
  expect(await findCsrApprovalJob(context)).toBeNull();
  const job = await startCsrApprovalJob(context);
  try {
    expect(await startCsrApprovalJob(context)).toMatchObject({ wasRunning: true, pid: job.pid });
    expect(await findCsrApprovalJob(context)).toMatchObject({ state: 'running', processStart: job.processStart });
    while (readFileSync(job.logFile, 'utf8') === '') await systemClock.sleep(20);
    expect(readFileSync(job.logFile, 'utf8')).toBe(`csr approve --follow --forever --dir ${fixture.dir} --lang en\n`);
    expect(statSync(job.logFile).mode & 0o777).toBe(0o600);
  } finally {
    expect(await stopCsrApprovalJob(context)).toMatchObject({ state: 'ended' });
  }
});
