import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { renderExampleDesign } from '../../src/design/example.ts';
import { captureCommand } from '../support/run-command.ts';
import { DOMAIN, type SimulatedCluster, startSimulatedCluster } from '../support/simulated-cluster.ts';

let cwd: string;
let cluster: SimulatedCluster | null = null;
beforeEach(() => {
  // A path that needs quotes.
  cwd = mkdtempSync(join(tmpdir(), "upi node's-"));
});
afterEach(async () => {
  await cluster?.close();
  cluster = null;
  rmSync(cwd, { recursive: true, force: true });
});

const run = (...argv: readonly string[]) => captureCommand(['export', 'node-image', ...argv], { cwd });
const writeDesign = (version: string, change = (text: string) => text) =>
  writeFileSync(join(cwd, 'site.yaml'), change(renderExampleDesign({ version })));
const listNames = (document: { readonly nodes: readonly { readonly name: string }[] }) =>
  document.nodes.map(({ name }) => name);

test('a design file has nothing about the cluster: all nodes are exported, and that is said', async () => {
  writeDesign('4.20');
  const { code, stdout, stderr } = await run('site.yaml', '--json');
  expect(code).toBe(0);
  expect(stderr).toMatch(/^The nodes of the cluster were not read: the script has all .* \(6\)/);
  const document = JSON.parse(stdout);
  expect(document).toMatchObject({ version: '4.20', isCompared: false, openDetails: [] });
  expect(listNames(document)).toEqual(['w1', 'w2', 'w3', 'i1', 'i2', 'i3']);
  expect(parse(document.nodesConfig).hosts).toHaveLength(6);
  const script = await run('site.yaml');
  expect(script.stdout).toBe(document.script);
  expect(script.stdout).toContain(`--kubeconfig "$KUBECONFIG"`);
});

test('before 4.17 the command is refused, with the way that exists', async () => {
  writeDesign('4.16');
  const { code, stdout, stderr } = await run('site.yaml');
  expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
  expect(stderr).toMatch(/^OpenShift 4\.16 has no `oc adm node-image` .* Nodes page .* worker\.ign .*\.\n$/);
});

test('a design without compute nodes has nothing to export; one with errors is reported', async () => {
  writeFileSync(join(cwd, 'site.yaml'), renderExampleDesign({ version: '4.20', topology: 'compact' }));
  expect(await run('site.yaml')).toMatchObject({
    code: 4,
    stdout: '',
    stderr: expect.stringMatching(/no compute, infra or storage node/),
  });
  writeDesign('4.20', (text) => text.replace('172.16.0.254', 'wrong'));
  expect(await run('site.yaml')).toMatchObject({ code: 3, stdout: '' });
  expect(await run('missing.yaml')).toMatchObject({ code: 2 });
  expect(await run('site.yaml', '--dir', cwd)).toMatchObject({ code: 2 });
});

test('what the design does not know is named on standard error', async () => {
  const disk = 'installDisk: /dev/sda\n  - name: w2';
  writeDesign('4.20', (text) => text.replace(disk, disk.replace('/dev/sda', '/dev/disk/by-id/ata-X')));
  const { code, stderr } = await run('site.yaml');
  expect(code).toBe(0);
  expect(stderr).toMatch(/^w1: a root device hint cannot be \/dev\/disk\/by-id\/ata-X\./m);
});

test('with an install directory only the nodes that have not joined are exported', async () => {
  cluster = await startSimulatedCluster();
  for (const [index, name] of ['w1', 'w2', 'w3', 'i1'].entries()) cluster.addNode(name, `172.16.0.3${index}`);
  const { code, stdout, stderr } = await run('--dir', cluster.dir, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const document = JSON.parse(stdout);
  expect(document).toMatchObject({ isCompared: true, nodes: [{ fqdn: `i2.${DOMAIN}`, ip: ['172.16.0.42'] }, {}] });
  expect(listNames(document)).toEqual(['i2', 'i3']);
  expect(document.script).toContain(`export KUBECONFIG=${cluster.dir}/auth/kubeconfig`);
  expect(document.script).toContain(`csr approve --expected --dir ${cluster.dir}`);
  for (const name of ['i2', 'i3']) cluster.addNode(name, '172.16.0.99');
  expect(await run('--dir', cluster.dir)).toMatchObject({
    code: 4,
    stdout: '',
    stderr: expect.stringMatching(/has joined the cluster/),
  });
});

test('the version of the cluster counts, not that of the design', async () => {
  cluster = await startSimulatedCluster();
  cluster.add('clusterversions.config.openshift.io', {
    metadata: { name: 'version' },
    spec: {},
    status: { desired: { version: '4.16.9' }, conditions: [] },
  });
  expect(await run('--dir', cluster.dir)).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/^OpenShift 4\.16 has no/),
  });
});

test('an API that does not answer is no error: all nodes are exported', async () => {
  cluster = await startSimulatedCluster();
  const { dir } = cluster;
  cluster.intercept = (_request, response) => {
    response.destroy();
    return true;
  };
  const { code, stdout, stderr } = await run('--dir', dir, '--json');
  expect({ code, nodes: listNames(JSON.parse(stdout)).length }).toEqual({ code: 0, nodes: 6 });
  expect(stderr).toMatch(/^The nodes of the cluster were not read/);
});

/** Runs the exported script with a stand-in of oc, which has no cluster: it saves what `create --pxe` would. */
function createRunner(script: string) {
  const bin = join(cwd, 'bin');
  mkdirSync(bin);
  const oc = `#!/bin/sh
printf '%s\\n' "$*" >>'${bin.replaceAll("'", "'\\''")}/calls'
case "$*" in
'get node '*) exit 1 ;;
extract*) echo '{}' ;;
*create*)
    while [ "$1" != --dir ]; do shift; done
    mkdir -p "$2/boot-artifacts"
    for file in vmlinuz initrd.img rootfs.img; do echo "$file" >"$2/boot-artifacts/node.x86_64-$file"; done
    chmod 0600 "$2"/boot-artifacts/*
    ;;
esac
`;
  writeFileSync(join(bin, 'oc'), oc);
  chmodSync(join(bin, 'oc'), 0o755);
  const file = join(cwd, 'node-image.sh');
  // Directories of the system are those of the test.
  writeFileSync(file, script.replaceAll('=/var/www/upi-wizard', `='${cwd.replaceAll("'", "'\\''")}/www'`));
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, KUBECONFIG: join(cwd, 'kubeconfig') };
  return {
    run: (part: string) => execFileSync('sh', [file, part], { env, encoding: 'utf8' }),
    readCalls: () => readFileSync(join(bin, 'calls'), 'utf8').trimEnd().split('\n'),
  };
}

test('the script puts files and boot scripts where the web server has them, and restores the scripts', async () => {
  writeDesign('4.20');
  const { stdout } = await run('site.yaml');
  const { run: runPart, readCalls } = createRunner(
    stdout.replaceAll('images=/var/www/upi-wizard/images', 'images=/var/www/upi-wizard'),
  );
  const bootScript = join(cwd, 'www/ipxe/00-50-56-96-6b-da.ipxe');
  mkdirSync(join(cwd, 'www/ipxe'), { recursive: true });
  writeFileSync(bootScript, 'the one of the design');
  // A second run keeps what was there before the first.
  for (const part of ['create', 'create']) expect(runPart(part)).toMatch(/^Start the machines: disk first/);
  expect(readFileSync(bootScript, 'utf8')).toContain('/images/node.x86_64-rootfs.img');
  const kernel = join(cwd, 'www/node.x86_64-vmlinuz');
  expect(readFileSync(kernel, 'utf8')).toBe('vmlinuz\n');
  for (const path of [kernel, bootScript]) expect(statSync(path).mode & 0o777).toBe(0o644);
  expect(statSync(join(cwd, 'node-image')).mode & 0o777).toBe(0o700);
  expect(parse(readFileSync(join(cwd, 'node-image/nodes-config.yaml'), 'utf8')).hosts).toHaveLength(6);
  runPart('monitor');
  const secret = join(cwd, 'node-image/pull-secret.json');
  expect(readCalls().slice(-2)).toEqual([
    'extract secret/pull-secret -n openshift-config --keys=.dockerconfigjson --to=-',
    `adm node-image monitor --ip-addresses 172.16.0.31,172.16.0.32,172.16.0.33,172.16.0.41,172.16.0.42,172.16.0.43 --registry-config ${secret}`,
  ]);
  expect(() => statSync(secret)).toThrow('ENOENT');
  runPart('restore');
  expect(readFileSync(bootScript, 'utf8')).toBe('the one of the design');
  expect(() => statSync(join(cwd, 'www/ipxe/00-50-56-96-4d-01.ipxe'))).toThrow('ENOENT');
});
