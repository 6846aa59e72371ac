import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resolveInstallDirectory } from '../../../src/cli/session/open-directory.ts';
import { createExampleDocument, openWorkingSession } from '../../../src/cli/session/working-session.ts';
import { buildNextArgv, describeSavedWork, readUnfinishedSteps } from '../../../src/cli/wizard/full-screen.ts';
import { listOtherInstallations } from '../../../src/cli/wizard/services.ts';
import { getConfigDirectory, rememberDirectory } from '../../../src/session/install-directories.ts';
import { openSession } from '../../../src/session/session.ts';
import { findUnusedDirectory } from '../../../src/session/session-file.ts';
import { freshState } from '../../../src/session/state.ts';

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

function createSession(name: string, screen: string, isReported = false, reached: string | null = null): string {
  const dir = join(cwd, name);
  mkdirSync(dir, { mode: 0o700, recursive: true });
  openSession(dir).save({ ...freshState, design: createExampleDocument(), place: { screen, field: null }, reached });
  if (isReported) writeFileSync(join(dir, 'report.md'), '# Report\n');
  rememberDirectory(dir, getConfigDirectory(io().env));
  return dir;
}

test('a new installation or rehearsal has its own directory beside the existing ones', () => {
  expect(findUnusedDirectory(cwd, 'upi-rehearsal')).toBe(join(cwd, 'upi-rehearsal'));
  createSession('upi-rehearsal', 'boot');
  createSession('upi-rehearsal-2', 'boot');
  expect(findUnusedDirectory(cwd, 'upi-rehearsal')).toBe(join(cwd, 'upi-rehearsal-3'));
});

test('the wizard resumes the directory used last, and takes a new one after a finished installation', () => {
  expect(resolveInstallDirectory(null, io())).toBe(join(cwd, 'upi-cluster'));
  const open = createSession('open', 'report');
  expect(resolveInstallDirectory(null, io())).toBe(open);
  const finished = createSession('upi-cluster', 'report', true);
  expect(resolveInstallDirectory(null, io())).toBe(join(cwd, 'upi-cluster-2'));
  expect(resolveInstallDirectory(finished, io())).toBe(finished);
});

test('the welcome lists the other installations that can be read, the one used last first', () => {
  const finished = createSession('finished', 'report', true);
  const damaged = createSession('damaged', 'boot');
  writeFileSync(join(damaged, '.upi-wizard', 'session.json'), '{');
  const waiting = createSession('waiting', 'boot');
  const own = createSession('own', 'boot');
  // A user who looks at an earlier page of a finished installation does not reopen it.
  const viewed = createSession('viewed', 'operators', true, 'report');
  const leftOnWelcome = createSession('left-on-welcome', 'welcome', false, 'services');
  const common = { cluster: 'ocp45.example.localdomain', isRehearsal: false, savedAt: expect.any(Number) };
  expect(listOtherInstallations(own, io())).toEqual([
    { ...common, dir: leftOnWelcome, screen: 'services', isFinished: false },
    { ...common, dir: viewed, screen: 'operators', isFinished: true },
    { ...common, dir: waiting, screen: 'boot', isFinished: false },
    { ...common, dir: finished, screen: 'report', isFinished: true },
  ]);
});

test('a rehearsal from Welcome is kept beside the install directory that was named, not in the current directory', () => {
  const elsewhere = join(cwd, 'srv', 'upi');
  mkdirSync(elsewhere, { recursive: true });
  const dirs = { cwd, ownDir: join(elsewhere, 'prod'), openedDir: null };
  expect(buildNextArgv('rehearse', dirs)).toEqual(['rehearse', '--dir', join(elsewhere, 'upi-rehearsal')]);
  expect(buildNextArgv('new', dirs)).toEqual(['--dir', join(cwd, 'upi-cluster')]);
  expect(buildNextArgv('open', { ...dirs, openedDir: '/x' })).toEqual(['--dir', '/x']);
});

test('on leaving, the report is named, and that nothing approves requests any more', () => {
  const dir = createSession('left', 'certificates');
  const { stepState } = openWorkingSession(openSession(dir));
  expect(describeSavedWork(dir, stepState, 'next')).toEqual([`Everything is saved in ${dir}.`, 'Continue with: next']);
  stepState.set('following', true);
  expect(describeSavedWork(dir, stepState, 'next')[1]).toMatch(
    new RegExp(`^Certificate requests are no longer approved: .* csr approve --follow --dir ${dir}$`),
  );
  const finished = createSession('reported', 'report', true);
  expect(describeSavedWork(finished, openWorkingSession(openSession(finished)).stepState, 'next')[0]).toBe(
    `The report is in ${join(finished, 'report.md')}.`,
  );
});

test('a session that does not record skipped steps gets them from its nodes and the stage of the load balancer', () => {
  const open = (name: string, memory: Readonly<Record<string, unknown>>, screen = 'operators') => {
    const dir = createSession(name, screen);
    openSession(dir).save({ ...openSession(dir).load(), memory });
    return openWorkingSession(openSession(dir));
  };
  const workers = ['w1', 'w2', 'w3', 'i1', 'i2', 'i3'];
  const stage = 'bootstrap-removed';
  const list = (...parameters: Parameters<typeof open>) => readUnfinishedSteps(open(...parameters));
  expect(list('all', { stage, 'seen-ready': workers })).toEqual([]);
  expect(list('one', { stage, 'seen-ready': workers.slice(1) })).toEqual(['certificates']);
  expect(list('none', {})).toEqual(['bootstrap-removal', 'certificates']);
  // Steps that were not reached yet are not skipped; recorded steps count as they are.
  expect(list('early', {}, 'boot')).toEqual([]);
  expect(list('recorded', { unfinished: ['infra'] })).toEqual(['infra']);
  const session = open('kept', {});
  readUnfinishedSteps(session);
  expect(session.stepState.get('unfinished')).toEqual(['bootstrap-removal', 'certificates']);
});
