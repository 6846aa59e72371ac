import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { computeChecksum } from '../../src/session/safe-file.ts';
import { createExampleAnswers, createSandbox, runWizard } from '../support/rehearsal-run.ts';
import { key, startOnTerminal } from '../support/terminal-run.ts';

// Sessions of other versions of this program: older ones open, newer ones are refused and stay as they are.

const sandbox = createSandbox();
afterAll(sandbox.remove);
const FIXTURES = join(import.meta.dirname, '../fixtures/sessions');

/** Creates an install directory with the session that a version saved. */
function openFixture(name: string): string {
  const dir = sandbox.dir(`saved-${name}`);
  const state = join(dir, '.upi-wizard');
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const path = join(FIXTURES, name);
  if (statSync(path).isDirectory()) cpSync(path, state, { recursive: true });
  else cpSync(path, join(state, 'session.json'));
  return dir;
}

/** The session of a later version, which this one cannot know. */
function createNewerSession(name: string): string {
  const dir = openFixture('0.1.0');
  const newer = sandbox.dir(name);
  cpSync(dir, newer, { recursive: true });
  const file = join(newer, '.upi-wizard/session.json');
  const { checksum: _, ...state } = JSON.parse(readFileSync(file, 'utf8'));
  const later = { ...state, schemaVersion: 99, addedLater: { anything: true } };
  writeFileSync(file, JSON.stringify({ ...later, checksum: computeChecksum(later) }));
  return newer;
}

const describeTree = (dir: string) =>
  ['', ...readdirSync(dir, { recursive: true, encoding: 'utf8' })].toSorted().map((name) => {
    const path = join(dir, name);
    const { mtimeMs, ctimeMs, mode } = statSync(path);
    return { name, mtimeMs, ctimeMs, mode, content: statSync(path).isFile() ? readFileSync(path, 'base64') : null };
  });

test.each(readdirSync(FIXTURES))('the saved session %s opens at its screen, and goes on from there', async (name) => {
  const dir = openFixture(name);
  const saved = JSON.parse(readFileSync(join(dir, '.upi-wizard/session.json'), 'utf8'));
  const { code, stdout, stderr } = await runWizard(['export', 'downloads', '--dir', dir, '--json'], { sandbox });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout).version).toMatch(saved.design.openshift.version);
  // The report of a rehearsal waits for its cluster, which is not part of the fixture.
  if (saved.place.screen === 'report') return;
  const run = startOnTerminal(['--dir', dir], { sandbox });
  await run.waitFor(saved.design.cluster.name);
  await run.waitFor(/ saved(?: \d\d:\d\d)?\s*$/m);
  run.type(key.ctrl('s'));
  expect((await run.exit).exitCode).toBe(0);
  const now = JSON.parse(readFileSync(join(dir, '.upi-wizard/session.json'), 'utf8'));
  expect(now.design).toEqual(saved.design);
  expect(now.memory).toMatchObject(saved.memory);
  expect(now.place.screen).toBe(saved.place.screen);
});

const site = () => sandbox.file('newer.yaml', createExampleAnswers());
test.each<readonly string[]>([
  ['--plain'],
  ['--plain', '--mirror', '/'],
  ['--plain', '--on-event', 'wall'],
  ['rehearse', '--plain', '--answers', 'newer.yaml'],
  ['status'],
  ['check'],
  ['diagnose'],
  ['export', 'downloads'],
  ['export', 'ansible', 'roles'],
  ['hosts', 'plan'],
  ['hosts', 'apply', '--yes'],
  ['csr', 'approve', '--expected'],
  ['infra', 'apply', '--yes'],
  ['infra', 'job'],
  ['answer', 'yes'],
  ['attach', '--take-over', '--plain'],
])('a session of a later version is refused in one sentence by: %s', async (...argv) => {
  site();
  const dir = createNewerSession(`newer-${argv.join('-').replaceAll('/', '')}`);
  const before = describeTree(dir);
  const { code, stderr } = await runWizard([...argv, '--dir', dir], { sandbox });
  expect(describeTree(dir)).toEqual(before);
  expect(code).not.toBe(0);
  expect(stderr.replace(/\s+/g, ' ')).toContain('The saved session is from a newer upi-wizard');
});

test.each<readonly string[]>([
  ['doctor'],
  ['detach'],
  ['event', 'question'],
  ['bundle', '--yes', '--out', 'bundle.tar.gz'],
  ['sessions'],
])('a session of a later version stays as it is, whatever else is asked: %s', async (...argv) => {
  const dir = createNewerSession(`newer-${argv[0]}`);
  const before = describeTree(dir);
  await runWizard(argv[0] === 'sessions' ? argv : [...argv, '--dir', dir], { sandbox });
  expect(describeTree(dir)).toEqual(before);
});

test('a session of a later version is refused on the screens as well, and stays as it is', async () => {
  const dir = createNewerSession('newer-screens');
  const before = describeTree(dir);
  const run = startOnTerminal(['--dir', dir], { sandbox });
  expect((await run.exit).exitCode).not.toBe(0);
  expect(run.output().replace(/\s+/g, ' ')).toContain('The saved session is from a newer upi-wizard');
  expect(describeTree(dir)).toEqual(before);
});
