import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { beginInstallation } from '../../../src/cli/wizard/real-installation.ts';
import { freshState, openSession } from '../../../src/session/store.ts';
import { setAt } from '../../../src/wizard/design/document.ts';
import { exampleDocument } from '../../support/example-document.ts';

let root: string;
let rehearsed: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'real-'));
  rehearsed = join(root, 'upi-rehearsal');
  mkdirSync(rehearsed);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const begin = (named: string, document = exampleDocument()) => beginInstallation(rehearsed, named, document, '1');

test('the answers of a rehearsal begin a real installation at the credentials that it stood in for', async () => {
  const dir = await begin('./mine');
  expect(dir).toBe(join(root, 'mine'));
  expect(openSession(dir).load()).toEqual({
    ...freshState,
    design: exampleDocument(),
    place: { screen: 'credentials', field: null },
  });
});

test('files that lie with the rehearsal are named by their whole path; with all of them it goes on at the files', async () => {
  for (const name of ['pull-secret.txt', 'key.pub']) writeFileSync(join(rehearsed, name), '');
  const dir = await begin('mine', setAt(exampleDocument(), 'credentials.sshKeyFile', 'key.pub'));
  expect(openSession(dir).load()).toMatchObject({
    place: { screen: 'generate' },
    design: {
      credentials: { pullSecretFile: join(rehearsed, 'pull-secret.txt'), sshKeyFile: join(rehearsed, 'key.pub') },
    },
  });
});

test('a directory in which something is installed or rehearsed already is refused, and so is none', async () => {
  const refused = { trouble: { code: 'installation-exists' } };
  await expect(begin('')).rejects.toMatchObject(refused);
  await expect(begin(rehearsed)).rejects.toMatchObject(refused);
  const dir = await begin('mine');
  const before = openSession(dir).load();
  await expect(begin('mine')).rejects.toMatchObject(refused);
  expect(openSession(dir).load()).toEqual(before);
});
