import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import {
  credentialFiles,
  designPath,
  judgeCredentials,
  readCredentials,
} from '../../../../src/steps/shared/files/credentials.ts';
import { exampleSite } from '../../../support/example-design.ts';
import { type StepWorld, stepWorld } from '../../../support/step-world.ts';

let world: StepWorld | null = null;
afterEach(async () => {
  await world?.remove();
  world = null;
});

test('a pipe that nobody writes into and a device without an end are no credential files, and are not waited for', async () => {
  world = stepWorld();
  const pipe = join(world.dir, 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const [path, why] of [
    [pipe, 'not a plain file'],
    ['/dev/zero', 'not a plain file'],
  ] as const) {
    const files = { ...world.context.credentials, pullSecretFile: path };
    const [problem] = await judgeCredentials(files, world.context.design);
    expect(problem).toMatchObject({ rule: 'credential-unreadable', message: expect.stringContaining(why) });
  }
});

test('a path of the design: relative to its directory, and ~ is the home', () => {
  expect(designPath('~/x', '/d', '/h')).toBe('/h/x');
  expect(designPath('~', '/d', '/h')).toBe('/h');
  expect(designPath('./x', '/d', '/h')).toBe('/d/x');
  expect(designPath('/x', '/d', '')).toBe('/x');
  expect(designPath('~other/x', '/d', '/h')).toBe('/d/~other/x');
  expect(credentialFiles(exampleSite(), '/d', '/h')).toEqual({
    pullSecretFile: '/d/pull-secret.txt',
    sshKeyFile: '/h/.ssh/id_ed25519.pub',
    trustBundleFile: null,
  });
});

test('a credential file that is not there is missing; one that cannot be read is an error and is never taken for missing', async () => {
  world = stepWorld();
  const { design } = world.context;
  const missing = { ...world.context.credentials, sshKeyFile: join(world.dir, 'none.pub') };
  expect(await readCredentials({ credentials: missing })).toMatchObject({ sshKey: null });
  mkdirSync(join(world.dir, 'a-directory'));
  const unreadable = { ...world.context.credentials, sshKeyFile: join(world.dir, 'a-directory') };
  await expect(readCredentials({ credentials: unreadable })).rejects.toMatchObject({ code: 'EISDIR' });
  const problems = await judgeCredentials(unreadable, design);
  expect(problems.filter(({ path }) => path === 'credentials.sshKeyFile')).toMatchObject([
    { severity: 'error', rule: 'credential-unreadable' },
  ]);
});
