import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { renderExampleDesign, renderExampleFencingFile } from '../../src/design/example.ts';
import { containsSecret, registerSecrets } from '../../src/platform/secrets.ts';
import { createSandbox, listFilesBelow, runWizard, startRehearsal } from '../support/rehearsal-run.ts';

const sandbox = createSandbox();
afterAll(sandbox.remove);

interface BmcCredentials {
  readonly hostName: string;
  readonly username: string;
  readonly password: string;
}

const INSTALL_CONFIG = 'files/bastion/root/upi-wizard/install-config.yaml';
/**
 * The files that hold the logins in a real installation, too: the generated one, its copy, and those of the installer.
 */
const HOLDERS = [
  INSTALL_CONFIG,
  '.upi-wizard/install-config.yaml',
  '.openshift_install_state.json',
  'bootstrap.ign',
].sort();

test('two control plane nodes with fencing go from the example to the report, and no login leaves its files', async () => {
  const dir = sandbox.dir('fencing');
  const answers = sandbox.file('fencing.yaml', renderExampleDesign({ topology: 'fencing', version: '4.22.3' }));
  const { code, stdout, stderr } = await startRehearsal(dir, { sandbox, answers }).exit;
  expect(stdout).toContain('Everything is done and verified.');
  expect(code).toBe(0);
  const boot = stdout.slice(stdout.indexOf('] Boot'), stdout.indexOf('] Bootstrap'));
  expect(boot.match(/power on \w+/g)).toEqual(['power on bs', 'power on m1', 'power on m2']);
  expect(stdout).toContain('all 2 nodes joined, with certificates for their planned addresses');
  const report = readFileSync(join(dir, 'report.md'), 'utf8');
  expect(report).toMatch(/^\| m2\.ocp45\.example\.localdomain \| control-plane \| 172\.16\.0\.22 \| .* \| Ready \|$/m);
  expect(report).toMatch(/^\| api\.ocp45\S+:6443 \| \S+ \| bs m1 m2 \| m1 m2 \| m1 m2 \| m1 m2 \|$/m);

  expect(report).toContain('`oc debug node/m1.ocp45.example.localdomain -- chroot /host pcs status --full`');
  expect(report).not.toContain('etcdctl');
  expect(report).toContain('private keys, administrator credentials, pull secret; the BMC credentials');

  const logins: readonly BmcCredentials[] = parse(
    readFileSync(join(dir, '.upi-wizard/site/fencing.yaml'), 'utf8'),
  ).credentials;
  expect(logins).toHaveLength(2);
  expect(statSync(join(dir, INSTALL_CONFIG)).mode & 0o777).toBe(0o600);
  const { controlPlane } = parse(readFileSync(join(dir, INSTALL_CONFIG), 'utf8'));
  expect(controlPlane.fencing.credentials.map(({ password }: BmcCredentials) => password)).toEqual(
    logins.map(({ password }) => password),
  );
  registerSecrets(logins.flatMap(({ username, password }) => [username, password]));
  const holders = listFilesBelow(dir)
    .filter((file) => containsSecret(readFileSync(file, 'utf8')))
    .map((file) => relative(dir, file));
  expect(holders.filter((file) => !file.startsWith('.upi-wizard/site/')).sort()).toEqual(HOLDERS);
  for (const file of HOLDERS) expect(statSync(join(dir, file)).mode & 0o007, file).toBe(0);
  expect(containsSecret(`${stdout}${stderr}`)).toBe(false);
  for (const argv of [['status'], ['report', '--json'], ['diagnose'], ['check']]) {
    const { stdout: text, stderr: errors } = await runWizard([...argv, '--dir', dir], { sandbox });
    expect(`${text}${errors}`.length, argv[0]).toBeGreaterThan(0);
    expect(containsSecret(`${text}${errors}`), argv[0]).toBe(false);
  }
  const bundle = join(sandbox.path, 'bundle.tar.gz');
  await runWizard(['bundle', '--yes', '--out', bundle, '--dir', dir], { sandbox });
  const bundleText = gunzipSync(readFileSync(bundle)).toString('utf8');
  expect(bundleText).toContain('fencingFile');
  expect(containsSecret(bundleText)).toBe(false);
});

test('a file with the logins that is wrong, or that others can read, stops `generate` without its content', async () => {
  const design = sandbox.file('design.yaml', renderExampleDesign({ topology: 'fencing' }));
  const file = sandbox.file('fencing.yaml', '- secret-user\n- secret-word\n');
  const generate = () => runWizard(['generate', design, '--out', sandbox.dir('out')], { sandbox });
  const wrong = await generate();
  expect(wrong).toMatchObject({ code: 3, stderr: expect.stringContaining('error fencing-file') });
  expect(wrong.stderr).not.toContain('secret-');
  writeFileSync(file, renderExampleFencingFile(['m1', 'm2']));
  chmodSync(file, 0o644);
  const readable = await generate();
  expect(readable).toMatchObject({ code: 3, stderr: expect.stringContaining('error fencing-mode') });
  expect(readable.stderr).toContain('chmod 600 ./fencing.yaml');
  chmodSync(file, 0o600);
  // The pull secret is still missing: all other files are written.
  expect((await generate()).code).toBe(4);
});
