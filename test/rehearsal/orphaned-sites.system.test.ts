// A rehearsal whose files no longer lead to its site: the site is found among the processes.
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { repairRehearsal, stopRehearsal } from '../../src/cli/rehearsal-site.ts';
import { findLiveProcess, isAlive } from '../../src/platform/process.ts';
import { findSite, startSite } from '../../src/rehearsal/site-client.ts';
import { eventually } from '../support/eventually.ts';
import { exampleSite } from '../support/example-design.ts';
import { getBuiltProgram } from '../support/rehearsal-run.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'upi-lost-'));
});
afterEach(async () => {
  await stop();
  rmSync(dir, { recursive: true, force: true });
});

const siteDir = () => join(dir, '.upi-wizard', 'site');

/** Starts the site. @returns its process */
async function start() {
  await startSite({
    siteDir: siteDir(),
    design: exampleSite(),
    speed: 60,
    seed: 1,
    faults: [],
    siteProgram: getBuiltProgram('site'),
    standInProgram: getBuiltProgram('stand-in'),
  });
  const { pid } = JSON.parse(readFileSync(join(siteDir(), 'running.json'), 'utf8')) as { pid: number };
  const found = findLiveProcess(pid);
  if (found === null) throw new Error('no site');
  return found;
}

async function stop() {
  const messages: string[] = [];
  const code = await stopRehearsal(dir, { stdout: () => {}, stderr: (text) => messages.push(text), env: {}, cwd: dir });
  return { code, output: messages.join('') };
}

test.each([
  ['running.json', '{"pid": 1'],
  ['running.json', '{}'],
  ['config.json', ''],
])('a site whose %s holds %j is stopped all the same', async (file, text) => {
  const site = await start();
  writeFileSync(join(siteDir(), file), text);
  expect(await findSite(siteDir())).toBeNull();
  const { code, output } = await stop();
  expect(code).toBe(0);
  expect(output).toBe(`The simulated site is stopped. To start it again: \`upi-wizard rehearse --dir ${dir}\`\n`);
  expect(isAlive(site)).toBe(false);
  expect(await stop()).toEqual({ code: 4, output: `No rehearsal runs in ${dir}.\n` });
});

test('a repair says what it found: no rehearsal, a stopped site, a fault that is not there', async () => {
  const repair = async () => {
    const messages: string[] = [];
    const io = { stdout: () => {}, stderr: (text: string) => void messages.push(text), env: {}, cwd: dir };
    return [await repairRehearsal(dir, 'clock-skew', io), messages.join('')];
  };
  expect(await repair()).toEqual([4, `No rehearsal runs in ${dir}.\n`]);
  await start();
  expect(await repair()).toEqual([4, 'This rehearsal has no fault clock-skew to repair.\n']);
  await stop();
  expect(await repair()).toEqual([
    4,
    `The simulated site is not running: its process in ${siteDir()} does not answer.\nStart it again with: \`upi-wizard rehearse --dir ${dir}\`\n`,
  ]);
});

test('a site that hangs is stopped all the same', async () => {
  const site = await start();
  process.kill(site.pid, 'SIGSTOP');
  expect((await stop()).code).toBe(0);
  expect(isAlive(site)).toBe(false);
});

test('an orphaned site is stopped before the next one starts', async () => {
  const lost = await start();
  rmSync(join(siteDir(), 'running.json'));
  const next = await start();
  expect(isAlive(lost)).toBe(false);
  expect(isAlive(next)).toBe(true);
});

test.each([
  ['moved', () => renameSync(join(dir, '.upi-wizard'), join(dir, 'elsewhere'))],
  ['removed', () => rmSync(join(dir, '.upi-wizard'), { recursive: true, force: true })],
])('a site whose directory is %s ends on its own', async (_how, lose) => {
  const site = await start();
  lose();
  await eventually(() => expect(isAlive(site)).toBe(false));
});
