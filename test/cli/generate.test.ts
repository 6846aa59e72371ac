import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { renderExampleDesign } from '../../src/design/example.ts';
import { exampleCredentials } from '../support/example-design.ts';
import { captureCommand } from '../support/run-command.ts';

function createWorkDir({ pullSecret = exampleCredentials.pullSecret as string | null } = {}) {
  const cwd = mkdtempSync(join(tmpdir(), 'generate-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(join(cwd, 'design.yaml'), renderExampleDesign().replace('~/.ssh/id_ed25519.pub', './key.pub'));
  writeFileSync(join(cwd, 'key.pub'), exampleCredentials.sshKey);
  if (pullSecret !== null) writeFileSync(join(cwd, 'pull-secret.txt'), pullSecret, { mode: 0o600 });
  const run = (...argv: string[]) =>
    captureCommand(['generate', ...argv], { cwd, env: { PATH: join(cwd, 'programs'), HOME: cwd } });
  return { cwd, run, path: (...parts: string[]) => join(cwd, 'out', ...parts) };
}

test('writes all files of the example, secrets for their owner alone', async () => {
  const { run, path } = createWorkDir();
  const { code, stdout, stderr } = await run('design.yaml', '--out', 'out', '--json');
  expect({ code, stderr: stderr.includes('mirror.openshift.com') }).toEqual({ code: 0, stderr: true });
  const manifest = JSON.parse(readFileSync(path('files.json'), 'utf8'));
  expect(manifest.stage).toBe('install');
  expect(JSON.parse(stdout).written).toEqual(manifest.files.map((entry: { file: string }) => entry.file));
  for (const entry of manifest.files) expect(existsSync(path(entry.file)), entry.file).toBe(true);
  expect(statSync(path('bastion/root/upi-wizard/install-config.yaml')).mode & 0o777).toBe(0o600);
});

test('the second run changes nothing, another stage changes haproxy.cfg alone', async () => {
  const { run } = createWorkDir();
  await run('design.yaml', '--out', 'out');
  expect(JSON.parse((await run('design.yaml', '--out', 'out', '--json')).stdout).written).toEqual([]);
  const next = await run('design.yaml', '--out', 'out', '--stage', 'bootstrap-removed', '--json');
  expect(JSON.parse(next.stdout).written).toEqual(['lb1/etc/haproxy/haproxy.cfg']);
});

test('stops at a file that the user edited and writes nothing; --force saves it beside', async () => {
  const { run, path } = createWorkDir();
  await run('design.yaml', '--out', 'out');
  const list = readFileSync(path('files.json'), 'utf8');
  writeFileSync(path('lb1/etc/haproxy/haproxy.cfg'), 'mine\n');
  const stopped = await run('design.yaml', '--out', 'out', '--stage', 'infra-only');
  expect(stopped).toMatchObject({ code: 5, stdout: '' });
  expect(stopped.stderr).toContain('lb1/etc/haproxy/haproxy.cfg');
  expect(readFileSync(path('files.json'), 'utf8')).toBe(list);
  expect((await run('design.yaml', '--out', 'out', '--force')).code).toBe(0);
  expect(readFileSync(path('lb1/etc/haproxy/haproxy.cfg.1.orig'), 'utf8')).toBe('mine\n');
  expect(readFileSync(path('lb1/etc/haproxy/haproxy.cfg'), 'utf8')).toContain('frontend api');
});

test('removes obsolete files, unless the user edited them', async () => {
  const { cwd, run, path } = createWorkDir();
  await run('design.yaml', '--out', 'out');
  writeFileSync(path('bastion/var/www/upi-wizard/ipxe/00-50-56-96-c1-c5.ipxe'), '#!ipxe\nshell\n');
  const without = renderExampleDesign()
    .replace('~/.ssh/id_ed25519.pub', './key.pub')
    .replace(/ {2}- name: w[23]\n(?: {4}.*\n)+/g, '');
  writeFileSync(join(cwd, 'design.yaml'), without);
  const { code, stdout, stderr } = await run('design.yaml', '--out', 'out', '--json');
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(JSON.parse(stdout)).toMatchObject({
    removed: ['bastion/var/www/upi-wizard/ipxe/00-50-56-96-e3-f5.ipxe'],
    kept: ['bastion/var/www/upi-wizard/ipxe/00-50-56-96-c1-c5.ipxe'],
  });
  expect(existsSync(path('bastion/var/www/upi-wizard/ipxe/00-50-56-96-e3-f5.ipxe'))).toBe(false);
  expect(existsSync(path('bastion/var/www/upi-wizard/ipxe/00-50-56-96-c1-c5.ipxe'))).toBe(true);
});

test('without a credential everything else is written, and what needs it is named', async () => {
  const { cwd, run, path } = createWorkDir({ pullSecret: null });
  const config = 'bastion/root/upi-wizard/install-config.yaml';
  const without = await run('design.yaml', '--out', 'out', '--json');
  expect(without.code).toBe(4);
  expect(JSON.parse(without.stdout)).toMatchObject({ leftOut: ['/root/upi-wizard/install-config.yaml'] });
  expect(without.stderr).toContain('Not generated: /root/upi-wizard/install-config.yaml');
  expect(without.stderr).toContain(`  ${join(cwd, 'pull-secret.txt')} does not exist, and`);
  expect(without.stderr).toContain(`save it as ${join(cwd, 'pull-secret.txt')} and generate again`);
  expect([existsSync(path(config)), existsSync(path('lb1/etc/haproxy/haproxy.cfg'))]).toEqual([false, true]);
  writeFileSync(join(cwd, 'pull-secret.txt'), exampleCredentials.pullSecret);
  expect((await run('design.yaml', '--out', 'out')).code).toBe(0);
  const written = readFileSync(path(config), 'utf8');
  // A file that was written with the credential stays when the credential is removed again.
  rmSync(join(cwd, 'pull-secret.txt'));
  expect((await run('design.yaml', '--out', 'out')).code).toBe(4);
  expect(readFileSync(path(config), 'utf8')).toBe(written);
});

test('distinguishes an unreadable file, a wrong credential and a wrong design', async () => {
  const { cwd, run, path } = createWorkDir({ pullSecret: null });
  expect(await run('nowhere.yaml', '--out', 'out')).toMatchObject({ code: 2, stdout: '' });
  writeFileSync(join(cwd, 'pull-secret.txt'), '{"no": "auths"}');
  expect((await run('design.yaml', '--out', 'out')).code).toBe(3);
  writeFileSync(join(cwd, 'design.yaml'), renderExampleDesign().replace('172.16.0.22', '172.16.0.21'));
  const wrong = await run('design.yaml', '--out', 'out');
  expect(wrong.code).toBe(3);
  expect(wrong.stderr).toMatch(/^design\.yaml:\d+:\d+: error address-/m);
  expect(existsSync(path('files.json'))).toBe(false);
});

test('takes the image names from openshift-install where there is one', async () => {
  const { cwd, run, path } = createWorkDir();
  const location = (name: string) => ({ location: `https://mirror.example/builds/${name}` });
  const pxe = { kernel: location('k-1'), initramfs: location('i-1.img'), rootfs: location('r-1.img') };
  const stream = {
    architectures: { x86_64: { artifacts: { metal: { release: '418.94.1-0', formats: { pxe } } } } },
  };
  mkdirSync(join(cwd, 'programs'));
  const program = join(cwd, 'programs', 'openshift-install');
  writeFileSync(
    program,
    `#!/bin/sh\n[ "$*" = "coreos print-stream-json" ] && /bin/cat <<'EOF'\n${JSON.stringify(stream)}\nEOF\n`,
  );
  chmodSync(program, 0o755);
  expect(await run('design.yaml', '--out', 'out')).toMatchObject({ code: 0, stderr: '' });
  const script = readFileSync(path('bastion/var/www/upi-wizard/ipxe/00-50-56-96-11-c2.ipxe'), 'utf8');
  expect(script).toContain('/images/k-1 initrd=main coreos.live.rootfs_url=http://172.16.0.101:8080/images/r-1.img');
  writeFileSync(program, '#!/bin/sh\necho broken\n');
  expect(await run('design.yaml', '--out', 'out')).toMatchObject({ code: 2 });
});
