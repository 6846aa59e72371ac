import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { completionCommand } from '../../src/cli/completion.ts';
import { manCommand } from '../../src/cli/man.ts';
import { UsageError } from '../../src/cli/shared/io.ts';
import { english } from '../../src/i18n/en/index.ts';
import { FAULTS } from '../../src/rehearsal/site/faults.ts';
import { testWith } from '../support/programs.ts';

const ROOT = join(import.meta.dirname, '../..');
let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'upi-completion-'));
  writeFileSync(join(dir, 'design file.yaml'), '');
  mkdirSync(join(dir, 'site'));
  for (const shell of ['bash', 'zsh', 'fish']) writeFileSync(join(dir, shell), printScript(shell));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function captureOutput(run: (stdout: (text: string) => void) => unknown): string {
  let out = '';
  run((text) => {
    out += text;
  });
  return out;
}

const io = (stdout: (text: string) => void) => ({ stdout, stderr: () => undefined, env: {}, cwd: dir });
const printScript = (shell: string) => captureOutput((stdout) => completionCommand([shell], io(stdout)));

/** Returns the candidates of bash for a line whose last word is incomplete. */
function completeInBash(...words: readonly string[]): string[] {
  const program = `source ./bash
    COMP_WORDS=(upi-wizard "$@") COMP_CWORD=$#
    _upi_wizard
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', program, 'bash', ...words], {
    cwd: dir,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.trimEnd().split('\n').filter(Boolean);
}

test('bash completes commands, their own commands, options, values, several values and files', () => {
  expect(completeInBash('')).toEqual(expect.arrayContaining(['rehearse', 'csr', 'doctor', 'help']));
  expect(completeInBash('do')).toEqual(['doctor']);
  expect(completeInBash('csr', '')).toEqual(['list', 'approve']);
  expect(completeInBash('csr', 'approve', '--f')).toEqual(['--follow', '--forever']);
  expect(completeInBash('--dir', 'csr', 'infra', 'ap')).toEqual(['apply']);
  expect(completeInBash('design', 'example', '--topology', 's')).toEqual(['standard', 'single-node']);
  expect(completeInBash('design', 'example', '--version', '4.2')).toEqual(['4.20', '4.21', '4.22', '4.23']);
  expect(completeInBash('design', 'example', '--topology', '=', 'co')).toEqual(['compact']);
  expect(completeInBash('infra', 'plan', '--only', 'pool,ro')).toEqual(['pool,router']);
  expect(completeInBash('rehearse', '--break', '')).toEqual([...FAULTS]);
  expect(completeInBash('help', 'exit')).toEqual(['exit-codes']);
  expect(completeInBash('status', '--dir', 'si')).toEqual(['site']);
  expect(completeInBash('completion', '')).toEqual(['bash', 'zsh', 'fish']);
  expect(completeInBash('rehearse', '--answers', 'e')).toEqual(['example']);
  // A name with a blank is one candidate.
  expect(completeInBash('design', 'check', 'des')).toEqual(['design file.yaml']);
});

test('every option that the commands parse can be completed, and no other', () => {
  const files = readdirSync(join(ROOT, 'src/cli'), { recursive: true, encoding: 'utf8' });
  const code = files
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(ROOT, 'src/cli', name), 'utf8'));
  const parsed = code.flatMap((text) =>
    [...text.matchAll(/'?([a-z][\w-]*)'?: \{ type: '(?:string|boolean)'/g)].map(([, name]) => name),
  );
  // Background jobs of the wizard pass these two.
  const known = new Set([...COMMANDS.flatMap(({ options }) => Object.keys(options)), 'job', 'code']);
  // Handled before anything is loaded.
  known.delete('version');
  expect([...new Set(parsed.filter((name) => name !== 'version'))].sort()).toEqual([...known].sort());
});

test('every command has a description, and is in the usage', () => {
  const usage = english.cli.usage('1', '', 'en');
  for (const { name } of COMMANDS.filter((each) => each.name !== '')) {
    expect(Object.keys(english.shells.commands)).toContain(name);
    const [first = ''] = name.split(' ');
    expect(usage).toContain(first);
  }
});

test('another shell is wrong usage', () => {
  expect(() => printScript('tcsh')).toThrow(UsageError);
});

testWith('zsh')('zsh takes the script', () => {
  const { status, stderr } = spawnSync(
    'zsh',
    ['-fc', 'autoload -U compinit; compinit -D; source ./zsh; (( $+functions[_upi_wizard] ))'],
    { cwd: dir, encoding: 'utf8' },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

testWith('fish')('fish completes by the script', () => {
  const completeInFish = (line: string) =>
    spawnSync('fish', ['-Nc', `source ./fish; complete -C '${line}'`], { cwd: dir, encoding: 'utf8' }).stdout;
  expect(completeInFish('upi-wizard csr ')).toMatch(/^approve\t/m);
  expect(completeInFish('upi-wizard design example --topology c')).toMatch(/^compact/m);
});

testWith('groff')('the manual page is roff without a warning, and has every topic', async () => {
  const chunks: string[] = [];
  const facts = { usage: english.cli.usage('1', '', 'en'), version: '1.2.3' };
  await manCommand(
    [],
    io((text) => void chunks.push(text)),
    facts,
  );
  const { stdout, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-Kutf8', '-ww', '-P-cbou'], {
    input: chunks.join(''),
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  for (const heading of ['NAME', 'COMMANDS', 'EXIT-CODES', 'FILES'])
    expect(stdout).toMatch(new RegExp(`^${heading}`, 'm'));
  expect(stdout).toContain('upi-wizard - from an empty bastion');
  expect(stdout).toContain('--take-over');
});
