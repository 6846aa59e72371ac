import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import { findFollowJob, startFollowJob, stopFollowJob } from '../../../src/steps/shared/jobs.ts';
import { createStepFixture, type StepFixture } from '../../support/step-fixture.ts';

let world: StepFixture;
afterEach(() => world.remove());

test('following runs as its own job: started once, found again, stopped; only its owner can read the log', async () => {
  world = createStepFixture();
  const executable = join(world.dir, 'program.mjs');
  writeFileSync(executable, 'console.log(process.argv.slice(2).join(" ")); setInterval(() => {}, 1000);\n');
  const context = { dir: world.dir, programs: { ...world.context.programs, executable } };
  expect(await findFollowJob(context)).toBeNull();
  const job = await startFollowJob(context);
  try {
    expect(await startFollowJob(context)).toMatchObject({ wasRunning: true, pid: job.pid });
    expect(await findFollowJob(context)).toMatchObject({ state: 'running', processStart: job.processStart });
    while (readFileSync(job.logFile, 'utf8') === '') await systemClock.sleep(20);
    expect(readFileSync(job.logFile, 'utf8')).toBe(`csr approve --follow --forever --dir ${world.dir} --lang en\n`);
    expect(statSync(job.logFile).mode & 0o777).toBe(0o600);
  } finally {
    expect(await stopFollowJob(context)).toMatchObject({ state: 'ended' });
  }
});
