import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { captureCommand } from '../support/run-command.ts';

const cwd = mkdtempSync(join(tmpdir(), 'upi-no-session-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
const file = join(cwd, 'a-file');
writeFileSync(file, 'mine');
mkdirSync(join(cwd, 'empty'));

/**
 * Every command that works on the session of an install directory; `files`: it takes --design and --kubeconfig as well.
 */
const COMMANDS: readonly (readonly [readonly string[], 'files'?])[] = [
  [['status'], 'files'],
  [['status', '--json'], 'files'],
  [['csr', 'list'], 'files'],
  [['csr', 'approve', '--expected'], 'files'],
  [['csr', 'approve', '--follow', '--forever'], 'files'],
  [['csr', 'approve', '--background'], 'files'],
  [['csr', 'approve', '--stop'], 'files'],
  [['infra', 'plan'], 'files'],
  [['infra', 'undo', '--yes'], 'files'],
  [['answer']],
  [['answer', 'yes']],
  [['check']],
  [['hosts', 'plan']],
  [['hosts', 'apply', '--yes']],
  [['export', 'ansible', 'roles']],
  [['diagnose']],
  [['diagnose', '--bundle', file]],
  [['bundle', '--yes']],
  [['detach']],
  [['infra', 'job']],
  [['attach', '--view']],
];

test.each([
  ['a file', file],
  ['below a file', join(file, 'below')],
  ['too long a name', join(cwd, 'x'.repeat(300))],
  ['missing', join(cwd, 'none')],
  ['empty', join(cwd, 'empty')],
])('a directory that is %s is wrong usage, reported in one line that names the remedy', async (_, dir) => {
  for (const [argv, takesFiles] of COMMANDS) {
    const { code, stdout, stderr } = await captureCommand([...argv, '--dir', dir], { cwd });
    expect([argv, code, stdout]).toEqual([argv, 2, '']);
    expect(stderr).toContain(dir);
    expect(stderr).toContain('--dir');
    expect(stderr.trimEnd()).not.toContain('\n');
    if (takesFiles === undefined) expect([argv, stderr]).toEqual([argv, expect.not.stringContaining('--kubeconfig')]);
  }
});

test('commands that only inspect a directory also accept a file', async () => {
  const doctor = await captureCommand(['doctor', '--dir', join(file, 'below'), '--json'], { cwd });
  expect(doctor.code).toBe(4);
  const failed = expect.objectContaining({ id: 'install-directory', result: 'failed' });
  expect(JSON.parse(doctor.stdout).checks).toContainEqual(failed);
  const event = await captureCommand(['event', 'question', '--dir', file], { cwd });
  expect(event).toMatchObject({ code: 4, stdout: '' });
  expect(event.stderr).toContain('No command is set for events.');
});
