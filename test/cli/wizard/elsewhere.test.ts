import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { directoryOf } from '../../../src/cli/session/open-directory.ts';
import { exampleDocument } from '../../../src/cli/session/saved.ts';
import { freshDirectory } from '../../../src/cli/wizard/elsewhere.ts';
import { otherInstallations } from '../../../src/cli/wizard/look-around.ts';
import { configDirectory, rememberDirectory } from '../../../src/session/directories.ts';
import { freshState, openSession } from '../../../src/session/store.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'upi-elsewhere-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const io = () => ({
  stdout: () => undefined,
  stderr: () => undefined,
  env: { XDG_CONFIG_HOME: join(cwd, 'config') },
  cwd,
});

function session(name: string, screen: string, isReported = false): string {
  const dir = join(cwd, name);
  mkdirSync(dir, { mode: 0o700, recursive: true });
  openSession(dir).save({ ...freshState, design: exampleDocument(), place: { screen, field: null } });
  if (isReported) writeFileSync(join(dir, 'report.md'), '# Report\n');
  rememberDirectory(dir, configDirectory(io().env));
  return dir;
}

test('a new installation or rehearsal has a directory of its own, beside those that there are', () => {
  expect(freshDirectory(cwd, 'upi-rehearsal')).toBe(join(cwd, 'upi-rehearsal'));
  session('upi-rehearsal', 'boot');
  session('upi-rehearsal-2', 'boot');
  expect(freshDirectory(cwd, 'upi-rehearsal')).toBe(join(cwd, 'upi-rehearsal-3'));
});

test('the wizard goes on with what was used last, and begins anew after a finished installation', () => {
  expect(directoryOf(null, io())).toBe(join(cwd, 'upi-cluster'));
  const open = session('open', 'report');
  expect(directoryOf(null, io())).toBe(open);
  const finished = session('upi-cluster', 'report', true);
  expect(directoryOf(null, io())).toBe(join(cwd, 'upi-cluster-2'));
  expect(directoryOf(finished, io())).toBe(finished);
});

test('the welcome lists the other installations that can be read, the one used last first', () => {
  const finished = session('finished', 'report', true);
  const damaged = session('damaged', 'boot');
  writeFileSync(join(damaged, '.upi-wizard', 'session.json'), '{');
  const waiting = session('waiting', 'boot');
  const own = session('own', 'boot');
  const common = { cluster: 'ocp45.example.localdomain', isRehearsal: false };
  expect(otherInstallations(own, io())).toEqual([
    { ...common, dir: waiting, screen: 'boot', isFinished: false },
    { ...common, dir: finished, screen: 'report', isFinished: true },
  ]);
});
