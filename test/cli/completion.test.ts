import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FAULTS } from '../../src/rehearsal/site/faults.ts';
import { testWith } from '../support/programs.ts';
import { captureCommand } from '../support/run-command.ts';

let dir: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'upi-completion-'));
  writeFileSync(join(dir, 'design file.yaml'), '');
  mkdirSync(join(dir, 'site'));
  for (const shell of ['bash', 'zsh', 'fish']) writeFileSync(join(dir, shell), await print('completion', shell));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const print = async (...argv: readonly string[]) => (await captureCommand(argv, { cwd: dir, env: {} })).stdout;

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
  expect(completeInBash('csr', '')).toEqual(['list', 'approve', 'deny']);
  expect(completeInBash('csr', 'approve', '--f')).toEqual(['--follow', '--forever']);
  expect(completeInBash('--dir', 'csr', 'infra', 'ap')).toEqual(['apply']);
  expect(completeInBash('infra', '--dir', 'apply', 'ver')).toEqual(['verify']);
  expect(completeInBash('check', '--phase', 'boot')).toEqual(['boot-files']);
  expect(completeInBash('design', 'example', '--topology', 's')).toEqual([
    'standard',
    'single-node',
    'single-node-bootstrap',
  ]);
  expect(completeInBash('design', 'example', '--version', '4.2')).toEqual(['4.20', '4.21', '4.22', '4.23']);
  expect(completeInBash('design', 'example', '--topology', '=', 'co')).toEqual(['compact']);
  expect(completeInBash('infra', 'plan', '--only', 'pool,ro')).toEqual(['pool,router']);
  expect(completeInBash('rehearse', '--break', '')).toEqual([...FAULTS]);
  expect(completeInBash('help', 'exit')).toEqual(['exit-codes']);
  expect(completeInBash('help', 'wrong')).toEqual(['wrong-mac']);
  expect(completeInBash('help', 'lb-')).toEqual(['lb-add', 'lb-final']);
  expect(completeInBash('status', '--dir', 'si')).toEqual(['site']);
  expect(completeInBash('completion', '')).toEqual(['bash', 'zsh', 'fish']);
  expect(completeInBash('rehearse', '--answers', 'e')).toEqual(['example']);
  // A name with a blank is one candidate.
  expect(completeInBash('design', 'check', 'des')).toEqual(['design file.yaml']);
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
  expect(completeInFish('upi-wizard csr ')).toMatch(/^approve\tapprove requests that fit the design$/m);
  expect(completeInFish('upi-wizard status --w')).toMatch(/^--watch\trepeat until Ctrl-C/m);
  expect(completeInFish('upi-wizard design example --topology c')).toMatch(/^compact/m);
});

testWith('groff')('the manual page is roff without a warning, and has every topic', async () => {
  const { stdout, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-Kutf8', '-ww', '-P-cbou'], {
    input: await print('man'),
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  for (const heading of ['NAME', 'SYNOPSIS', 'COMMANDS', 'EXIT-CODES', 'FILES'])
    expect(stdout).toMatch(new RegExp(`^${heading}`, 'm'));
  expect(stdout).toContain('upi-wizard - from an empty bastion');
  expect(stdout).toMatch(/^ +--take-over$/m);
  expect(stdout).toMatch(/^ +upi-wizard infra apply \[FILE\]$/m);
});
