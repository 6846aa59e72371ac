import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { judgeCredentials } from '../../../../src/steps/shared/files/credentials.ts';
import { keepPasted } from '../../../../src/steps/shared/files/pasted-credentials.ts';
import { Secret } from '../../../../src/text/secret.ts';
import type { TroubleError } from '../../../../src/text/trouble.ts';
import { exampleCredentials } from '../../../support/example-credentials.ts';
import { exampleSite } from '../../../support/example-design.ts';

const { pullSecret, sshKey } = exampleCredentials;
let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'pasted-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));
const keep = (what: 'pull-secret' | 'ssh-key', text: string, design = exampleSite()) =>
  keepPasted(what, new Secret(text), { dir, design });

test('what is pasted lies in a file that only its owner reads, and is as good as any other file', async () => {
  expect(await keep('pull-secret', pullSecret)).toBe('./.upi-wizard/pull-secret.json');
  expect(await keep('ssh-key', sshKey)).toBe('./.upi-wizard/ssh-key.pub');
  const file = join(dir, '.upi-wizard', 'pull-secret.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(dir, '.upi-wizard')).mode & 0o777).toBe(0o700);
  const problems = await judgeCredentials(
    { pullSecretFile: file, sshKeyFile: join(dir, '.upi-wizard', 'ssh-key.pub'), trustBundleFile: null },
    exampleSite(),
  );
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
});

test('a long line that a terminal broke is put together again', async () => {
  const broken = `{"auths":{"quay.io":{"auth":"dXNlcjpw\r\nYXNz"}}}`.replace('\r', '');
  await keep('pull-secret', broken);
  const written = readFileSync(join(dir, '.upi-wizard', 'pull-secret.json'), 'utf8');
  expect(JSON.parse(written)).toEqual({ auths: { 'quay.io': { auth: 'dXNlcjpwYXNz' } } });
});

test.each([
  ['cut short', pullSecret.slice(0, 60), 'pasted-wrong'],
  ['without registries', '{ "auths": {} }', 'pasted-wrong'],
  ['too long', `{"auths":{"quay.io":{"auth":"${'A'.repeat(70_000)}"}}}`, 'pasted-long'],
])(
  'a pull secret %s is refused in words that hold nothing of it, and the file before it stays',
  async (_how, text, code) => {
    await keep('pull-secret', pullSecret);
    await expect(keep('pull-secret', text)).rejects.toSatisfy(
      (error: TroubleError) => error.trouble.code === code && !inspect(error, { depth: 9 }).includes('dXNl'),
    );
    expect(readFileSync(join(dir, '.upi-wizard', 'pull-secret.json'), 'utf8')).toBe(`${pullSecret.trim()}\n`);
    expect(readdirSync(join(dir, '.upi-wizard'))).toEqual(['pull-secret.json']);
  },
);

test('a key is judged for what it is wanted for', async () => {
  const fips = { ...exampleSite(), fips: true };
  await expect(keep('ssh-key', sshKey, fips)).rejects.toMatchObject({ trouble: { code: 'pasted-wrong' } });
});

test('where nothing can be written the person hears of it', async () => {
  writeFileSync(join(dir, '.upi-wizard'), 'in the way');
  await expect(keep('pull-secret', pullSecret)).rejects.toThrow(/EEXIST|ENOTDIR/);
});
