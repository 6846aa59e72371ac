import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createSandbox, wizardExecutable } from '../support/rehearsal-run.ts';
import { key, startOnTerminal, type TerminalRun } from '../support/terminal-run.ts';

const sandbox = createSandbox();
afterAll(sandbox.remove);

interface SavedSession {
  readonly design: Record<string, Record<string, unknown>>;
  readonly place: { readonly screen: string; readonly field: string | null };
  readonly unfinished: { readonly text: string } | null;
}

function readSession(dir: string): SavedSession {
  return JSON.parse(readFileSync(join(dir, '.upi-wizard/session.json'), 'utf8')) as SavedSession;
}

/** Opens the first page of questions in a new directory. */
async function openFirstPage(name: string): Promise<{ readonly dir: string; readonly run: TerminalRun }> {
  const dir = sandbox.dir(name);
  const run = startOnTerminal(['--dir', dir], { sandbox });
  await run.waitFor('New installation');
  run.type(key.enter);
  await run.waitFor(/[│┤] ▸ OpenShift version/);
  return { dir, run };
}

/** Moves to the name of the cluster and types another one without accepting it. */
async function typeName(run: TerminalRun, name: string): Promise<void> {
  run.type(key.tab.repeat(3));
  await run.waitFor(/[│┤] ▸ Cluster name/);
  run.type(`${key.ctrl('u')}${name}`);
  await run.waitFor(new RegExp(`▸ Cluster name +${name}`));
}

/**
 * For each field: its label, the keys of the answer, the label of the next field, and the answer in the saved design.
 */
const ANSWERS: readonly (readonly [string, string, string, (design: SavedSession['design']) => unknown])[] = [
  ['OpenShift version', '4.17', 'Architecture', ({ openshift }) => openshift?.version],
  ['Architecture', key.right, 'Topology', ({ openshift }) => openshift?.architecture],
  ['Topology', '', 'Cluster name', () => '-'],
  ['Cluster name', 'first', 'Base domain', ({ cluster }) => cluster?.name],
  ['Base domain', 'second.example', 'FIPS mode', ({ cluster }) => cluster?.baseDomain],
];
const EXPECTED = ['4.17', 'aarch64', '-', 'first', 'second.example'];

test('every accepted answer survives kill -9 right after Enter, and the cursor is on the next one', async () => {
  const start = await openFirstPage('answers');
  const { dir } = start;
  let { run } = start;
  for (const [index, [label, answer, next, read]] of ANSWERS.entries()) {
    await run.waitFor(new RegExp(`[│┤] ▸ ${label}`));
    const isText = /^[\w.]+$/.test(answer);
    run.type(isText ? `${key.ctrl('u')}${answer}${key.enter}` : `${answer}${key.enter}`);
    await run.waitFor(new RegExp(`[│┤] ▸ ${next}`));
    await run.kill9();
    expect(read(readSession(dir).design), label).toBe(EXPECTED[index]);
    run = startOnTerminal(['--dir', dir], { sandbox });
    await run.waitFor('Design > Cluster  2/17');
    await run.waitFor(new RegExp(`[│┤] ▸ ${next}`));
  }
  expect(run.screen()).toContain('first.second.example');
  await run.kill9();
  expect((statSync(join(dir, '.upi-wizard/session.json')).mode & 0o777).toString(8)).toBe('600');
});

test('Ctrl-S saves what is being typed too, ends with 0 and prints how to continue', async () => {
  const { dir, run } = await openFirstPage('ctrl-s');
  await typeName(run, 'typed');
  run.type(key.ctrl('s'));
  expect((await run.exit).exitCode).toBe(0);
  expectTerminalRestored(run);
  expect(run.screen()).toContain(`Everything is saved in ${dir}.`);
  expect(run.output()).toContain(`node ${wizardExecutable} --dir ${dir}`);
  expect(readSession(dir)).toMatchObject({ design: { cluster: { name: 'typed' } }, place: { screen: 'cluster' } });
});

test.each([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
  ['SIGKILL', null],
] as const)('%s loses no text that is being typed: it comes back as unfinished in its field', async (signal, code) => {
  const { dir, run } = await openFirstPage(signal.toLowerCase());
  await typeName(run, 'halfway');
  // Only a signal that can be handled saves at once.
  if (code === null) await eventually(() => expect(readSession(dir).unfinished?.text).toBe('halfway'));
  process.kill(run.pty.pid, signal);
  const { exitCode } = await run.exit;
  if (code !== null) expect(exitCode).toBe(code);
  expect(readSession(dir)).toMatchObject({
    design: { cluster: { name: 'ocp45' } },
    place: { screen: 'cluster', field: 'cluster.name' },
    unfinished: { where: 'field', text: 'halfway', cursor: 7 },
  });
  const next = startOnTerminal(['--dir', dir], { sandbox });
  await next.waitFor(/[│┤] ▸ Cluster name +halfway/);
  await next.waitFor('the text that you were typing is back');
  next.type(key.enter);
  await next.waitFor(/[│┤] ▸ Base domain/);
  await next.kill9();
  expect(readSession(dir)).toMatchObject({ design: { cluster: { name: 'halfway' } }, unfinished: null });
});

test('Ctrl-C asks: no stays, yes saves and ends', async () => {
  const { dir, run } = await openFirstPage('ctrl-c');
  await typeName(run, 'typed');
  run.type(key.ctrl('c'));
  await run.waitFor('Save and quit?');
  run.type('n');
  await run.waitFor(/▸ Cluster name +typed/);
  run.type(key.ctrl('c'));
  await run.waitFor('Save and quit?');
  run.type('y');
  expect((await run.exit).exitCode).toBe(130);
  expectTerminalRestored(run);
  expect(readSession(dir).design.cluster?.name).toBe('typed');
});

/** Asserts that the main screen and the cursor are visible, and that bracketed paste is off. */
function expectTerminalRestored(run: TerminalRun): void {
  const output = run.output();
  expect(run.isAlternate()).toBe(false);
  expect(output.lastIndexOf('\u001b[?25h')).toBeGreaterThan(output.lastIndexOf('\u001b[?25l'));
  expect(output.lastIndexOf('\u001b[?2004l')).toBeGreaterThan(output.lastIndexOf('\u001b[?2004h'));
}
