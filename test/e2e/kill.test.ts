import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findSite } from '../../src/rehearsal/site-client.ts';
import {
  executable,
  FAST,
  filesBelow,
  makeSandbox,
  processesOf,
  runWizard,
  startRehearsal,
} from '../support/rehearsal-run.ts';

const sandbox = makeSandbox();
afterAll(sandbox.remove);

/** Where the wizard is killed: in the middle of a step, by a line that it prints however seldom it looks. */
const KILLS: readonly (readonly [string, RegExp])[] = [
  ['between two machines of the boot', /^ {2}power on m1$/m],
  ['while the machines boot', /^ {2}power on m3$/m],
  ['while the control plane joins', /^ {2}openshift-install wait-for bootstrap-complete$/m],
  ['while requests are approved', /^ {2}approved csr-/m],
  ['in the middle of the moves', /^ {2}router: /m],
];

test('killed with -9 in step after step, the rehearsal goes on where it was and does nothing twice', async () => {
  const dir = sandbox.dir('killed');
  const printed: string[] = [];
  const site = join(dir, '.upi-wizard/site');
  let firstIgnition = '';
  let sitePid = 0;
  for (const [when, pattern] of KILLS) {
    // The site's time all but stands while nobody looks: the cluster would be further than the step to be killed.
    const known = await findSite(site);
    const run = startRehearsal(dir, { sandbox, speed: known ? 1 : FAST });
    if (known) await run.prints(/^\[1[1-6]\/17\]/m).then(() => known.setSpeed(FAST));
    await run.prints(pattern);
    const { code, signal, stdout } = await run.kill9();
    expect({ code, signal }, when).toEqual({ code: null, signal: 'SIGKILL' });
    await (await findSite(site))?.setSpeed(1);
    printed.push(stdout);
    // The site lives on, and is the same one each time.
    const { pid } = JSON.parse(readFileSync(join(site, 'running.json'), 'utf8')) as { pid: number };
    sitePid = sitePid === 0 ? pid : sitePid;
    expect(pid, when).toBe(sitePid);
    expect((await findSite(site)) === null, when).toBe(false);
    firstIgnition = firstIgnition === '' ? ignitionOf(dir) : firstIgnition;
  }
  const { code, stdout } = await startRehearsal(dir, { sandbox }).ended;
  printed.push(stdout);

  expect(code, stdout).toBe(0);
  expect(stdout).toContain('Everything is done and verified.');
  expect(ignitionOf(dir), 'ignition was made once').toBe(firstIgnition);
  expect(countOf(printed, 'openshift-install create ignition-configs: certificates')).toBe(2); // in the plan, and done
  expectOneBootEach(dir);
  expect(countOf(printed, 'DNS default: changed')).toBeLessThanOrEqual(1);
  expect(approvals(printed).length, 'each request was approved once').toBe(new Set(approvals(printed)).size);
  expect(filesBelow(join(dir, 'files')).filter((file) => file.includes('.orig'))).toEqual([]);
  expect(processesOf(dir), 'nothing runs on').toEqual([]);
});

test('killed together with its site, the rehearsal starts the site again and goes on; a signal then ends it with its code and says that the site goes on; --stop ends that and every job', async () => {
  const dir = sandbox.dir('early');
  const first = startRehearsal(dir, { sandbox });
  await first.prints(/^\[8\/17\]/m);
  await first.kill9();
  const { pid } = JSON.parse(readFileSync(join(dir, '.upi-wizard/site/running.json'), 'utf8')) as { pid: number };
  process.kill(pid, 'SIGKILL');
  const second = startRehearsal(dir, { sandbox });
  await second.prints(/done in \d+ min: all 4 machines fetched their ignition/);
  const { stdout } = await second.kill9();
  expect(stdout).not.toMatch(/fatal:/);
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    const run = startRehearsal(dir, { sandbox });
    await run.prints(/^\[1[12]\/17\]/m);
    run.process.kill(signal);
    const outcome = await run.ended;
    expect(outcome, outcome.stderr).toMatchObject({ code, signal: null });
    expect(outcome.stderr).toContain(`node ${executable} rehearse --stop --dir ${dir}`);
    expect(outcome.stderr).not.toMatch(/^ +at /m);
  }
  const running = processesOf(dir).map(({ command }) => command);
  expect(running.some((command) => command.includes('boot-server'))).toBe(true);
  expect((await runWizard(['rehearse', '--stop', '--dir', dir], { sandbox })).code).toBe(0);
  expect(processesOf(dir)).toEqual([]);
});

function ignitionOf(dir: string): string {
  return createHash('sha256')
    .update(readFileSync(join(dir, 'bootstrap.ign')))
    .digest('hex');
}

const countOf = (texts: readonly string[], part: string) => texts.join('\n').split(part).length - 1;

const approvals = (texts: readonly string[]) =>
  [...texts.join('\n').matchAll(/^ {2}approved (\S+) for /gm)].map(([, name = '']) => name);

/** Every machine asked for its boot script and its ignition once: none was started twice. */
function expectOneBootEach(dir: string): void {
  const asked = readFileSync(join(dir, '.upi-wizard/boot-requests.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { method: string; path: string })
    // The bastion only asks for the heads of files, to see that they are there.
    .filter(({ method }) => method === 'GET')
    .map(({ path }) => path);
  const scripts = asked.filter((path) => /\/ipxe\/[0-9a-f-]+\.ipxe$/.test(path));
  expect(scripts.length).toBe(10);
  expect(new Set(scripts).size).toBe(10);
  expect(asked.filter((path) => path.startsWith('/ignition/')).length).toBe(10);
}
