import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRuntime, createStepContext, type Runtime } from '../../../src/cli/shared/runtime.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { realSiteActions } from '../../../src/platform/manual-actions.ts';
import { createProbeCache } from '../../../src/steps/probe-cache.ts';
import { createStepState } from '../../../src/steps/step-state.ts';
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

function resolveCredentials(
  files: { readonly pullSecretFile: string | null; readonly sshKeyFile: string | null },
  overrides: Partial<Runtime> = {},
  trustBundle: string | null = null,
) {
  const design = exampleSite({ credentials: { ...files, fencingFile: null }, additionalTrustBundleFile: trustBundle });
  return createContext({ runtime: { ...createRuntime(dir), ...overrides }, design }).credentials;
}

function createContext(options: Partial<Parameters<typeof createStepContext>[0]>) {
  return createStepContext({
    runtime: createRuntime(dir),
    programs,
    dir,
    base: join(dir, 'base'),
    design: exampleSite({}),
    stepState: createStepState({}),
    probeCache: createProbeCache(),
    signal: new AbortController().signal,
    ...options,
  });
}

test('nothing begins once another session has taken the directory over', () => {
  const assertLockHeld = () => {
    throw new Error('taken over');
  };
  const record = { step: 'boot', action: 'apply', subject: null };
  expect(() => createContext({ assertLockHeld }).auditLog.begin([record])).toThrow('taken over');
  expect(() => createContext({}).auditLog.begin([record])).not.toThrow();
});

test('a real installation has manual actions, dials addresses as they are, and uses the system clock', () => {
  const runtime = createRuntime(dir);
  expect(runtime.manualActions).toBe(realSiteActions);
  expect(runtime.resolveEndpoint('172.16.0.111', 6443)).toEqual({ host: '172.16.0.111', port: 6443 });
  expect(runtime.clock).toBe(systemClock);
  expect(runtime.programDirectories).toEqual([dir, join(dir, 'bin')]);
  expect(runtime).toMatchObject({ credentials: null, clockAnchorFile: null, imagesDir: join(dir, 'images') });
});

test('credential files are relative to the design file, ~ is the home directory, none stays none', () => {
  expect(
    resolveCredentials({ pullSecretFile: './pull-secret.txt', sshKeyFile: '~/.ssh/id.pub' }, {}, '/etc/ca.pem'),
  ).toEqual({
    pullSecretFile: join(dir, 'base', 'pull-secret.txt'),
    sshKeyFile: join(homedir(), '.ssh', 'id.pub'),
    trustBundleFile: '/etc/ca.pem',
    fencingFile: null,
  });
  expect(resolveCredentials({ pullSecretFile: null, sshKeyFile: '~' })).toEqual({
    pullSecretFile: null,
    sshKeyFile: homedir(),
    trustBundleFile: null,
    fencingFile: null,
  });
  expect(resolveCredentials({ pullSecretFile: '~user/x', sshKeyFile: null }).pullSecretFile).toBe(
    join(dir, 'base', '~user', 'x'),
  );
});

test('a rehearsal supplies its own credential files only where none exist', () => {
  const files = { pullSecretFile: '/site/pull', sshKeyFile: '/site/key' };
  const credentials = { ...files, fencingFile: '/site/fencing' };
  const mine = join(dir, 'mine.txt');
  writeFileSync(mine, '{}');
  expect(resolveCredentials({ pullSecretFile: mine, sshKeyFile: './none.pub' }, { credentials })).toMatchObject({
    pullSecretFile: mine,
    sshKeyFile: '/site/key',
  });
  expect(resolveCredentials({ pullSecretFile: null, sshKeyFile: null }, { credentials })).toMatchObject(files);
});
