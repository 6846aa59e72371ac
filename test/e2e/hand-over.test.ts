// What the wizard promises to people who work over SSH for hours: from a broken line to another person, to another place.
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { readSession } from '../../src/session/load.ts';
import { eventually } from '../support/eventually.ts';
import { holdersOf } from '../support/holders.ts';
import { testWith } from '../support/programs.ts';
import { makeSandbox, processesOf, startRehearsal } from '../support/rehearsal-run.ts';
import { loginOver, type SshLogin } from '../support/ssh-login.ts';
import { startSshd } from '../support/sshd.ts';
import { key } from '../support/terminal-run.ts';

const sandbox = makeSandbox();
afterAll(sandbox.remove);
const test = testWith('sshd', 'ssh', 'ssh-keygen');

const gone = (dir: string) => eventually(() => expect(holdersOf(dir)).toEqual([]));
const footerOf = (screen: string) => screen.trimEnd().split('\n').at(-1) ?? '';
const siteOf = (dir: string) =>
  JSON.parse(readFileSync(join(dir, '.upi-wizard/site/running.json'), 'utf8')) as { readonly pid: number };
const isAlive = (pid: number) => existsSync(`/proc/${pid}`);

/** Goes forward as a person does who says yes to everything, until a screen shows `end`. A key that would do nothing now is not pressed: what it does a moment later is not known. */
async function forward(run: SshLogin, end: RegExp): Promise<void> {
  const isAsking = () => /^ (?:y yes|Enter (?!\S+(?: \S+)* \(not now\)))/.test(footerOf(run.screen()));
  for (;;) {
    await run.until(() => end.test(run.screen()) || isAsking(), String(end));
    if (end.test(run.screen())) return;
    const footer = footerOf(run.screen());
    run.type(footer.startsWith(' y yes') ? 'y' : key.enter);
    await run.until(() => footerOf(run.screen()) !== footer || end.test(run.screen()), `after ${footer}`);
  }
}

test('a line is cut while certificates are approved; the session is watched, taken over and finished, and undone in a copy', async () => {
  const sshd = await startSshd();
  const dir = sandbox.dir('original');
  const login = (where: string) => loginOver(sshd, where, sandbox);
  // Without a person as far as the certificates, as the quickest way there.
  const plain = startRehearsal(dir, { sandbox });
  await plain.prints(/^\[14\/17\]/m);
  // It notes that it is there, and the screens go on there.
  await eventually(() => expect(readSession(dir)?.place.screen).toBe('certificates'));
  await plain.kill9();
  const { pid } = siteOf(dir);

  const cut = login(dir);
  await forward(cut, /[4-8] of 9 nodes joined/);
  cut.pty.kill('SIGKILL');
  await cut.exit;
  await gone(dir);
  expect(siteOf(dir).pid).toBe(pid);

  const first = login(dir);
  await first.sees(/certificates +14\/17/);
  const second = login(dir);
  await second.sees(/In use by .* on pts\/\d+ since/);
  await second.sees(/It is at: Certificates \(ocp45\)/);
  second.type('v');
  await second.sees(/certificates +14\/17[\s\S]*read-only: /);
  // No key of the viewer does anything to the session.
  second.type(`${key.enter}y`);
  first.type(key.ctrl('g'));
  await first.sees(/Esc/);
  first.type(key.escape);
  second.type('t');
  expect((await first.exit).exitCode).toBe(0);
  expect(first.screen()).toMatch(/has taken over\. Everything is saved\./);
  await second.sees(/certificates +14\/17[\s\S]*Ctrl-G help/);
  await forward(second, /Report +17\/17[\s\S]*The rehearsal is complete/);
  await eventually(() => expect(existsSync(join(dir, 'report.md'))).toBe(true));

  // A copy while the original is open and its site runs: neither is anything of the copy's.
  const copy = sandbox.dir('elsewhere/copy');
  cpSync(dir, copy, { recursive: true, filter: (file) => !file.endsWith('.sock') });
  const third = login(copy);
  await third.sees(/Report +17\/17/);
  expect(third.screen().replaceAll(/\s+/g, ' ')).toContain(`This rehearsal was copied from ${dir}.`);
  third.type(key.escape);
  await third.sees(/Infra nodes +16\/17[\s\S]*lb-final +✔ done[\s\S]*u undo this move/);
  for (const move of ['lb-final', 'taint']) {
    // Not any change of the screen is that of the key: one key too many would be on its way.
    const chosen = () => /▸ ([\w-]+)/.exec(third.screen())?.[1];
    while (chosen() !== move) {
      const before = chosen();
      third.type(move === 'lb-final' ? key.down : key.up);
      await third.until(() => chosen() !== before, move);
    }
    // While the one before is taken back, the key waits, and says so.
    await third.until(() => /u undo this move(?! \()/.test(footerOf(third.screen())), `the key on ${move}`);
    third.type('u');
    // What it gives back is read first.
    await third.sees(new RegExp(`Undo ${move}\\?`));
    third.type('y');
    await third.sees(new RegExp(`${move} +◦ `));
  }
  expect(siteOf(copy).pid).not.toBe(pid);
  const said = readFileSync(join(dir, '.upi-wizard/site/site.log'), 'utf8').slice(-2000);
  expect([siteOf(dir).pid, isAlive(pid)], said).toEqual([pid, true]);
  third.type(key.ctrl('s'));
  expect((await third.exit).exitCode).toBe(0);

  // The original is as it was.
  second.type(key.escape);
  await second.sees(/Infra nodes +16\/17[\s\S]*taint +✔ done[\s\S]*lb-final +✔ done/);
  second.type(key.ctrl('s'));
  expect((await second.exit).exitCode).toBe(0);
  expect(processesOf(dir).some(({ pid: running }) => running === pid)).toBe(true);
});
