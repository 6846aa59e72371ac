import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { judgeCredentials } from '../../../../src/steps/shared/files/credentials.ts';
import { makeSshKey } from '../../../../src/steps/shared/files/ssh-key.ts';
import { exampleSite } from '../../../support/example-design.ts';
import { testWith } from '../../../support/programs.ts';

const test = testWith('ssh-keygen');
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ssh-key-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const make = (publicFile: string | null, isFips = false) =>
  makeSshKey({ publicFile, isFips, dir, home: join(dir, 'home'), signal: new AbortController().signal });

async function problemsOf(file: string, isFips: boolean): Promise<string[]> {
  const files = { pullSecretFile: null, sshKeyFile: file, trustBundleFile: null };
  const problems = await judgeCredentials(files, { ...exampleSite(), fips: isFips });
  return problems.map(({ rule }) => rule).filter((rule) => rule.startsWith('ssh-key'));
}

test('a key is made where the design names one, its private half readable by the user alone', async () => {
  expect(await make('./keys/nodes.pub')).toBe('./keys/nodes.pub');
  expect(await readFile(join(dir, 'keys/nodes.pub'), 'utf8')).toMatch(/^ssh-ed25519 AAAA\S+ upi-wizard\n$/);
  expect((await stat(join(dir, 'keys/nodes'))).mode & 0o777).toBe(0o600);
  expect((await stat(join(dir, 'keys'))).mode & 0o777).toBe(0o700);
  expect(await problemsOf(join(dir, 'keys/nodes.pub'), false)).toEqual([]);
});

test('where none is named it is the usual one, and with FIPS one that works there', async () => {
  expect(await make(null)).toBe('~/.ssh/id_ed25519.pub');
  expect(await make('~/.ssh/id_ed25519.pub', true)).toBe('~/.ssh/id_ecdsa.pub');
  expect(await problemsOf(join(dir, 'home/.ssh/id_ecdsa.pub'), true)).toEqual([]);
});

test('nothing that exists is written over, not even half a pair', async () => {
  await writeFile(join(dir, 'mine'), 'private\n');
  await expect(make('./mine.pub')).rejects.toMatchObject({ trouble: { code: 'ssh-key-exists' } });
  expect(await readFile(join(dir, 'mine'), 'utf8')).toBe('private\n');
});

test('a name that is not that of a public key is refused', async () => {
  await expect(make('./key')).rejects.toMatchObject({ trouble: { code: 'ssh-key-name' } });
});

test('a place where nothing can be written is told', async () => {
  await writeFile(join(dir, 'file'), '');
  await expect(make('./file/key.pub')).rejects.toThrow(/EEXIST|ENOTDIR/);
});
