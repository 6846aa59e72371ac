import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { renderExampleFencingFile } from '../../../../src/design/example.ts';
import { redact } from '../../../../src/platform/secrets.ts';
import { checkCredentialFiles, readCredentials } from '../../../../src/steps/shared/files/credentials.ts';
import {
  findDownloadsDir,
  resolveCredentialFiles,
  resolveDesignPath,
} from '../../../../src/steps/shared/files/design-paths.ts';
import { exampleSite } from '../../../support/example-design.ts';
import { createExampleDesign } from '../../../support/example-document.ts';
import { createStepFixture, type StepFixture } from '../../../support/step-fixture.ts';

let fixture: StepFixture | null = null;
afterEach(async () => {
  await fixture?.remove();
  fixture = null;
});

test('a pipe without a writer and an endless device are refused as credential files without a wait', async () => {
  fixture = createStepFixture();
  const pipe = join(fixture.dir, 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const [path, why] of [
    [pipe, 'not a regular file'],
    ['/dev/zero', 'not a regular file'],
  ] as const) {
    const files = { ...fixture.context.credentials, pullSecretFile: path };
    const [problem] = await checkCredentialFiles(files, fixture.context.design);
    expect(problem).toMatchObject({ rule: 'credential-unreadable', message: expect.stringContaining(why) });
  }
});

test('a file that does not exist is a warning that names it and says what to do', async () => {
  fixture = createStepFixture();
  const { design } = fixture.context;
  const credentials = { pullSecretFile: '/nope', sshKeyFile: '~/nope.pub', fencingFile: null };
  const files = {
    pullSecretFile: '/nope',
    sshKeyFile: join(fixture.dir, 'nope.pub'),
    trustBundleFile: null,
    fencingFile: null,
  };
  const problems = await checkCredentialFiles(files, { ...design, credentials });
  expect(problems.map(({ severity, message }) => [severity, message])).toEqual([
    ['warning', 'The file /nope with the pull secret does not exist'],
    [
      'warning',
      expect.stringMatching(
        /^The file ~\/nope\.pub with the SSH public key does not exist: without it you cannot log in/,
      ),
    ],
  ]);
  expect(problems[0]?.fix).toMatch(/^Download it from console\.redhat\.com\/openshift\/install\/pull-secret/);
  // A relative path is that of the design, not of the user's directory.
  const relativePath = { ...credentials, pullSecretFile: './nope.txt' };
  const [relativeProblem] = await checkCredentialFiles(
    { ...files, pullSecretFile: join(fixture.dir, 'nope.txt') },
    { ...design, credentials: relativePath },
  );
  expect(relativeProblem?.message).toBe(
    `The file ${join(fixture.dir, 'nope.txt')} with the pull secret does not exist`,
  );
  // No file is named: there is none to miss.
  const none = { pullSecretFile: null, sshKeyFile: null, fencingFile: null };
  const unnamed = await checkCredentialFiles({ ...none, trustBundleFile: null }, { ...design, credentials: none });
  expect(unnamed[0]?.message).toBe('There is no pull secret yet');
});

test('a path of the design: relative to its directory, and ~ is the home', () => {
  expect(resolveDesignPath('~/x', '/d', '/h')).toBe('/h/x');
  expect(resolveDesignPath('~', '/d', '/h')).toBe('/h');
  expect(resolveDesignPath('./x', '/d', '/h')).toBe('/d/x');
  expect(resolveDesignPath('/x', '/d', '')).toBe('/x');
  expect(resolveDesignPath('~other/x', '/d', '/h')).toBe('/d/~other/x');
  expect(resolveCredentialFiles(exampleSite(), '/d', '/h')).toEqual({
    pullSecretFile: '/d/pull-secret.txt',
    sshKeyFile: '/h/.ssh/id_ed25519.pub',
    trustBundleFile: null,
    fencingFile: null,
  });
});

test('downloads come from --mirror, else from the directory of the design, else from the internet', () => {
  fixture = createStepFixture();
  const { context } = fixture;
  expect(findDownloadsDir(context)).toBeNull();
  const design = { ...context.design, downloadsDir: './usb' };
  expect(findDownloadsDir({ ...context, design })).toBe(join(context.dir, 'usb'));
  context.stepState.set('mirror', '/mnt/other');
  expect(findDownloadsDir({ ...context, design })).toBe('/mnt/other');
  context.stepState.set('mirror', null);
  expect(findDownloadsDir({ ...context, design })).toBeNull();
});

test('a credential file that does not exist is missing; one that cannot be read is an error and is never taken for missing', async () => {
  fixture = createStepFixture();
  const { design } = fixture.context;
  const missing = { ...fixture.context.credentials, sshKeyFile: join(fixture.dir, 'none.pub') };
  expect(await readCredentials({ credentials: missing })).toMatchObject({ sshKey: null });
  mkdirSync(join(fixture.dir, 'a-directory'));
  const unreadable = { ...fixture.context.credentials, sshKeyFile: join(fixture.dir, 'a-directory') };
  await expect(readCredentials({ credentials: unreadable })).rejects.toMatchObject({ code: 'EISDIR' });
  const problems = await checkCredentialFiles(unreadable, design);
  expect(problems.filter(({ path }) => path === 'credentials.sshKeyFile')).toMatchObject([
    { severity: 'error', rule: 'credential-unreadable' },
  ]);
});

test('the file with the logins of the BMCs is read with the topology fencing only, and only its owner may read it', async () => {
  fixture = createStepFixture();
  const file = join(fixture.dir, 'fencing.yaml');
  writeFileSync(file, renderExampleFencingFile(['m1', 'm2']), { mode: 0o600 });
  const design = createExampleDesign('fencing');
  const files = resolveCredentialFiles(design, fixture.dir);
  expect(files.fencingFile).toBe(file);
  const credentials = { ...fixture.context.credentials, fencingFile: file };
  const listRules = async () =>
    (await checkCredentialFiles(credentials, design)).flatMap(({ rule }) => (rule.startsWith('fencing') ? [rule] : []));
  expect(await listRules()).toEqual([]);
  chmodSync(file, 0o640);
  expect(await listRules()).toEqual(['fencing-mode']);
  expect((await readCredentials({ credentials })).fencing).toContain('username: fencing');
  // From now on the process hides the passwords.
  expect(redact('pcs stonith create x example-m1')).not.toContain('example-m1');
  const compact = { ...createExampleDesign('compact'), credentials: design.credentials };
  expect(resolveCredentialFiles(compact, fixture.dir).fencingFile).toBeNull();
  rmSync(file);
  expect(await listRules()).toEqual(['fencing-missing']);
});
