import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createExampleDocument } from '../../src/cli/session/working-session.ts';
import { createHolderRecord, getHoldersDirectory } from '../../src/session/holder-files.ts';
import { getConfigDirectory, rememberDirectory } from '../../src/session/install-directories.ts';
import { openSession } from '../../src/session/session.ts';
import { getSessionFile } from '../../src/session/session-file.ts';
import { freshState } from '../../src/session/state.ts';
import { captureCommand } from '../support/run-command.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'upi-sessions-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

function createSession(name: string): string {
  const dir = join(cwd, name);
  mkdirSync(dir, { mode: 0o700 });
  openSession(dir).save({ ...freshState, design: createExampleDocument(), place: { screen: 'boot', field: null } });
  rememberDirectory(dir, getConfigDirectory({ XDG_CONFIG_HOME: join(cwd, 'config') }));
  return dir;
}

function holdFromOtherHost(dir: string): void {
  mkdirSync(getHoldersDirectory(dir), { recursive: true, mode: 0o700 });
  const record = {
    ...createHolderRecord('upi-wizard', ''),
    host: 'other\u001b[2J',
    boot: 'x',
    user: 'bob',
    from: '10.0.0.7',
  };
  writeFileSync(join(getHoldersDirectory(dir), 'owner-0123456789abcdef.json'), JSON.stringify(record), { mode: 0o600 });
  writeFileSync(join(getHoldersDirectory(dir), 'owner-0123456789abcdef.held'), '');
}

test('sessions lists each installation, its holder, and what needs attention; it changes nothing', async () => {
  expect(await captureCommand(['sessions'], { cwd })).toMatchObject({
    code: 0,
    stdout: 'There are no installations on this machine yet.\n',
  });
  const damaged = createSession('damaged');
  writeFileSync(getSessionFile(damaged), '{"half":');
  const held = createSession('held');
  holdFromOtherHost(held);
  const { code, stdout } = await captureCommand(['sessions'], { cwd });
  expect(code).toBe(0);
  const timePattern = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC';
  const [first, second, third, fourth, fifth] = stdout.split('\n');
  expect([first, third]).toEqual([held, damaged]);
  expect(second).toMatch(
    new RegExp(
      `^  ocp45\\.example\\.localdomain  Boot  saved ${timePattern}  in use by bob from 10\\.0\\.0\\.7 .*on other\ufffd\\?$`,
    ),
  );
  expect(fourth).toMatch(new RegExp(`^  needs attention  saved ${timePattern}$`));
  expect(fifth).toContain('The saved session is damaged');
  expect(stdout).not.toContain('\u001b');
  const { sessions } = JSON.parse((await captureCommand(['sessions', '--json'], { cwd })).stdout) as {
    readonly sessions: readonly object[];
  };
  expect(sessions).toMatchObject([
    { dir: held, cluster: 'ocp45.example.localdomain', screen: 'boot', heldBy: { user: 'bob', isSure: false } },
    { dir: damaged, cluster: null, screen: null, heldBy: null, attention: 'session-damaged' },
  ]);
});

test('detach of a session on another host asks for the host name, and ends nothing for another answer', async () => {
  const dir = createSession('held');
  holdFromOtherHost(dir);
  const prompts: string[] = [];
  const answer = (text: string) => async (prompt: string) => {
    prompts.push(prompt);
    return text;
  };
  expect(await captureCommand(['detach'], { cwd, ask: answer('yes') })).toMatchObject({ code: 4 });
  expect(prompts).toEqual(['To end it, type other\ufffd: ']);
  expect(await captureCommand(['detach'], { cwd, ask: answer('other\ufffd') })).toMatchObject({ code: 0 });
  expect(await captureCommand(['detach'], { cwd })).toMatchObject({ code: 4 });
  expect(await captureCommand(['detach', '--dir', join(cwd, 'none')], { cwd })).toMatchObject({ code: 2 });
});
