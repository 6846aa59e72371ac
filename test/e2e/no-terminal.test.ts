import { afterAll, expect, test } from 'vitest';
import {
  createSandbox,
  type ProgramResult,
  runWizard,
  startProgram,
  wizardExecutable,
} from '../support/rehearsal-run.ts';
import { key, startOnTerminal } from '../support/terminal-run.ts';

const sandbox = createSandbox();
afterAll(sandbox.remove);

function expectOneSentence({ code, stdout, stderr }: ProgramResult): void {
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(stderr).toContain(' rehearse --answers example --plain"');
  expect(stderr).toContain('--plain');
  expect(stderr).not.toMatch(/\u001b|Error|\bat /);
}

test('without a terminal one sentence names what works there', async () => {
  const pipeline = `set -o pipefail; '${process.execPath}' '${wizardExecutable}' "$@" < /dev/null | cat`;
  for (const args of [[], ['--dir', sandbox.dir('none')], ['rehearse']]) {
    const shellArgs = ['-c', pipeline, 'bash', ...args];
    expectOneSentence(await startProgram('bash', shellArgs, { sandbox, env: { TERM: 'xterm-256color' } }).exit);
  }
});

test('a dumb terminal gets one question per line automatically, and the answers survive a kill', async () => {
  const plain = startOnTerminal(['--dir', sandbox.dir('dumb')], { sandbox, env: { TERM: 'dumb' } });
  await plain.waitFor('Your choice [1]:');
  expect(plain.output().replaceAll(/\s+/g, ' ')).toContain(
    'This terminal (TERM=dumb) cannot show full screens, so the wizard uses plain lines.',
  );
  plain.type('\r');
  await plain.waitFor('OpenShift version [4.18]:');
  plain.type('4.19\r');
  await plain.waitFor('Architecture [x86_64]:');
  await plain.kill9();
  expect(plain.output()).not.toContain('\u001b');

  // Answers from before the kill are the defaults of this run.
  const { code, stdout } = await runWizard(['--dir', sandbox.dir('dumb'), '--plain'], { sandbox, input: '' });
  expect(stdout).toContain('OpenShift version [4.19]: ');
  expect(stdout).toContain('The input ended before all questions were answered. Your answers so far are saved.');
  expect(code).toBe(3);
});

/** Foreground or background colours, of 8, 16, 256 or millions; bold and inverse are no colours. */
const COLOUR = /\u001b\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[0-9;]*)?m/;

test('NO_COLOR in the C locale: no colour and nothing but ASCII, on page after page', async () => {
  const env = { NO_COLOR: '1', LANG: 'C' };
  const run = startOnTerminal(['rehearse', '--dir', sandbox.dir('ascii')], { sandbox, env });
  const screens: string[] = [];
  await run.waitFor('New installation');
  screens.push(run.screen());
  run.type(key.enter);
  for (const [place, fields] of [
    ['Design > Cluster', 6],
    ['Design > Networks', 10],
    ['Design > Nodes', 1],
    ['Design > Services', 17],
    ['Design > Credentials', 2],
    ['Design > Review', 1],
  ] as const) {
    await run.waitFor(place);
    screens.push(run.screen());
    run.type(key.enter.repeat(fields));
  }
  for (const [textBefore, textAfter] of [
    [/\d+ files to write/, /\d+ files on disk/],
    ['to be set up: ns1, lb1, bastion', 'names and load balancer answer as designed'],
  ] as const) {
    await run.waitFor(textBefore);
    screens.push(run.screen());
    run.type(key.enter);
    await run.waitFor(textAfter);
    screens.push(run.screen());
    run.type(key.ctrl('g'));
    await run.waitFor('close');
    screens.push(run.screen());
    run.type(key.escape);
    await run.waitFor(textAfter);
    run.type(key.enter);
  }
  await run.waitFor('Prepare  10/17');
  run.type(key.ctrl('s'));
  expect((await run.exit).exitCode).toBe(0);
  for (const screen of screens) expect(screen).not.toMatch(/[^\n\x20-\x7e]/);
  expect(run.output()).not.toMatch(COLOUR);
  expect(COLOUR.test('\u001b[1;36mx')).toBe(true);
});
