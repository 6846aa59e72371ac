import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findJob } from '../../src/host/jobs/job-status.ts';
import { findSite } from '../../src/rehearsal/site-client.ts';
import { findMoveJob } from '../../src/steps/shared/moves/move-job.ts';
import { MOVES_JOB } from '../../src/steps/shared/moves/move-run.ts';
import { eventually } from '../support/eventually.ts';
import {
  createSandbox,
  FAST_SPEED,
  listFilesBelow,
  listProcesses,
  runWizard,
  startRehearsal,
  wizardExecutable,
} from '../support/rehearsal-run.ts';

const sandbox = createSandbox();
afterAll(sandbox.remove);

/**
 * Moments at which the wizard is killed: in the middle of a step, at a line that it prints however rarely it probes.
 */
const KILLS: readonly (readonly [string, RegExp])[] = [
  ['between two machines of the boot', /^ {2}power on m1$/m],
  ['while the machines boot', /^ {2}power on m3$/m],
  // On a busy machine the simulated bootstrap may be complete before the wizard gets there: it then waits for nothing.
  ['while the control plane joins', /^ {2}openshift-install wait-for bootstrap-complete$|^\[13\/17\]/m],
  ['while requests are approved', /^ {2}approved csr-/m],
  ['in the middle of the moves', /^ {2}router: /m],
];

test('killed with SIGKILL in step after step, the rehearsal resumes where it was and does nothing twice', async () => {
  const dir = sandbox.dir('killed');
  const printed: string[] = [];
  const site = join(dir, '.upi-wizard/site');
  let firstIgnition = '';
  let sitePid = 0;
  for (const [when, pattern] of KILLS) {
    // Between runs the site runs at speed 1. Otherwise the cluster would be past the step in which the next run is
    // killed.
    const existingSite = await findSite(site);
    const run = startRehearsal(dir, { sandbox, speed: existingSite ? 1 : FAST_SPEED });
    if (existingSite) await run.waitForOutput(/^\[1[1-6]\/17\]/m).then(() => existingSite.setSpeed(FAST_SPEED));
    await run.waitForOutput(pattern);
    const { code, signal, stdout } = await run.kill9();
    expect({ code, signal }, when).toEqual({ code: null, signal: 'SIGKILL' });
    await (await findSite(site))?.setSpeed(1);
    printed.push(stdout);
    // The site stays alive, as the same process each time.
    const { pid } = JSON.parse(readFileSync(join(site, 'running.json'), 'utf8')) as { pid: number };
    sitePid = sitePid === 0 ? pid : sitePid;
    expect(pid, when).toBe(sitePid);
    expect((await findSite(site)) === null, when).toBe(false);
    firstIgnition = firstIgnition === '' ? hashIgnition(dir) : firstIgnition;
  }
  const { code, stdout } = await startRehearsal(dir, { sandbox }).exit;
  printed.push(stdout);

  expect(code, stdout).toBe(0);
  expect(stdout).toContain('Everything is done and verified.');
  expect(hashIgnition(dir), 'ignition was made once').toBe(firstIgnition);
  expect(countOccurrences(printed, 'openshift-install create ignition-configs: their certificates')).toBe(2); // in the plan, and done
  expectOneBootEach(dir);
  // The next run follows the job of the moves from its beginning: only its own log has each line once.
  const jobLog = readFileSync(join(dir, '.upi-wizard/jobs/infra-moves.log'), 'utf8');
  expect(countOccurrences([jobLog], 'DNS default: changed')).toBe(1);
  expect(listApprovals(printed).length, 'each request was approved once').toBe(new Set(listApprovals(printed)).size);
  expect(listFilesBelow(join(dir, 'files')).filter((file) => file.includes('.orig'))).toEqual([]);
  expect(listProcesses(dir), 'nothing runs on').toEqual([]);
});

test('the moves go on when their wizard is killed; when their job is killed, the next run says so, and the one after it finishes', async () => {
  const dir = sandbox.dir('moves');
  const site = join(dir, '.upi-wizard/site');
  const first = startRehearsal(dir, { sandbox });
  await first.waitForOutput(/^ {2}\d\d:\d\d move dns$/m);
  await (await findSite(site))?.setSpeed(5);
  await first.kill9();
  // The job goes on to the next move alone.
  await eventually(() => expect(findMoveJob({ dir })).toMatchObject({ state: 'running', move: 'router' }));
  const job = await findJob(join(dir, '.upi-wizard/jobs'), MOVES_JOB);
  if (!job?.pid) throw new Error('the job has no process');
  process.kill(job.pid, 'SIGKILL');
  await eventually(() => expect(findMoveJob({ dir })).toMatchObject({ state: 'died' }));
  await (await findSite(site))?.setSpeed(FAST_SPEED);
  const second = await startRehearsal(dir, { sandbox }).exit;
  expect(second.code, second.stdout).toBe(4);
  expect(second.stdout).toContain('it was killed (SIGKILL). It was applying router.');
  const third = await startRehearsal(dir, { sandbox }).exit;
  expect(third.code, third.stdout).toBe(0);
  expect(third.stdout).toContain('Everything is done and verified.');
});

test('killed together with its site, the rehearsal restarts the site and continues; a signal ends it with its exit code and a note that the site keeps running; --stop ends the site and every job', async () => {
  const dir = sandbox.dir('early');
  const first = startRehearsal(dir, { sandbox });
  await first.waitForOutput(/^\[8\/17\]/m);
  await first.kill9();
  const { pid } = JSON.parse(readFileSync(join(dir, '.upi-wizard/site/running.json'), 'utf8')) as { pid: number };
  process.kill(pid, 'SIGKILL');
  const second = startRehearsal(dir, { sandbox });
  await second.waitForOutput(/done in (?:\d+ h )?\d+ (?:h|min|s): all 4 machines fetched their ignition/);
  const { stdout } = await second.kill9();
  expect(stdout).not.toMatch(/fatal:/);
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    const run = startRehearsal(dir, { sandbox });
    await run.waitForOutput(/^\[1[12]\/17\]/m);
    run.process.kill(signal);
    const outcome = await run.exit;
    expect(outcome, outcome.stderr).toMatchObject({ code, signal: null });
    expect(outcome.stderr).toContain(`node ${wizardExecutable} rehearse --stop --dir ${dir}`);
    expect(outcome.stderr).not.toMatch(/^ +at /m);
  }
  const running = listProcesses(dir).map(({ command }) => command);
  expect(running.some((command) => command.includes('boot-server'))).toBe(true);
  expect((await runWizard(['rehearse', '--stop', '--dir', dir], { sandbox })).code).toBe(0);
  expect(listProcesses(dir)).toEqual([]);
});

function hashIgnition(dir: string): string {
  return createHash('sha256')
    .update(readFileSync(join(dir, 'bootstrap.ign')))
    .digest('hex');
}

const countOccurrences = (texts: readonly string[], part: string) => texts.join('\n').split(part).length - 1;

const listApprovals = (texts: readonly string[]) =>
  [...texts.join('\n').matchAll(/^ {2}approved (\S+) for /gm)].map(([, name = '']) => name);

/** Asserts that every machine fetched its boot script and its ignition once: none was started twice. */
function expectOneBootEach(dir: string): void {
  const requestPaths = readFileSync(join(dir, '.upi-wizard/boot-requests.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { method: string; path: string })
    // The bastion sends HEAD requests only, to check that files are served.
    .filter(({ method }) => method === 'GET')
    .map(({ path }) => path);
  const scripts = requestPaths.filter((path) => /\/ipxe\/[0-9a-f-]+\.ipxe$/.test(path));
  expect(scripts.length).toBe(10);
  expect(new Set(scripts).size).toBe(10);
  expect(requestPaths.filter((path) => path.startsWith('/ignition/')).length).toBe(10);
}
