// The wizard as installers have it: over SSH, on a line that breaks.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { holdersOf, loginsOf } from '../support/holders.ts';
import { testWith } from '../support/programs.ts';
import { makeSandbox, startRehearsal } from '../support/rehearsal-run.ts';
import { loginOver } from '../support/ssh-login.ts';
import { startSshd } from '../support/sshd.ts';
import { key } from '../support/terminal-run.ts';

const sandbox = makeSandbox();
afterAll(sandbox.remove);
const test = testWith('sshd', 'ssh', 'ssh-keygen');

const login = (sshd: Awaited<ReturnType<typeof startSshd>>, dir: string, locale?: string) =>
  loginOver(sshd, dir, sandbox, locale);
const gone = (dir: string) => eventually(() => expect(holdersOf(dir)).toEqual([]));

test('a line that breaks costs nothing: the answers are there, nobody is locked out, the place is the same', async () => {
  const sshd = await startSshd();
  const dir = sandbox.dir('line');
  const first = login(sshd, dir);
  await first.sees(/New installation/);
  first.type(key.enter);
  await first.sees(/\| ▸ OpenShift version/);
  // All in one packet, as a slow line delivers it.
  first.type(`${key.tab.repeat(3)}${key.ctrl('u')}overssh${key.enter}`);
  await first.sees(/\| ▸ Base domain/);
  first.pty.kill('SIGKILL');
  await first.exit;
  await gone(dir);

  const second = login(sshd, dir);
  await second.sees(/\| ▸ Base domain/);
  expect(second.screen()).toContain('overssh.example.localdomain');
  second.type(key.ctrl('s'));
  expect((await second.exit).exitCode).toBe(0);
  expect(second.isAlternate()).toBe(false);
  expect(second.screen()).toContain(`Everything is saved in ${dir}.`);
});

test('the server side of the line is killed in a live step: the site lives on, and the step is where it was', async () => {
  const sshd = await startSshd();
  const dir = sandbox.dir('live');
  // Without a person as far as the boot, as the quickest way there.
  const plain = startRehearsal(dir, { sandbox });
  await plain.prints(/of 4 machines fetched their ignition$/m);
  await plain.kill9();
  const site = () => JSON.parse(readFileSync(join(dir, '.upi-wizard/site/running.json'), 'utf8')) as { pid: number };
  const { pid } = site();

  const first = login(sshd, dir);
  await first.sees(/Boot +11\/17[\s\S]*fetched their ignition/);
  for (const session of holdersOf(dir).flatMap(loginsOf)) process.kill(session, 'SIGKILL');
  await first.exit;
  await gone(dir);

  const second = login(sshd, dir, 'C');
  await second.sees(/Boot +11\/17[\s\S]*fetched their ignition/);
  // In the C locale nothing but ASCII crosses the line.
  expect(second.screen()).toMatch(/^[\x20-\x7e\n]*$/);
  expect(site().pid).toBe(pid);
  second.type(key.ctrl('s'));
  expect((await second.exit).exitCode).toBe(0);
});
