import { mkdir, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { renderExampleDesign } from '../../../../src/design/example.ts';
import { readImport, saveImportedSecrets } from '../../../../src/steps/shared/files/imports.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'imports-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const CONFIG =
  'apiVersion: v1\nbaseDomain: example.com\nmetadata: {name: prod}\npullSecret: SECRET\nsshKey: ssh-ed25519 AAAA me\n';

test('a file is read relative to the install directory', async () => {
  await writeFile(join(dir, 'nodes.csv'), 'w1,172.16.0.31,00:50:56:96:6b:da\n');
  expect(await readImport('nodes.csv', dir)).toMatchObject({ kind: 'table' });
});

test.each([
  ['absent.csv', /absent\.csv cannot be read: it does not exist/],
  ['.', /cannot be read: it is a directory/],
  ['/dev/zero', /cannot be read: it is not a regular file/],
  ['x'.repeat(300), /cannot be read: the name is too long/],
])('an unreadable file is reported with its reason: %s', async (path, expected) => {
  expect(await readImport(path, dir)).toMatchObject({ problem: expect.stringMatching(expected) });
});

test('a file that is far too long is not read at all', async () => {
  await writeFile(join(dir, 'disk.img'), '');
  await truncate(join(dir, 'disk.img'), 3_000_000_000);
  expect(await readImport('disk.img', dir)).toMatchObject({ problem: expect.stringMatching(/^It has more than/) });
});

test('secrets are written once, for the user alone, and never over something else', async () => {
  await writeFile(join(dir, 'install-config.yaml'), CONFIG);
  await writeFile(join(dir, 'ssh-key.pub'), 'mine\n');
  const message = await saveImportedSecrets('install-config.yaml', dir);
  expect(message).toBe(
    'Written beside the design, readable by you only: pull-secret.txt. ssh-key.pub exists already with other content and stays as it is.',
  );
  expect(await readFile(join(dir, 'pull-secret.txt'), 'utf8')).toBe('SECRET\n');
  expect((await stat(join(dir, 'pull-secret.txt'))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(dir, 'ssh-key.pub'), 'utf8')).toBe('mine\n');
  // The second time it is the same file.
  expect(await saveImportedSecrets('install-config.yaml', dir)).toMatch(
    /: pull-secret\.txt\. ssh-key\.pub exists already/,
  );
});

test('a directory in the place of a secret is reported as an error', async () => {
  await writeFile(join(dir, 'install-config.yaml'), CONFIG);
  await mkdir(join(dir, 'pull-secret.txt'));
  await expect(saveImportedSecrets('install-config.yaml', dir)).rejects.toThrow(/EISDIR/);
});

test('a design from another directory still names its own files', async () => {
  await mkdir(join(dir, 'site'));
  await writeFile(join(dir, 'site', 'design.yaml'), renderExampleDesign());
  await writeFile(join(dir, 'here.yaml'), renderExampleDesign());
  expect(await readImport('site/design.yaml', dir)).toMatchObject({
    document: {
      credentials: { pullSecretFile: join(dir, 'site', 'pull-secret.txt'), sshKeyFile: '~/.ssh/id_ed25519.pub' },
    },
  });
  expect(await readImport('here.yaml', dir)).toMatchObject({
    document: { credentials: { pullSecretFile: './pull-secret.txt' } },
  });
});
