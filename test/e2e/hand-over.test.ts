// Hours of work over SSH: from a broken connection to another user, and to another directory.
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { readSession } from '../../src/session/session-file.ts';
import { eventually } from '../support/eventually.ts';
import { listHolders } from '../support/holders.ts';
import { testWith } from '../support/programs.ts';
import { createSandbox, FAST_SPEED, listProcesses, startRehearsal } from '../support/rehearsal-run.ts';
import { type SshLogin, startSshLogin } from '../support/ssh-login.ts';
import { startSshd } from '../support/sshd.ts';
import { goForward, key } from '../support/terminal-run.ts';

const sandbox = createSandbox();
afterAll(sandbox.remove);
const test = testWith('sshd', 'ssh', 'ssh-keygen');

const waitForNoHolder = (dir: string) => eventually(() => expect(listHolders(dir)).toEqual([]));
const getFooter = (screen: string) => screen.trimEnd().split('\n').at(-1) ?? '';
const readSiteProcess = (dir: string) =>
  JSON.parse(readFileSync(join(dir, '.upi-wizard/site/running.json'), 'utf8')) as { readonly pid: number };
const isAlive = (pid: number) => existsSync(`/proc/${pid}`);

/** Makes a rehearsal faster until it runs at this speed. */
async function speedUp(run: SshLogin, speed: number): Promise<void> {
  const getSpeed = () => Number(/REHEARSAL (\d+)x/.exec(run.screen())?.[1]);
  await run.waitUntil(() => getSpeed() > 0, 'the speed');
  while (getSpeed() < speed) {
    const oldSpeed = getSpeed();
    run.type('+');
    await run.waitUntil(() => getSpeed() !== oldSpeed, `another speed than ${oldSpeed}`);
  }
}

/** Selects a move of the infra nodes' page with this key. */
async function selectMove(run: SshLogin, move: string, press: string): Promise<void> {
  // Waits for the selection itself: after any other change of the screen, one key too many would be pressed.
  const getSelectedMove = () => /▸ ([\w-]+)/.exec(run.screen())?.[1];
  while (getSelectedMove() !== move) {
    const before = getSelectedMove();
    run.type(press);
    await run.waitUntil(() => getSelectedMove() !== before, move);
  }
}

test('a connection is cut while certificates are approved; the session is watched, taken over and finished, and undone in a copy', async () => {
  const sshd = await startSshd();
  const dir = sandbox.dir('original');
  const login = (where: string) => startSshLogin(sshd, where, sandbox);
  // Plain mode is the quickest way to the certificates. At this speed it is killed before all nodes have joined, and
  // the screens show one after the other, on a busy machine too.
  const plain = startRehearsal(dir, { sandbox, speed: 60 });
  await plain.waitForOutput(/^\[14\/17\]/m);
  // Plain mode saves its page, and the full screens continue there.
  await eventually(() => expect(readSession(dir)?.place.screen).toBe('certificates'));
  await plain.kill9();
  const { pid } = readSiteProcess(dir);

  const interrupted = login(dir);
  await goForward(interrupted, /[4-8] of 9 nodes joined/);
  interrupted.pty.kill('SIGKILL');
  await interrupted.exit;
  await waitForNoHolder(dir);
  expect(readSiteProcess(dir).pid).toBe(pid);

  const first = login(dir);
  await first.sees(/Certificates +14\/17/);
  const second = login(dir);
  await second.sees(/In use by .* on pts\/\d+ since/);
  await second.sees(/It is at: Certificates \(ocp45\)/);
  second.type('v');
  await second.sees(/Certificates +14\/17[\s\S]*read-only: /);
  // Keys of the viewer do not reach the session.
  second.type(`${key.enter}y`);
  first.type(key.ctrl('g'));
  await first.sees(/Esc/);
  first.type(key.escape);
  second.type('t');
  expect((await first.exit).exitCode).toBe(0);
  expect(first.screen()).toMatch(/has taken over\. Everything is saved\./);
  await second.sees(/Certificates +14\/17[\s\S]*\? help/);
  await speedUp(second, FAST_SPEED);
  await goForward(second, /Report +17\/17[\s\S]*The rehearsal is complete/);
  await eventually(() => expect(existsSync(join(dir, 'report.md'))).toBe(true));

  // A copy is opened while the original is open and its site runs: it uses neither.
  const copy = sandbox.dir('elsewhere/copy');
  cpSync(dir, copy, { recursive: true, filter: (file) => !file.endsWith('.sock') });
  const third = login(copy);
  await third.sees(/Report +17\/17/);
  expect(third.screen().replaceAll(/\s+/g, ' ')).toContain(`This rehearsal was copied from ${dir}.`);
  third.type(key.escape);
  await third.sees(/Infra nodes +16\/17[\s\S]*label +✔ done[\s\S]*u undo/);
  for (const move of ['lb-final', 'taint']) {
    await selectMove(third, move, move === 'lb-final' ? key.down : key.up);
    await third.sees(new RegExp(`▸ ${move} +✔ done`));
    // The key is disabled while the previous move is undone: the footer then shows a reason in brackets after it.
    await third.waitUntil(() => /u undo(?! \()/.test(getFooter(third.screen())), `the key on ${move}`);
    third.type('u');
    // A preview of the undo comes first.
    await third.sees(new RegExp(`Undo ${move}\\?`));
    third.type('y');
    await third.sees(new RegExp(`${move} +◦ `));
  }
  expect(readSiteProcess(copy).pid).not.toBe(pid);
  const siteLog = readFileSync(join(dir, '.upi-wizard/site/site.log'), 'utf8').slice(-2000);
  expect([readSiteProcess(dir).pid, isAlive(pid)], siteLog).toEqual([pid, true]);
  third.type(key.ctrl('s'));
  expect((await third.exit).exitCode).toBe(0);

  // The original is unchanged.
  second.type(key.escape);
  await second.sees(/Infra nodes +16\/17[\s\S]*label +✔ done/);
  await selectMove(second, 'lb-final', key.down);
  await second.sees(/taint +✔ done[\s\S]*lb-final +✔ done/);
  second.type(key.ctrl('s'));
  expect((await second.exit).exitCode).toBe(0);
  expect(listProcesses(dir).some(({ pid: running }) => running === pid)).toBe(true);
});
