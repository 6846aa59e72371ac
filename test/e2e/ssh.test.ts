// The wizard over SSH, on a connection that breaks.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { listHolders, listLoginProcesses } from '../support/holders.ts';
import { testWith } from '../support/programs.ts';
import { createSandbox, startRehearsal } from '../support/rehearsal-run.ts';
import { startSshLogin } from '../support/ssh-login.ts';
import { startSshd } from '../support/sshd.ts';
import { key } from '../support/terminal-run.ts';

const sandbox = createSandbox();
afterAll(sandbox.remove);
const test = testWith('sshd', 'ssh', 'ssh-keygen');

const login = (sshd: Awaited<ReturnType<typeof startSshd>>, dir: string, locale?: string) =>
  startSshLogin(sshd, dir, sandbox, locale);
const waitForNoHolder = (dir: string) => eventually(() => expect(listHolders(dir)).toEqual([]));

test('a broken connection loses nothing: the answers are saved, the session is unlocked, the position is the same', async () => {
  const sshd = await startSshd();
  const dir = sandbox.dir('line');
  const first = login(sshd, dir);
  await first.sees(/New installation/);
  first.type(key.enter);
  await first.sees(/[│┤] ▸ OpenShift version/);
  // All in one packet, as a slow line delivers it.
  first.type(`${key.tab.repeat(3)}${key.ctrl('u')}overssh${key.enter}`);
  await first.sees(/[│┤] ▸ Base domain/);
  first.pty.kill('SIGKILL');
  await first.exit;
  await waitForNoHolder(dir);

  const second = login(sshd, dir);
  await second.sees(/[│┤] ▸ Base domain/);
  expect(second.screen()).toContain('overssh.example.localdomain');
  second.type(key.ctrl('s'));
  expect((await second.exit).exitCode).toBe(0);
  expect(second.isAlternate()).toBe(false);
  expect(second.screen()).toContain(`Everything is saved in ${dir}.`);
});

test('the SSH server process is killed in a live step: the site keeps running, and the step resumes where it was', async () => {
  const sshd = await startSshd();
  const dir = sandbox.dir('live');
  // Plain mode is the quickest way to the boot. On a slow machine all fetches come between two lines.
  const plain = startRehearsal(dir, { sandbox });
  await plain.waitForOutput(/bootstrap\.ign is offered to/);
  await plain.kill9();
  const site = () => JSON.parse(readFileSync(join(dir, '.upi-wizard/site/running.json'), 'utf8')) as { pid: number };
  const { pid } = site();

  const first = login(sshd, dir);
  await first.sees(/Boot +11\/17[\s\S]*fetched their ignition/);
  for (const session of listHolders(dir).flatMap(listLoginProcesses)) process.kill(session, 'SIGKILL');
  await first.exit;
  await waitForNoHolder(dir);

  const second = login(sshd, dir, 'C');
  await second.sees(/Boot +11\/17[\s\S]*fetched their ignition/);
  // In the C locale nothing but ASCII crosses the line.
  expect(second.screen()).toMatch(/^[\x20-\x7e\n]*$/);
  expect(site().pid).toBe(pid);
  second.type(key.ctrl('s'));
  expect((await second.exit).exitCode).toBe(0);
});
