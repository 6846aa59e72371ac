import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkPullSecret } from '../../src/checks/machine/checks.ts';
import { createExampleDocument } from '../../src/cli/session/working-session.ts';
import { getConfigDirectory, rememberDirectory } from '../../src/session/install-directories.ts';
import { openSession } from '../../src/session/session.ts';
import { freshState } from '../../src/session/state.ts';
import { captureCommand } from '../support/run-command.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'upi-doctor-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

interface DoctorDocument {
  readonly checks: readonly { readonly id: string; readonly result: string; readonly evidence: string | null }[];
}

async function readChecks(...argv: readonly string[]): Promise<DoctorDocument['checks']> {
  const { stdout } = await captureCommand(['doctor', ...argv, '--json'], { cwd });
  return (JSON.parse(stdout) as DoctorDocument).checks;
}

test('doctor lists what is needed and what is missing, and leaves no files behind', async () => {
  const { code, stdout } = await captureCommand(['doctor', '--dir', 'new'], { cwd });
  expect(code).toBe(4);
  expect(stdout).toMatch(/^Missing, and needed for an installation\n/);
  expect(stdout).toContain(`pull secret`);
  expect(stdout).toContain('\nOK\n');
  expect(stdout.trimEnd().split('\n\n').at(-1)).toMatch(/^To fix first: .*pull secret/s);
  expect(existsSync(join(cwd, 'new'))).toBe(false);
  expect((await readChecks('--dir', 'new')).find(({ id }) => id === 'outside-names')).toBeUndefined();
});

test('doctor checks against the design once it is decided, and against none before', async () => {
  const installer = join(cwd, 'openshift-install');
  writeFileSync(installer, '#!/bin/sh\necho "$0 4.17.9"\necho release architecture amd64\n', { mode: 0o755 });
  const readInstallerCheck = async () => (await readChecks('--dir', cwd)).find(({ id }) => id === 'openshift-install');
  expect(await readInstallerCheck()).toMatchObject({ result: 'ok', evidence: `4.17.9 ${installer}` });
  openSession(cwd).save({ ...freshState, design: createExampleDocument(), place: { screen: 'nodes', field: null } });
  expect(await readInstallerCheck()).toMatchObject({ result: 'ok' });
  openSession(cwd).save({ ...freshState, design: createExampleDocument(), place: { screen: 'prepare', field: null } });
  expect(await readInstallerCheck()).toMatchObject({ result: 'failed', title: expect.stringContaining('4.18') });
});

test('doctor skips a rehearsal that was used last: it needs nothing of this machine', async () => {
  const [real, played] = [join(cwd, 'real'), join(cwd, 'played')];
  const rehearsal = { siteDir: played, seed: 1, speed: 60, faults: [] };
  openSession(real).save({ ...freshState, design: createExampleDocument() });
  openSession(played).save({ ...freshState, design: createExampleDocument(), rehearsal });
  for (const dir of [real, played])
    rememberDirectory(dir, getConfigDirectory({ XDG_CONFIG_HOME: join(cwd, 'config') }));
  const readDirectoryEvidence = async () => (await readChecks()).find(({ id }) => id === 'install-directory')?.evidence;
  expect(await readDirectoryEvidence()).toContain(real);
  rmSync(real, { recursive: true });
  expect(await readDirectoryEvidence()).toContain(join(cwd, 'upi-cluster'));
});

test('a missing pull secret is named with one path, and where to set it', async () => {
  const { stdout } = await captureCommand(['doctor', '--dir', 'none'], { cwd });
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    'specify its path on the page Credentials (in a design file: credentials.pullSecretFile)',
  );
  const problem = {
    path: '',
    severity: 'warning',
    message: 'The file ~/p does not exist',
    fix: '',
    line: 0,
    column: 0,
  } as const;
  expect(checkPullSecret({ file: '/home/user/p', problem: { ...problem, rule: 'pull-secret-missing' } })).toMatchObject(
    [{ title: 'The file ~/p does not exist', cause: '' }],
  );
  expect(checkPullSecret({ file: '/home/user/p', problem: { ...problem, rule: 'pull-secret' } })).toMatchObject([
    { cause: '/home/user/p' },
  ]);
});
