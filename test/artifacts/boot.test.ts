import { expect, test } from 'vitest';
import { mirrorImageNames } from '../../src/artifacts/images.ts';
import { kernelArguments, networkArguments } from '../../src/artifacts/kernel-arguments.ts';
import type { Design, DesignNode } from '../../src/design/model.ts';
import { exampleImages, exampleSite, generated } from '../support/example-design.ts';

const m1 = exampleSite().nodes[1]!;
const BASE = 'http://172.16.0.101:8080';

function withoutDhcp(changes: Partial<Design> = {}): Design {
  return exampleSite({ services: { ...exampleSite().services, dhcp: { kind: 'none', server: null } }, ...changes });
}

test('a node installs its role from the live system', () => {
  expect(kernelArguments(exampleSite(), m1, exampleImages)).toEqual([
    'initrd=main',
    `coreos.live.rootfs_url=${BASE}/images/${exampleImages.rootfs}`,
    'coreos.inst.install_dev=/dev/sda',
    `coreos.inst.ignition_url=${BASE}/ignition/master.ign`,
  ]);
  const ignition = exampleSite().nodes.map((node) => kernelArguments(exampleSite(), node, exampleImages).at(-1));
  expect(ignition.map((argument) => argument?.replace(/.*\//, ''))).toEqual([
    'bootstrap.ign',
    ...Array(3).fill('master.ign'),
    ...Array(6).fill('worker.ign'),
  ]);
});

test('4.5 writes a raw image', () => {
  const design = exampleSite({ openshift: { version: '4.5', architecture: 'x86_64' } });
  expect(kernelArguments(design, m1, mirrorImageNames('4.5', 'x86_64'))).toEqual([
    'initrd=main',
    'coreos.inst=yes',
    'coreos.inst.install_dev=sda',
    `coreos.inst.image_url=${BASE}/images/rhcos-metal.x86_64.raw.gz`,
    `coreos.inst.ignition_url=${BASE}/ignition/master.ign`,
    'rd.neednet=1',
    'ip=dhcp',
  ]);
});

test.each<[string, Partial<DesignNode>, Design, string[]]>([
  ['DHCP on the only interface', {}, exampleSite(), []],
  ['DHCP on a named one', { interface: 'enp1s0' }, exampleSite(), ['rd.neednet=1', 'ip=enp1s0:dhcp']],
  [
    'static',
    { interface: 'enp1s0' },
    withoutDhcp(),
    [
      'rd.neednet=1',
      'ip=172.16.0.21::172.16.0.254:255.255.255.0:m1.ocp45.example.localdomain:enp1s0:none',
      'nameserver=172.16.0.102',
    ],
  ],
  [
    'static on a bond with a VLAN',
    { bond: { name: 'bond0', interfaces: ['em1', 'em2'], mode: 'active-backup' }, vlan: 100 },
    withoutDhcp(),
    [
      'rd.neednet=1',
      'ip=172.16.0.21::172.16.0.254:255.255.255.0:m1.ocp45.example.localdomain:bond0.100:none',
      'nameserver=172.16.0.102',
      'bond=bond0:em1,em2:mode=active-backup',
      'vlan=bond0.100:bond0',
    ],
  ],
])('network arguments: %s', (_name, changes, design, expected) => {
  expect(networkArguments(design, { ...m1, ...changes })).toEqual(expected);
});

test('static IPv6 stands in brackets', () => {
  const { networks } = exampleSite();
  const machine = [{ cidr: '2001:db8::/64', gateway: '2001:db8::1' }];
  const node = { ...m1, ip: ['2001:db8::21'], interface: 'enp1s0' };
  expect(networkArguments(withoutDhcp({ networks: { ...networks, machine } }), node)[1]).toBe(
    'ip=[2001:db8::21]::[2001:db8::1]:64:m1.ocp45.example.localdomain:enp1s0:none',
  );
});

test('scripts begin with their mark, and every goto has its one label', () => {
  const boot = generated(exampleSite(), 'bastion/var/www/upi-wizard/boot.ipxe');
  expect(boot.startsWith('#!ipxe\n')).toBe(true);
  const labels = [...boot.matchAll(/^:(\S+)/gm)].map(([, label]) => label);
  expect(new Set(labels).size).toBe(labels.length);
  const targets = [...boot.matchAll(/goto (\S+)/g)].map(([, label]) => label);
  expect(targets.length).toBeGreaterThan(3);
  for (const target of targets) expect(labels).toContain(target);
  expect(boot).toContain('choose --default local --timeout');
  for (const node of exampleSite().nodes) {
    const script = node.mac.replaceAll(':', '-');
    expect(boot).toContain(`item ${script} ${node.name},`);
    const own = generated(exampleSite(), `bastion/var/www/upi-wizard/ipxe/${script}.ipxe`);
    expect(own.split('\n').map((line) => line.split(' ')[0])).toEqual(['#!ipxe', '#', 'kernel', 'initrd', 'boot', '']);
    expect(own).toContain(`# ${node.name}.ocp45.example.localdomain (`);
  }
});

test('a single node boots the whole installation', () => {
  const design = exampleSite({ topology: 'single-node', nodes: [m1] });
  expect(kernelArguments(design, m1, exampleImages)).toContain(
    `ignition.config.url=${BASE}/ignition/bootstrap-in-place-for-live-iso.ign`,
  );
  const config = generated(design, 'bastion/root/upi-wizard/install-config.yaml');
  expect(config).toContain('bootstrapInPlace:\n  installationDisk: "/dev/sda"\n');
});
