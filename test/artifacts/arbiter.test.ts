import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { listFlows } from '../../src/artifacts/network/flows.ts';
import { listIgnitionFiles } from '../../src/artifacts/shared/generator.ts';
import { renderNetworkDiagram } from '../../src/design/network-diagram.ts';
import { exampleSite, generateFileText } from '../support/example-design.ts';
import { createExampleDesign } from '../support/example-document.ts';

// The files of a cluster with two control plane nodes and an arbiter. The arbiter runs etcd, and neither the API nor
// the Machine Config Server (openshift/machine-config-operator manifests/machineconfigserver/daemonset.yaml).

const design = createExampleDesign('arbiter');
const read = (file: string) => generateFileText(design, file);
const WORK = 'bastion/root/upi-wizard';

test('install-config has a machine pool for the arbiter beside two control plane nodes', () => {
  const machines = { architecture: 'amd64', hyperthreading: 'Enabled' };
  expect(parse(read(`${WORK}/install-config.yaml`))).toMatchObject({
    controlPlane: { name: 'master', replicas: 2, ...machines },
    arbiter: { name: 'arbiter', replicas: 1, ...machines },
    compute: [{ name: 'worker', replicas: 0, ...machines }],
    platform: { none: {} },
  });
  expect(parse(generateFileText(exampleSite(), `${WORK}/install-config.yaml`))).not.toHaveProperty('arbiter');
});

test('the arbiter boots with arbiter.ign, which only its address may fetch', () => {
  const scripts = ['a1', 'm1'].map((name) => {
    const mac = design.nodes.find((node) => node.name === name)?.mac ?? '';
    return read(`bastion/var/www/upi-wizard/ipxe/${mac.replaceAll(':', '-')}.ipxe`);
  });
  expect(scripts.map((script) => /\/ignition\/(\w+)\.ign/.exec(script)?.[1])).toEqual(['arbiter', 'master']);
  const nginx = read('bastion/root/upi-wizard/nginx.conf');
  const [, location = ''] = /location = \/ignition\/arbiter\.ign \{([^}]*)\}/.exec(nginx) ?? [];
  expect(location.match(/allow [^;]+|deny [^;]+/g)).toEqual(['allow 172.16.0.24', 'deny all']);
  expect(nginx).not.toContain('worker.ign');
});

test('each ignition file is for the nodes of its role', () => {
  const files = listIgnitionFiles(design).map(
    ({ path, nodes }) => `${path} ${nodes.map(({ name }) => name).join(' ')}`,
  );
  expect(files).toEqual(['/ignition/bootstrap.ign bs', '/ignition/master.ign m1 m2', '/ignition/arbiter.ign a1']);
  const standard = listIgnitionFiles(exampleSite()).map(({ path, nodes }) => `${path} ${nodes.length}`);
  expect(standard).toEqual(['/ignition/bootstrap.ign 1', '/ignition/master.ign 3', '/ignition/worker.ign 6']);
});

test('neither the API nor the routes go to the arbiter', () => {
  const haproxy = read('lb1/etc/haproxy/haproxy.cfg');
  expect([...haproxy.matchAll(/^ +server (\S+)/gm)].map(([, name]) => name)).toEqual([
    ...['bs', 'm1', 'm2'],
    ...['bs', 'm1', 'm2'],
    ...['m1', 'm2'],
    ...['m1', 'm2'],
  ]);
  expect(haproxy).not.toContain('172.16.0.24');
});

test('the arbiter has its names and its lease', () => {
  expect(read('ns1/var/named/example.localdomain.zone')).toMatch(/^a1\.ocp45\s.*172\.16\.0\.24$/m);
  expect(read('ns1/etc/dhcp/dhcpd.conf')).toMatch(/host a1[^}]*fixed-address 172\.16\.0\.24;/);
});

test('etcd and its logs reach the arbiter, and its pool gets the time servers', () => {
  const etcd = listFlows(design).find(({ ports }) => ports === '2379-2380');
  expect(etcd?.source).toContain('172.16.0.21 172.16.0.22 172.16.0.24');
  expect(listFlows(design).find(({ source }) => source.startsWith('bootstrap '))?.destination).toContain('172.16.0.24');
  const [document] = parseAllDocuments(read(`${WORK}/manifests/99-arbiter-chrony.yaml`)).map((each) => each.toJSON());
  expect(document.metadata.labels).toEqual({ 'machineconfiguration.openshift.io/role': 'arbiter' });
});

test('the diagram names the arbiter', () => {
  const lines = renderNetworkDiagram(design, 80, false).map(({ text }) => text);
  expect(lines.find((line) => line.includes('arbiter'))).toMatch(/1 arbiter +172\.16\.0\.24 +a1$/);
});
