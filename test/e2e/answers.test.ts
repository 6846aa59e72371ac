import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { renderExampleDesign } from '../../src/design/example.ts';
import { createSandbox, runWizard, startProgram, wizardExecutable } from '../support/rehearsal-run.ts';
import { key, startOnTerminal } from '../support/terminal-run.ts';

const sandbox = createSandbox();
afterAll(sandbox.remove);
const file = join(sandbox.path, 'site.yaml');

test('a new installation starts at Review with a design file, and a second one does not replace answers', async () => {
  writeFileSync(file, renderExampleDesign().replace('name: ocp45', 'name: prod7'));
  const dir = sandbox.dir('real');
  const run = startOnTerminal(['--answers', file, '--dir', dir], { sandbox });
  await run.waitFor('Design > Review');
  await run.waitFor('prod7.example.localdomain');
  run.type(key.ctrl('s'));
  expect((await run.exit).exitCode).toBe(0);
  const again = startOnTerminal(['--answers', file, '--dir', dir], { sandbox });
  expect((await again.exit).exitCode).toBe(2);
  expect(again.output().replace(/\s+/g, ' ')).toContain(
    'has answers already, and --answers is for a new installation.',
  );
  // Without the option it continues where it was.
  const resumed = startOnTerminal(['--dir', dir], { sandbox });
  await resumed.waitFor('Design > Review');
  resumed.type(key.ctrl('s'));
  await resumed.exit;
});

test('without a terminal, plain lines start at Review, name its warnings and go on', async () => {
  writeFileSync(
    file,
    renderExampleDesign().replace('name: ocp45', 'name: prod8').replace('00:50:56:96:11:c2', '00:50:56:00:00:01'),
  );
  // The reader ends at the first step, and the program with it: nothing is probed.
  const pipeline = `'${process.execPath}' '${wizardExecutable}' "$@" < /dev/null | sed '/ Generate$/q'`;
  const args = ['-c', pipeline, 'bash', '--plain', '--answers', file, '--dir', sandbox.dir('lines')];
  const { stdout } = await startProgram('bash', args, { sandbox }).exit;
  expect(stdout).not.toContain('OpenShift version [');
  expect(stdout).toContain(
    '\n  Nodes: 9 MAC addresses are still the example’s: those machines would never boot. Enter those of',
  );
  expect(stdout).toContain('\n  Credentials > Pull secret file: The file ');
  expect(stdout).toContain('Still from the example. Are these yours?\n');
  expect(stdout).toMatch(/\[8\/17\] Generate\n$/);
});

test('a file that cannot be used starts nothing', async () => {
  writeFileSync(file, renderExampleDesign().replace('172.16.0.254', '172.16.0.21'));
  const wrong = startOnTerminal(['--answers', file, '--dir', sandbox.dir('other')], { sandbox });
  expect((await wrong.exit).exitCode).toBe(3);
  const missing = await runWizard(['--plain', '--answers', 'none.yaml', '--dir', sandbox.dir('other')], { sandbox });
  expect(missing).toMatchObject({ code: 2 });
});
