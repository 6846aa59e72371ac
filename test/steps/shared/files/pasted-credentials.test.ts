import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { UserErrorException } from '../../../../src/i18n/user-error.ts';
import { Secret } from '../../../../src/platform/secrets.ts';
import { checkCredentialFiles, savePastedCredential } from '../../../../src/steps/shared/files/credentials.ts';
import { exampleCredentials } from '../../../support/example-credentials.ts';
import { exampleSite } from '../../../support/example-design.ts';

const { pullSecret, sshKey } = exampleCredentials;
let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'pasted-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));
const save = (credential: 'pull-secret' | 'ssh-key', text: string, design = exampleSite()) =>
  savePastedCredential(credential, new Secret(text), { dir, design });

test('a pasted credential is saved in a file that only its owner can read, and passes the checks', async () => {
  expect(await save('pull-secret', pullSecret)).toBe('./.upi-wizard/pull-secret.json');
  expect(await save('ssh-key', sshKey)).toBe('./.upi-wizard/ssh-key.pub');
  const file = join(dir, '.upi-wizard', 'pull-secret.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(dir, '.upi-wizard')).mode & 0o777).toBe(0o700);
  const problems = await checkCredentialFiles(
    {
      pullSecretFile: file,
      sshKeyFile: join(dir, '.upi-wizard', 'ssh-key.pub'),
      trustBundleFile: null,
      fencingFile: null,
    },
    exampleSite(),
  );
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
});

test('a long line that the terminal wrapped is joined again', async () => {
  const wrapped = `{"auths":{"quay.io":{"auth":"dXNlcjpw\r\nYXNz"}}}`.replace('\r', '');
  await save('pull-secret', wrapped);
  const written = readFileSync(join(dir, '.upi-wizard', 'pull-secret.json'), 'utf8');
  expect(JSON.parse(written)).toEqual({ auths: { 'quay.io': { auth: 'dXNlcjpwYXNz' } } });
});

test.each([
  ['cut short', pullSecret.slice(0, 60), 'pasted-wrong'],
  ['without registries', '{ "auths": {} }', 'pasted-wrong'],
  ['too long', `{"auths":{"quay.io":{"auth":"${'A'.repeat(70_000)}"}}}`, 'pasted-long'],
])('a pull secret %s is refused without showing any of it, and the earlier file stays', async (_how, text, code) => {
  await save('pull-secret', pullSecret);
  await expect(save('pull-secret', text)).rejects.toSatisfy(
    (error: UserErrorException) => error.userError.code === code && !inspect(error, { depth: 9 }).includes('dXNl'),
  );
  expect(readFileSync(join(dir, '.upi-wizard', 'pull-secret.json'), 'utf8')).toBe(`${pullSecret.trim()}\n`);
  expect(readdirSync(join(dir, '.upi-wizard'))).toEqual(['pull-secret.json']);
});

test('a key is checked against the design', async () => {
  const fips = { ...exampleSite(), fips: true };
  await expect(save('ssh-key', sshKey, fips)).rejects.toMatchObject({ userError: { code: 'pasted-wrong' } });
});

test('a directory that cannot be written is reported', async () => {
  writeFileSync(join(dir, '.upi-wizard'), 'in the way');
  await expect(save('pull-secret', pullSecret)).rejects.toThrow(/EEXIST|ENOTDIR/);
});
