import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { plain } from '../../src/i18n/en/plain.ts';
import { steps } from '../../src/i18n/en/steps/index.ts';
import { STEP_IDS } from '../../src/steps/contract.ts';
import { createSandbox, FAST_SPEED, listProcesses, runWizard, wizardExecutable } from '../support/rehearsal-run.ts';
import { key, startOnTerminal, type TerminalRun } from '../support/terminal-run.ts';

const sandbox = createSandbox();
afterAll(sandbox.remove);

const dir = sandbox.dir('site');
/** The environment of a user with a screen reader. */
const env = { ACCESSIBLE: '1' };

test('line by line from the first question to the report, interrupted and continued on the way; nothing is drawn twice', async () => {
  const first = startOnTerminal(['rehearse', '--dir', dir, '--speed', String(FAST_SPEED)], { sandbox, env });
  await waitForTexts(first, 'New installation', plain.choose);
  await answer(first, '1', 'OpenShift version [4.18]: ');
  await answer(first, '', 'Architecture [x86_64]: ');
  await answer(first, '', 'Topology [standard]: ');
  await answer(first, '', 'Cluster name [ocp45]: ');
  await answer(first, 'ocp46', 'Base domain [example.localdomain]: ');
  first.type('quit\r');
  expect((await first.exit).exitCode).toBe(0);
  expect(first.output()).toContain(`node ${wizardExecutable} --dir ${dir} --plain`);
  expectNothingRedrawn(first);

  // It resumes at the same question, with the earlier answers.
  const second = startOnTerminal(['--dir', dir, '--screen-reader'], { sandbox });
  await waitForTexts(second, 'Base domain [example.localdomain]: ');
  await answer(second, '<', 'Cluster name [ocp46]: ');
  await answer(second, '>', 'Machine network [172.16.0.0/24]: ');
  await answer(second, '>', 'Your choice [1]: ');
  await answer(second, '1', 'Bastion name [bastion]: ');
  await answer(second, '>', 'Pull secret file [./pull-secret.txt] (- for none): ');
  await answer(second, '>', 'No problems. Enter generates the files.', plain.choose);
  for (const id of STEP_IDS.slice(0, STEP_IDS.indexOf('certificates'))) await playStep(second, id);
  await second.kill9();
  expectNothingRedrawn(second);

  const third = startOnTerminal(['--dir', dir, '--plain'], { sandbox, env: { TERM: 'vt220' } });
  await waitForTexts(third, `] ${steps.titles['bootstrap-removal']}`, '1. next', plain.choose);
  await answer(third, '<', `] ${steps.titles.bootstrap}`, '1. next', plain.choose);
  await answer(third, '1', `] ${steps.titles['bootstrap-removal']}`, '1. next', plain.choose);
  for (const id of STEP_IDS.slice(STEP_IDS.indexOf('certificates'))) await playStep(third, id);
  expect(third.output()).toMatch(/approved csr-\w+ for w\d\.ocp46\.example\.localdomain/);
  third.type('1\r');
  expect((await third.exit).exitCode).toBe(0);
  expectNothingRedrawn(third);
  expect(readFileSync(join(dir, 'report.md'), 'utf8')).toMatch(/^# ocp46\.example\.localdomain$/m);
  expect(existsSync(join(dir, 'auth/kubeconfig'))).toBe(true);
  await runWizard(['rehearse', '--stop', '--dir', dir], { sandbox });
  expect(listProcesses(dir), 'nothing runs on').toEqual([]);
});

const readPositions = new WeakMap<TerminalRun, number>();

/** Waits until these texts appear, in their order, in the output since the last answer. */
async function waitForTexts(run: TerminalRun, ...texts: readonly string[]): Promise<void> {
  const from = readPositions.get(run) ?? 0;
  const end = () =>
    texts.reduce((position, text) => (position < 0 ? position : findEnd(run.output(), text, position)), from);
  await run.waitUntil(() => end() >= 0, texts.join(' … '));
  readPositions.set(run, end());
}

function findEnd(output: string, text: string, from: number): number {
  const position = output.indexOf(text, from);
  return position < 0 ? position : position + text.length;
}

async function answer(run: TerminalRun, line: string, ...texts: readonly string[]): Promise<void> {
  run.type(`${line}\r`);
  await waitForTexts(run, ...texts);
}

/** Goes on to a step, starts its first action, confirms if there is a prompt, and waits until the step is done. */
async function playStep(run: TerminalRun, id: (typeof STEP_IDS)[number]): Promise<void> {
  const title = `] ${steps.titles[id]}`;
  if (!run.output().includes(title)) await answer(run, '1', title);
  const from = run.output().lastIndexOf(title);
  const outputSince = () => run.output().slice(from);
  const isDone = () => /\r\n {2}done: [\s\S]*1\. (?:next|finish)[\s\S]*\[1\]: $/.test(outputSince());
  await run.waitUntil(() => isDone() || outputSince().endsWith(plain.choose), `what to do in ${id}`);
  if (!isDone()) {
    run.type('1\r');
    await run.waitUntil(
      () => isDone() || outputSince().endsWith(plain.confirm) || outputSince().includes('  working'),
      `${id} to begin`,
    );
    if (outputSince().endsWith(plain.confirm)) run.type('y\r');
    await run.waitUntil(isDone, `${id} to be done`);
  }
  readPositions.set(run, run.output().length);
}

/** Asserts that there is no escape sequence, and no carriage return without a line feed. */
function expectNothingRedrawn(run: TerminalRun): void {
  expect(run.output()).not.toContain(key.escape);
  expect(run.output()).not.toMatch(/\r(?!\n)/);
  expect(run.isAlternate()).toBe(false);
}
