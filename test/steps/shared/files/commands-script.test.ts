import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { writeCommands } from '../../../../src/steps/shared/files/stage-output.ts';

const dir = mkdtempSync(join(tmpdir(), 'commands-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test('commands become a script that only its user can read, hosts become comments, and the next page replaces it', async () => {
  const file = await writeCommands(dir, ['lb1; echo host:', "  echo 'one two'", '', '  false', '  echo three']);
  expect(file).toBe(join(dir, 'commands.sh'));
  expect(statSync(file).mode & 0o777).toBe(0o700);
  const result = spawnSync(file, { encoding: 'utf8' });
  expect([result.stdout, result.status]).toEqual(['one two\n', 1]);
  await writeCommands(dir, ['  echo again']);
  expect(spawnSync(file, { encoding: 'utf8' }).stdout).toBe('again\n');
  expect(readdirSync(dir)).toEqual(['commands.sh']);
});

test('a file of the user with that name stays as it is', async () => {
  const userDir = mkdtempSync(join(dir, 'own-'));
  writeFileSync(join(userDir, 'commands.sh'), '#!/bin/sh\necho mine\n');
  await expect(writeCommands(userDir, ['  echo ours'])).rejects.toMatchObject({
    userError: { code: 'commands-foreign' },
  });
  expect(spawnSync('sh', [join(userDir, 'commands.sh')], { encoding: 'utf8' }).stdout).toBe('mine\n');
});
