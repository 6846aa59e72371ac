import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  createExampleAnswers,
  createSandbox,
  listProcesses,
  runWizard,
  startRehearsal,
} from '../support/rehearsal-run.ts';

const sandbox = createSandbox();
afterAll(sandbox.remove);

/** Creates the example with three more infra nodes. */
function createAnswersWithMoreInfra(): string {
  const text = createExampleAnswers();
  const [node = ''] = /^ {2}- name: i3\n(?: {4}.*\n)+/m.exec(text) ?? [];
  const more = [4, 5, 6].map((n) =>
    node
      .replace('i3', `i${n}`)
      .replace('172.16.0.43', `172.16.0.4${n}`)
      .replace(/mac: .*/, `mac: "00:50:56:96:aa:0${n}"`),
  );
  return text.replace(node, [node, ...more].join(''));
}

test('three infra nodes are added to a finished cluster, without the installer’s files: they end Ready, labelled and in the balancer', async () => {
  const dir = sandbox.dir('site');
  const first = await startRehearsal(dir, { sandbox }).exit;
  expect(first).toMatchObject({ code: 0, signal: null });
  const file = (path: string) => readFileSync(join(dir, path), 'utf8');
  const readSerial = (zone: string) =>
    Number(/^\s*(\d+)\s*;\s*serial/im.exec(file(`files/ns1/var/named/${zone}`))?.[1]);
  const zones = ['example.localdomain.zone', '0.16.172.in-addr.arpa.zone'];
  const before = zones.map(readSerial);
  const bootstrap = 'files/bastion/var/www/upi-wizard/ipxe/00-50-56-96-11-c2.ipxe';
  const unchangedPaths = [bootstrap, 'files/bastion/root/upi-wizard/install-config.yaml', 'auth/kubeconfig'];
  const modifiedAt = unchangedPaths.map((path) => statSync(join(dir, path)).mtimeMs);
  // The installer's files are deleted, as administrators do who know their content.
  for (const name of ['bootstrap.ign', 'master.ign', 'worker.ign']) rmSync(join(dir, name));

  const answers = sandbox.file('more.yaml', createAnswersWithMoreInfra());
  const { code, stdout } = await startRehearsal(dir, { sandbox, answers }).exit;

  expect(stdout).toMatch(/Everything is done and verified\./);
  expect(code).toBe(0);
  expect(unchangedPaths.map((path) => statSync(join(dir, path)).mtimeMs)).toEqual(modifiedAt);
  expect(existsSync(join(dir, 'bootstrap.ign')), 'openshift-install was not run again').toBe(false);
  expect(statSync(join(dir, '.upi-wizard/worker.ign')).mode & 0o777).toBe(0o600);
  expect(zones.map(readSerial)).toEqual(before.map((serial) => serial + 1));
  expect(stdout).toContain('worker.ign was read from the secret openshift-machine-api/worker-user-data');
  expect(stdout).toMatch(
    /3 machines to power on; \d+ checks passed\n {2}power on i4\n {2}power on i5\n {2}power on i6\n/,
  );
  expect(stdout).not.toMatch(/power on (?:bs|m\d|w\d|i[123])\b/);
  expect(stdout).toContain('label: 6 infra nodes are labelled.');
  expect(stdout).toContain('taint: 6 infra nodes are tainted.');
  const ready = [...file('report.md').matchAll(/^\| (i\d)\.\S+ \|.*\| Ready \|$/gm)].map(([, name]) => name);
  expect(ready).toEqual(['i1', 'i2', 'i3', 'i4', 'i5', 'i6']);
  const hostConfig = file('.upi-wizard/site/hosts/lb1/etc/haproxy/haproxy.cfg');
  expect(hostConfig.match(/server i[1-6] \S+:443/g)).toHaveLength(6);
  expect(hostConfig).not.toMatch(/server (?:bs|w\d) /);
  const config = JSON.parse(file('.upi-wizard/boot-server.json')) as { ignition: Record<string, { allow: string[] }> };
  expect(
    Object.values(config.ignition).flatMap(({ allow }) => allow),
    'nobody may fetch ignition any more',
  ).toEqual([]);
  expect(listProcesses(dir), 'nothing runs on').toEqual([]);
});

test('a compute node is added to a compact cluster: it ends Ready, beside the control plane in the balancer', async () => {
  const dir = sandbox.dir('compact');
  const { stdout: example } = await runWizard(['design', 'example', '--topology', 'compact'], { sandbox });
  const first = await startRehearsal(dir, { sandbox, answers: sandbox.file('compact.yaml', example) }).exit;
  expect(first, first.stdout).toMatchObject({ code: 0, signal: null });
  const [m3 = ''] = /^ {2}- name: m3\n(?: {4}.*\n)+/m.exec(example) ?? [];
  const w1 = m3
    .replace('name: m3', 'name: w1')
    .replace('role: control-plane', 'role: compute')
    .replace('172.16.0.23', '172.16.0.31')
    .replace(/mac: .*/, 'mac: "00:50:56:96:aa:31"');

  const answers = sandbox.file('compact-more.yaml', example.replace(m3, `${m3}${w1}`));
  const { code, stdout } = await startRehearsal(dir, { sandbox, answers }).exit;

  expect(stdout).toMatch(/Everything is done and verified\./);
  expect(code).toBe(0);
  expect(stdout).toMatch(/1 machine to power on; \d+ checks passed\n {2}power on w1\n/);
  const ready = [...readFileSync(join(dir, 'report.md'), 'utf8').matchAll(/^\| (\w+)\.\S+ \|.*\| Ready \|$/gm)];
  expect(ready.map(([, name]) => name)).toEqual(['m1', 'm2', 'm3', 'w1']);
  const hostConfig = readFileSync(join(dir, '.upi-wizard/site/hosts/lb1/etc/haproxy/haproxy.cfg'), 'utf8');
  const members = [...hostConfig.matchAll(/^ +server (\S+) \S+:443 /gm)].map(([, name]) => name);
  expect(members).toEqual(['m1', 'm2', 'm3', 'w1']);
});
