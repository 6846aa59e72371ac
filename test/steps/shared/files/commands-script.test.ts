import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { writeCommands } from '../../../../src/steps/shared/files/commands-script.ts';

const dir = mkdtempSync(join(tmpdir(), 'commands-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test('commands become a script for its user alone, hosts become comments, and the next page takes its place', async () => {
  const file = await writeCommands(dir, ['lb1; echo host:', "  echo 'one two'", '', '  false', '  echo three']);
  expect(file).toBe(join(dir, 'commands.sh'));
  expect(statSync(file).mode & 0o777).toBe(0o700);
  const ran = spawnSync(file, { encoding: 'utf8' });
  expect([ran.stdout, ran.status]).toEqual(['one two\n', 1]);
  await writeCommands(dir, ['  echo again']);
  expect(spawnSync(file, { encoding: 'utf8' }).stdout).toBe('again\n');
  expect(readdirSync(dir)).toEqual(['commands.sh']);
});

test('a file of a person by that name stays as it is', async () => {
  const own = mkdtempSync(join(dir, 'own-'));
  writeFileSync(join(own, 'commands.sh'), '#!/bin/sh\necho mine\n');
  await expect(writeCommands(own, ['  echo ours'])).rejects.toMatchObject({ trouble: { code: 'commands-foreign' } });
  expect(spawnSync('sh', [join(own, 'commands.sh')], { encoding: 'utf8' }).stdout).toBe('mine\n');
});
