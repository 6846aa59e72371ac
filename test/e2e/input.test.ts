import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { WIDTH_QUERY } from '../../src/terminal/terminal-reports.ts';
import { runOnPty } from '../support/pty-run.ts';
import { createSandbox, wizardExecutable } from '../support/rehearsal-run.ts';
import { key, startOnTerminal } from '../support/terminal-run.ts';

const sandbox = createSandbox();
afterAll(sandbox.remove);

async function openClusterName(name: string) {
  const run = startOnTerminal(['--dir', sandbox.dir(name)], { sandbox });
  await run.waitFor('New installation');
  await run.waitUntil(() => run.output().includes(WIDTH_QUERY), 'the question how wide signs are');
  run.type(`${key.enter}${key.tab.repeat(3)}`);
  await run.waitFor(/[│┤] ▸ Cluster name/);
  return run;
}

test('a word that an input method composed is inserted whole, and the terminal cursor is after it', async () => {
  const run = await openClusterName('ime');
  const row = run
    .screen()
    .split('\n')
    .findIndex((line) => line.includes('▸ Cluster name'));
  const column = (run.screen().split('\n')[row] ?? '').indexOf('ocp45');
  run.type(`${key.ctrl('u')}日本語`);
  await run.waitFor(/▸ Cluster name +日本語/);
  await run.waitUntil(
    () => run.cursor().x === column + 6 && run.cursor().y === row,
    'the cursor behind three wide letters',
  );
  run.type('クラスター');
  await run.waitFor(/日本語クラスター/);
  await run.waitUntil(() => run.cursor().x === column + 16, 'the cursor behind eight');
  run.type(key.backspace);
  await run.waitFor(/日本語クラスタ /);
  await run.waitUntil(() => run.cursor().x === column + 14 && run.cursor().y === row, 'the cursor one letter back');
  run.type(key.ctrl('s'));
  expect((await run.exit).exitCode).toBe(0);
});

test('a terminal that draws symbols two cells wide gets ASCII, now and from the first frame of the next start', async () => {
  const run = await openClusterName('wide');
  expect(run.screen()).toContain('▸');
  // The answer comes in pieces, between typed keys: none of it is typed into the field.
  run.type(`${key.ctrl('u')}ab\u001b[1`);
  run.type(';3Rcd');
  await run.waitFor(/> Cluster name +abcd /);
  await run.waitUntil(() => /^[\x20-\x7e\n]*$/.test(run.screen()), 'nothing but ASCII');
  expect(run.screen()).toMatch(/^ upi-wizard/);
  run.type(key.ctrl('s'));
  expect((await run.exit).exitCode).toBe(0);
  const saved = JSON.parse(readFileSync(join(sandbox.env.HOME ?? '', '.config/upi-wizard/terminals.json'), 'utf8'));
  expect(saved).toEqual({ 'xterm-256color  local': 'wide' });

  const next = startOnTerminal(['--dir', sandbox.dir('wide')], { sandbox });
  await next.waitFor(/> Cluster name/);
  expect(next.output().replaceAll(WIDTH_QUERY, '')).not.toMatch(/[^\x00-\x7f]/);
  // The terminal was configured differently meanwhile: the answer is narrow, and late.
  next.type('\u001b[1;2R');
  await next.waitFor(/▸ Cluster name +abcd /);
  next.type(key.ctrl('s'));
  expect((await next.exit).exitCode).toBe(0);
});

test('a terminal that does not answer is drawn as before, and is asked nothing on a serial line or without UTF-8', async () => {
  const environments: Readonly<Record<string, string>>[] = [{ TERM: 'vt220' }, { LANG: 'C' }, { TERM: 'linux' }];
  for (const [index, env] of environments.entries()) {
    const run = startOnTerminal(['--dir', sandbox.dir(`line-${index}`)], { sandbox, env });
    await run.waitFor(/New installation[\s\S]*Enter choose/);
    run.type(key.enter);
    await run.waitFor('Design > Cluster');
    expect(run.output()).not.toContain('\u001b[6n');
    run.type(key.ctrl('s'));
    await run.exit;
  }
});

test('a serial console that reports no rows and no columns is treated as 80x24', async () => {
  const script = 'stty rows 0 cols 0; exec "$@"';
  const argv = ['-c', script, 'sh', process.execPath, wizardExecutable, '--dir', sandbox.dir('serial')];
  const run = runOnPty('/bin/sh', argv, { env: { ...sandbox.env, TERM: 'vt220' } });
  await run.waitUntil(() => /▸ New installation[\s\S]*Enter choose/.test(run.screen()), 'the welcome');
  run.pty.write('\r');
  await run.waitUntil(() => /[│┤] ▸ OpenShift version[\s\S]*Enter next/.test(run.screen()), 'the first question');
  run.pty.write(key.ctrl('s'));
  expect((await run.exit).exitCode).toBe(0);
});

test('the echo of the terminal is off before the first frame is drawn', async () => {
  const rawModeHook = sandbox.file(
    'raw.mjs',
    `import { writeSync } from 'node:fs';
import { ReadStream } from 'node:tty';
const { setRawMode } = ReadStream.prototype;
ReadStream.prototype.setRawMode = function (isRaw) { writeSync(1, '<raw ' + isRaw + '>'); return setRawMode.call(this, isRaw); };
`,
  );
  const run = startOnTerminal(['--dir', sandbox.dir('echo')], {
    sandbox,
    env: { NODE_OPTIONS: `--import=${rawModeHook}` },
  });
  await run.waitFor('Enter choose');
  run.type(key.ctrl('s'));
  await run.exit;
  const output = run.output().replaceAll(/\u001b\[[\d;]*m/g, '');
  expect(output).toMatch(/^(?:(?!Enter choose)[\s\S])*<raw true>[\s\S]*Enter choose[\s\S]*<raw false>/);
});
