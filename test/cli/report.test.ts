import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { renderExampleDesign } from '../../src/design/example.ts';
import { parseDesign } from '../../src/design/parse.ts';
import { openSession } from '../../src/session/session.ts';
import { freshState } from '../../src/session/state.ts';
import { API_NAME, startKubeServer, writeKubeconfig } from '../support/kube-server.ts';
import { captureCommand } from '../support/run-command.ts';

const PASSWORD = 'cAnAr-yOfth-eRepo-rt002';

/** Creates an install directory whose cluster is not installed, with a secret in it. */
function createDirectory() {
  const cwd = mkdtempSync(join(tmpdir(), 'upi-report-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const dir = join(cwd, 'site');
  openSession(dir).save({
    ...freshState,
    design: parseDesign(renderExampleDesign({})).document,
    place: { screen: 'hosts', field: null },
  });
  mkdirSync(join(dir, 'auth'));
  writeFileSync(join(dir, 'auth/kubeadmin-password'), PASSWORD);
  return { dir, run: (...argv: string[]) => captureCommand(['report', '--dir', dir, ...argv], { cwd }) };
}

/** Writes the kubeconfig of an API that no longer answers. */
async function writeClosedKubeconfig(dir: string): Promise<void> {
  const server = await startKubeServer();
  copyFileSync(server.kubeconfig, join(dir, 'auth/kubeconfig'));
  await server.close();
}

test('without an option it prints Markdown, also before the cluster is installed', async () => {
  const { run } = createDirectory();
  const { code, stdout } = await run();
  expect(code).toBe(0);
  expect(stdout).toMatch(/^# ocp45\.example\.localdomain\n\nWritten by upi-wizard at .*Z\.\n/);
  expect(stdout).toMatch(/^\| m1\.ocp45\..* \| — \|$/m);
  expect(stdout).toContain('- auth/kubeadmin-password: ');
  expect(stdout).not.toContain(PASSWORD);
});

test('a rehearsal whose site is stopped stays marked, and unknown facts are named', async () => {
  const { dir, run } = createDirectory();
  const session = openSession(dir);
  session.save({
    ...session.load(),
    rehearsal: { siteDir: join(dir, '.upi-wizard/site'), seed: 1, speed: 60, faults: [] },
    memory: { 'ready-at': { m1: Date.parse('2026-01-02T03:04:00Z') } },
  });
  await writeClosedKubeconfig(dir);
  const { stdout } = await run();
  expect(stdout).toMatch(/^- Rehearsal: the machines and the cluster are simulated/m);
  expect(stdout).toMatch(/^- .*onsole.*: not known: the API does not answer/m);
  expect(stdout).toMatch(/^\| m1\..* \| Ready as of 2026-01-02[ T]03:04.* \|$/m);
  expect(stdout).toMatch(/^\| m2\..* \| not known: the API does not answer \|$/m);
});

test('--html and --md write files for their owner only, replace older ones, and print nothing else', async () => {
  const { dir, run } = createDirectory();
  const [html, md] = [join(dir, 'a.html'), join(dir, 'a.md')];
  writeFileSync(html, 'old', { mode: 0o644 });
  expect(await run('--html', html, '--md', md)).toEqual({
    code: 0,
    stdout: '',
    stderr: `Written to ${html}.\nWritten to ${md}.\n`,
  });
  for (const file of [html, md]) expect(statSync(file).mode & 0o777).toBe(0o600);
  const text = readFileSync(html, 'utf8');
  expect(text).toMatch(/^<!doctype html>\n[\s\S]*<svg [\s\S]*<\/html>\n$/);
  expect(readFileSync(md, 'utf8')).toMatch(/^# ocp45/);
  expect(text).not.toContain(PASSWORD);
});

test('"-" is standard output for --md and --html', async () => {
  const { run } = createDirectory();
  const markdown = await run('--md', '-');
  expect(markdown).toMatchObject({ code: 0, stderr: '' });
  expect(markdown.stdout).toMatch(/^# ocp45/);
  const html = await run('--html', '-');
  expect(html).toMatchObject({ code: 0, stderr: '' });
  expect(html.stdout).toMatch(/^<!doctype html>/);
});

test('--json prints the same as data, beside the files', async () => {
  const { dir, run } = createDirectory();
  const { code, stdout } = await run('--json', '--html', join(dir, 'a.html'));
  expect(code).toBe(0);
  const { cluster, parts } = JSON.parse(stdout);
  expect(cluster).toBe('ocp45.example.localdomain');
  const nodes = parts.find(({ id }: { readonly id: string }) => id === 'nodes');
  expect(nodes).toMatchObject({ kind: 'table', columns: expect.arrayContaining(['MAC']) });
  expect(nodes.rows).toContainEqual(expect.arrayContaining(['m1.ocp45.example.localdomain', '172.16.0.21']));
});

test('a file that cannot be written is reported, and nothing is left of it', async () => {
  const { dir, run } = createDirectory();
  const { code, stderr } = await run('--html', join(dir, 'missing', 'a.html'));
  expect(code).toBe(4);
  const missing = join(dir, 'missing');
  expect(stderr).toBe(
    `${missing}/a.html cannot be written: there is no directory ${missing}. Create it, or choose another path with --html.\n`,
  );
  expect((await run('--md', dir)).stderr).toBe(
    `${dir} cannot be written: it is a directory. Choose another path with --md.\n`,
  );
});

test('with only a kubeconfig it says what can be seen of the cluster, and nothing of a design', async () => {
  const server = await startKubeServer();
  onTestFinished(() => server.close());
  const node = (name: string, role: string, address: string, status: string) =>
    server.put(`/api/v1/nodes/${name}`, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { [`node-role.kubernetes.io/${role}`]: '' } },
      spec: {},
      status: { conditions: [{ type: 'Ready', status }], addresses: [{ type: 'InternalIP', address }] },
    });
  node('cp-0.prod.example.com', 'master', '127.0.0.1', 'True');
  node('cp-1.prod.example.com', 'master', '127.0.0.1', 'False');
  const cluster = { apiVersion: 'config.openshift.io/v1', metadata: {} };
  server.put('/apis/config.openshift.io/v1/clusterversions/version', {
    ...cluster,
    kind: 'ClusterVersion',
    metadata: { name: 'version' },
    status: {
      desired: { version: '4.18.11' },
      history: [
        { state: 'Completed', version: '4.18.11', completionTime: '2024-03-02T10:00:00Z' },
        { state: 'Completed', version: '4.18.9', completionTime: '2024-03-01T10:00:00Z' },
      ],
      conditions: [],
    },
  });
  server.put('/apis/config.openshift.io/v1/infrastructures/cluster', {
    ...cluster,
    kind: 'Infrastructure',
    metadata: { name: 'cluster' },
    status: { apiServerURL: 'https://api.prod.example.com:6443', platformStatus: { type: 'None' } },
  });
  const cwd = mkdtempSync(join(tmpdir(), 'upi-report-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const html = join(cwd, 'a.html');
  // Reached without DNS.
  const reached = { server: `https://127.0.0.1:${server.port}`, 'tls-server-name': API_NAME };
  const admin = await server.authority.issue('system:admin');
  const kubeconfig = writeKubeconfig(cwd, server.authority.pem, admin, { cluster: reached });
  const argv = ['report', '--kubeconfig', kubeconfig];
  const { code, stdout, stderr } = await captureCommand([...argv, '--json', '--html', html], { cwd });
  expect([code, stderr]).toEqual([0, `Written to ${html}.\n`]);
  const report = JSON.parse(stdout) as { cluster: string; parts: { id: string; items: string[]; rows: string[][] }[] };
  const part = (id: string) => report.parts.find((each) => each.id === id);
  expect(report.cluster).toBe('prod.example.com');
  expect(report.parts.map(({ id }) => id)).toEqual(
    expect.not.arrayContaining(['records', 'balancer', 'services', 'secrets', 'network', 'timeline']),
  );
  expect(part('nodes')?.rows.map(([name, role, address, , , , state]) => [name, role, address, state])).toEqual([
    ['cp-0.prod.example.com', 'master', '127.0.0.1', 'Ready'],
    ['cp-1.prod.example.com', 'master', '127.0.0.1', 'not Ready'],
  ]);
  expect(part('open')?.items).toEqual([expect.stringContaining('cp-1.prod.example.com')]);
  // A year after its first version, whatever it was updated to.
  expect(part('expiry')?.rows).toContainEqual(expect.arrayContaining(['2025-03-01 10:00']));
  expect(stdout).toContain('oc debug node/cp-0.prod.example.com -- chroot');
  expect(stdout).not.toContain('upi-wizard');
  expect(readFileSync(html, 'utf8')).not.toContain('<svg');
});
