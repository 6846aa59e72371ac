import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { answerCommand } from '../../src/cli/answer.ts';
import { attachCommand, detachCommand } from '../../src/cli/attach.ts';
import { bundleCommand } from '../../src/cli/bundle.ts';
import { checkCommand } from '../../src/cli/check.ts';
import { csrCommand } from '../../src/cli/csr.ts';
import { diagnoseCommand } from '../../src/cli/diagnose.ts';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { eventCommand } from '../../src/cli/event.ts';
import { exportCommand } from '../../src/cli/export.ts';
import { hostsCommand } from '../../src/cli/hosts.ts';
import { infraCommand } from '../../src/cli/infra.ts';
import { statusCommand } from '../../src/cli/status.ts';
import { type LiveCommand, runOnSimulatedCluster } from '../support/simulated-cluster.ts';

const cwd = mkdtempSync(join(tmpdir(), 'upi-no-session-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
const file = join(cwd, 'a-file');
writeFileSync(file, 'mine');
mkdirSync(join(cwd, 'empty'));

const NO_LAUNCHER = {
  loadPlain: () => Promise.reject(new Error('nothing is shown')),
  loadScreens: () => Promise.reject(new Error('nothing is shown')),
  programs: { bootServer: '', executable: '', site: '', standIn: '' },
};

/** Every command that works on the session of an install directory; `files`: it takes --design and --kubeconfig as well. */
const COMMANDS: readonly (readonly [LiveCommand, readonly string[], 'files'?])[] = [
  [statusCommand, [], 'files'],
  [statusCommand, ['--json'], 'files'],
  [csrCommand, ['list'], 'files'],
  [csrCommand, ['approve', '--expected'], 'files'],
  [csrCommand, ['approve', '--follow', '--forever'], 'files'],
  [csrCommand, ['approve', '--background'], 'files'],
  [csrCommand, ['approve', '--stop'], 'files'],
  [infraCommand, ['plan'], 'files'],
  [infraCommand, ['undo', '--yes'], 'files'],
  [answerCommand, []],
  [answerCommand, ['yes']],
  [checkCommand, []],
  [hostsCommand, ['plan']],
  [hostsCommand, ['apply', '--yes']],
  [(argv, io, programs) => exportCommand(argv, io, programs, cwd), ['ansible', 'roles']],
  [diagnoseCommand, []],
  [diagnoseCommand, ['--bundle', file]],
  [(argv, io) => bundleCommand(argv, io, '0'), ['--yes']],
  [(argv, io) => detachCommand(argv, io), []],
  [(argv, io) => attachCommand(argv, io, NO_LAUNCHER), ['--view']],
];

test.each([
  ['a file', file],
  ['below a file', join(file, 'below')],
  ['too long a name', join(cwd, 'x'.repeat(300))],
  ['missing', join(cwd, 'none')],
  ['empty', join(cwd, 'empty')],
])('a directory that is %s is wrong usage, reported in one line that names the remedy', async (_, dir) => {
  for (const [command, argv, takesFiles] of COMMANDS) {
    const { code, stdout, stderr } = await runOnSimulatedCluster(command, [...argv, '--dir', dir], { cwd });
    expect([argv, code, stdout]).toEqual([argv, 2, '']);
    expect(stderr).toContain(dir);
    expect(stderr).toContain('--dir');
    expect(stderr.trimEnd()).not.toContain('\n');
    if (takesFiles === undefined) expect([argv, stderr]).toEqual([argv, expect.not.stringContaining('--kubeconfig')]);
  }
});

test('commands that only inspect a directory also accept a file', async () => {
  const doctor = await runOnSimulatedCluster(doctorCommand, ['--dir', join(file, 'below'), '--json'], { cwd });
  expect(doctor.code).toBe(4);
  const failed = expect.objectContaining({ id: 'install-directory', result: 'failed' });
  expect(JSON.parse(doctor.stdout).checks).toContainEqual(failed);
  const event = await runOnSimulatedCluster((argv, io) => eventCommand(argv, io), ['question', '--dir', file], { cwd });
  expect(event).toMatchObject({ code: 4, stdout: '' });
  expect(event.stderr).toContain('No command is set for events.');
});
