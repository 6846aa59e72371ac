import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { catalogue } from '../../../../src/i18n/catalogue.ts';
import { checkCredentialFiles } from '../../../../src/steps/shared/files/credentials.ts';
import { createSshKey } from '../../../../src/steps/shared/files/ssh-key.ts';
import { exampleSite } from '../../../support/example-design.ts';
import { testWith } from '../../../support/programs.ts';

const test = testWith('ssh-keygen');
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ssh-key-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const createKey = (publicFile: string | null, isFips = false) =>
  createSshKey({ publicFile, isFips, dir, home: join(dir, 'home'), signal: new AbortController().signal });

async function listProblems(file: string, isFips: boolean): Promise<string[]> {
  const files = { pullSecretFile: null, sshKeyFile: file, trustBundleFile: null, fencingFile: null };
  const problems = await checkCredentialFiles(files, { ...exampleSite(), fips: isFips });
  return problems.map(({ rule }) => rule).filter((rule) => rule.startsWith('ssh-key'));
}

test('a key is created at the path of the design, its private half readable by the user alone', async () => {
  expect(await createKey('./keys/nodes.pub')).toBe('./keys/nodes.pub');
  expect(await readFile(join(dir, 'keys/nodes.pub'), 'utf8')).toMatch(/^ssh-ed25519 AAAA\S+ upi-wizard\n$/);
  expect((await stat(join(dir, 'keys/nodes'))).mode & 0o777).toBe(0o600);
  expect((await stat(join(dir, 'keys'))).mode & 0o777).toBe(0o700);
  expect(await listProblems(join(dir, 'keys/nodes.pub'), false)).toEqual([]);
});

test('without a path in the design it is the default one, and with FIPS that of an ECDSA key', async () => {
  expect(await createKey(null)).toBe('~/.ssh/id_ed25519.pub');
  expect(await createKey('~/.ssh/id_ed25519.pub', true)).toBe('~/.ssh/id_ecdsa.pub');
  expect(await listProblems(join(dir, 'home/.ssh/id_ecdsa.pub'), true)).toEqual([]);
});

test('an existing file is never overwritten, not even half a pair', async () => {
  await writeFile(join(dir, 'mine'), 'private\n');
  await expect(createKey('./mine.pub')).rejects.toMatchObject({
    userError: { code: 'ssh-key-exists', title: catalogue().steps.sshKey.title },
  });
  expect(await readFile(join(dir, 'mine'), 'utf8')).toBe('private\n');
});

test('a name that is not that of a public key is refused', async () => {
  await expect(createKey('./key')).rejects.toMatchObject({ userError: { code: 'ssh-key-name' } });
});

test('a directory that cannot be created is reported', async () => {
  await writeFile(join(dir, 'file'), '');
  await expect(createKey('./file/key.pub')).rejects.toThrow(/EEXIST|ENOTDIR/);
});
