import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { STEP_IDS } from '../../src/steps/contract.ts';
import { plain } from '../../src/text/en/plain.ts';
import { steps } from '../../src/text/en/steps/index.ts';
import { executable, FAST, makeSandbox, processesOf, runWizard } from '../support/rehearsal-run.ts';
import { key, startOnTerminal, type TerminalRun } from '../support/terminal-run.ts';

const sandbox = makeSandbox();
afterAll(sandbox.remove);

const dir = sandbox.dir('site');
/** As a person with a screen reader has it. */
const env = { ACCESSIBLE: '1' };

test('line by line from the first question to the report, left and gone on with on the way; nothing is drawn twice', async () => {
  const first = startOnTerminal(['rehearse', '--dir', dir, '--speed', String(FAST)], { sandbox, env });
  await asked(first, 'New installation', plain.choose);
  await answer(first, '1', 'OpenShift version [4.18]: ');
  await answer(first, '', 'Architecture [x86_64]: ');
  await answer(first, '', 'Topology [standard]: ');
  await answer(first, '', 'Cluster name [ocp45]: ');
  await answer(first, 'ocp46', 'Base domain [example.localdomain]: ');
  first.type('quit\r');
  expect((await first.exit).exitCode).toBe(0);
  expect(first.output()).toContain(`node ${executable} --dir ${dir} --plain`);
  expectNothingRedrawn(first);

  // Where it was left, with what was answered.
  const second = startOnTerminal(['--dir', dir, '--screen-reader'], { sandbox });
  await asked(second, 'Base domain [example.localdomain]: ');
  await answer(second, '<', 'Cluster name [ocp46]: ');
  await answer(second, '>', 'Machine network [172.16.0.0/24]: ');
  await answer(second, '>', 'Your choice [1]: ');
  await answer(second, '1', 'Bastion name [bastion]: ');
  await answer(second, '>', 'Pull secret file [./pull-secret.txt] (- for none): ');
  await answer(second, '>', 'No problems. Enter generates the files.', plain.choose);
  for (const id of STEP_IDS.slice(0, STEP_IDS.indexOf('certificates'))) await play(second, id);
  await second.kill9();
  expectNothingRedrawn(second);

  const third = startOnTerminal(['--dir', dir, '--plain'], { sandbox, env: { TERM: 'vt220' } });
  await asked(third, `] ${steps.titles['bootstrap-removal']}`, '1. next', plain.choose);
  await answer(third, '<', `] ${steps.titles.bootstrap}`, '1. next', plain.choose);
  await answer(third, '1', `] ${steps.titles['bootstrap-removal']}`, '1. next', plain.choose);
  for (const id of STEP_IDS.slice(STEP_IDS.indexOf('certificates'))) await play(third, id);
  expect(third.output()).toMatch(/approved csr-\w+ for w\d\.ocp46\.example\.localdomain/);
  third.type('1\r');
  expect((await third.exit).exitCode).toBe(0);
  expectNothingRedrawn(third);
  expect(readFileSync(join(dir, 'report.md'), 'utf8')).toMatch(/^# ocp46\.example\.localdomain$/m);
  expect(existsSync(join(dir, 'auth/kubeconfig'))).toBe(true);
  await runWizard(['rehearse', '--stop', '--dir', dir], { sandbox });
  expect(processesOf(dir), 'nothing runs on').toEqual([]);
});

const heard = new WeakMap<TerminalRun, number>();

/** Waits for these texts, in their order, in what was said since the last answer. */
async function asked(run: TerminalRun, ...texts: readonly string[]): Promise<void> {
  const from = heard.get(run) ?? 0;
  const end = () => texts.reduce((at, text) => (at < 0 ? at : after(run.output(), text, at)), from);
  await run.until(() => end() >= 0, texts.join(' … '));
  heard.set(run, end());
}

function after(output: string, text: string, from: number): number {
  const at = output.indexOf(text, from);
  return at < 0 ? at : at + text.length;
}

async function answer(run: TerminalRun, line: string, ...texts: readonly string[]): Promise<void> {
  run.type(`${line}\r`);
  await asked(run, ...texts);
}

/** Goes on to a step, does what it offers first, says yes where it asks, and waits until it says that it is done. */
async function play(run: TerminalRun, id: (typeof STEP_IDS)[number]): Promise<void> {
  const title = `] ${steps.titles[id]}`;
  if (!run.output().includes(title)) await answer(run, '1', title);
  const from = run.output().lastIndexOf(title);
  const since = () => run.output().slice(from);
  const isDone = () => /\r\n {2}done: [\s\S]*1\. (?:next|finish)[\s\S]*\[1\]: $/.test(since());
  await run.until(() => isDone() || since().endsWith(plain.choose), `what to do in ${id}`);
  if (!isDone()) {
    run.type('1\r');
    await run.until(
      () => isDone() || since().endsWith(plain.confirm) || since().includes('  working'),
      `${id} to begin`,
    );
    if (since().endsWith(plain.confirm)) run.type('y\r');
    await run.until(isDone, `${id} to be done`);
  }
  heard.set(run, run.output().length);
}

/** No escape sequence, and no return to the start of a line without a new one. */
function expectNothingRedrawn(run: TerminalRun): void {
  expect(run.output()).not.toContain(key.escape);
  expect(run.output()).not.toMatch(/\r(?!\n)/);
  expect(run.isAlternate()).toBe(false);
}
