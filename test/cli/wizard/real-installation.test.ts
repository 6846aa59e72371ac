import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startInstallation } from '../../../src/cli/wizard/real-installation.ts';
import { setAt } from '../../../src/design/paths.ts';
import { openSession } from '../../../src/session/session.ts';
import { freshState } from '../../../src/session/state.ts';
import { exampleDocument } from '../../support/example-document.ts';

let root: string;
let rehearsalDir: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'real-'));
  rehearsalDir = join(root, 'upi-rehearsal');
  mkdirSync(rehearsalDir);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const begin = (target: string, document = exampleDocument()) => startInstallation(rehearsalDir, target, document, '1');

test('the answers of a rehearsal begin a real installation at the credentials that it stood in for', async () => {
  const dir = await begin('./mine');
  expect(dir).toBe(join(root, 'mine'));
  expect(openSession(dir).load()).toEqual({
    ...freshState,
    design: exampleDocument(),
    place: { screen: 'credentials', field: null },
  });
});

test('files in the rehearsal directory get their full path; if none is missing, the wizard resumes at the files', async () => {
  for (const name of ['pull-secret.txt', 'key.pub']) writeFileSync(join(rehearsalDir, name), '');
  const dir = await begin('mine', setAt(exampleDocument(), 'credentials.sshKeyFile', 'key.pub'));
  expect(openSession(dir).load()).toMatchObject({
    place: { screen: 'generate' },
    design: {
      credentials: { pullSecretFile: join(rehearsalDir, 'pull-secret.txt'), sshKeyFile: join(rehearsalDir, 'key.pub') },
    },
  });
});

test('two nodes with fencing begin at the credentials while the file with the logins of the BMCs is missing', async () => {
  for (const name of ['pull-secret.txt', 'key.pub']) writeFileSync(join(rehearsalDir, name), '');
  const document = setAt(exampleDocument('fencing'), 'credentials.sshKeyFile', 'key.pub');
  const readPlace = (dir: string) => openSession(dir).load()?.place.screen;
  expect(readPlace(await begin('without', document))).toBe('credentials');
  writeFileSync(join(rehearsalDir, 'fencing.yaml'), '');
  expect(readPlace(await begin('with', document))).toBe('generate');
});

test('a directory in which something is installed or rehearsed already is refused, and so is none', async () => {
  const expectedError = { userError: { code: 'installation-exists' } };
  await expect(begin('')).rejects.toMatchObject(expectedError);
  await expect(begin(rehearsalDir)).rejects.toMatchObject(expectedError);
  const dir = await begin('mine');
  const before = openSession(dir).load();
  await expect(begin('mine')).rejects.toMatchObject(expectedError);
  expect(openSession(dir).load()).toEqual(before);
});
