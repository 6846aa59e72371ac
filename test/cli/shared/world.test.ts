import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { realWorld, stepContext, type World } from '../../../src/cli/shared/world.ts';
import { systemClock } from '../../../src/ports/clock.ts';
import { humanHands } from '../../../src/ports/hands.ts';
import { memoryOver } from '../../../src/steps/facts.ts';
import { newRecollection } from '../../../src/steps/recollection.ts';
import { exampleSite } from '../../support/example-design.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'upi-world-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const programs = {
  bootServer: '/p/boot-server.js',
  executable: '/p/upi-wizard.js',
  site: '/p/site.js',
  standIn: '/p/stand-in.js',
};

function credentialsOf(
  named: { readonly pullSecretFile: string | null; readonly sshKeyFile: string | null },
  world: Partial<World> = {},
  trustBundle: string | null = null,
) {
  const design = exampleSite({ credentials: named, additionalTrustBundleFile: trustBundle });
  return contextOf({ world: { ...realWorld(dir), ...world }, design }).credentials;
}

function contextOf(options: Partial<Parameters<typeof stepContext>[0]>) {
  return stepContext({
    world: realWorld(dir),
    programs,
    dir,
    base: join(dir, 'base'),
    design: exampleSite({}),
    memory: memoryOver({}),
    recollection: newRecollection(),
    signal: new AbortController().signal,
    ...options,
  });
}

test('nothing begins once another session has taken the directory over', () => {
  const check = () => {
    throw new Error('taken over');
  };
  const acts = { step: 'boot', action: 'apply', subject: null };
  expect(() => contextOf({ check }).acts.begin([acts])).toThrow('taken over');
  expect(() => contextOf({}).acts.begin([acts])).not.toThrow();
});

test('in life a person does what is outside, addresses are dialled as they are, and time is the machine’s', () => {
  const world = realWorld(dir);
  expect(world.hands).toBe(humanHands);
  expect(world.reach('172.16.0.111', 6443)).toEqual({ host: '172.16.0.111', port: 6443 });
  expect(world.clock).toBe(systemClock);
  expect(world.programPath).toEqual([dir, join(dir, 'bin')]);
  expect(world).toMatchObject({ credentials: null, clockAnchorFile: null, imagesDir: join(dir, 'images') });
});

test('credential files are relative to the design file, ~ is the home directory, none stays none', () => {
  expect(
    credentialsOf({ pullSecretFile: './pull-secret.txt', sshKeyFile: '~/.ssh/id.pub' }, {}, '/etc/ca.pem'),
  ).toEqual({
    pullSecretFile: join(dir, 'base', 'pull-secret.txt'),
    sshKeyFile: join(homedir(), '.ssh', 'id.pub'),
    trustBundleFile: '/etc/ca.pem',
  });
  expect(credentialsOf({ pullSecretFile: null, sshKeyFile: '~' })).toEqual({
    pullSecretFile: null,
    sshKeyFile: homedir(),
    trustBundleFile: null,
  });
  expect(credentialsOf({ pullSecretFile: '~user/x', sshKeyFile: null }).pullSecretFile).toBe(
    join(dir, 'base', '~user', 'x'),
  );
});

test('a rehearsal puts its own files where none are, and never in place of those that are', () => {
  const credentials = { pullSecretFile: '/site/pull', sshKeyFile: '/site/key' };
  const mine = join(dir, 'mine.txt');
  writeFileSync(mine, '{}');
  expect(credentialsOf({ pullSecretFile: mine, sshKeyFile: './none.pub' }, { credentials })).toMatchObject({
    pullSecretFile: mine,
    sshKeyFile: '/site/key',
  });
  expect(credentialsOf({ pullSecretFile: null, sshKeyFile: null }, { credentials })).toMatchObject(credentials);
});
