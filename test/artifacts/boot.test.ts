import { expect, test } from 'vitest';
import { getMirrorImageNames } from '../../src/artifacts/boot/images.ts';
import { listKernelArguments, listNetworkArguments } from '../../src/artifacts/boot/kernel-arguments.ts';
import { generateFiles } from '../../src/artifacts/generate.ts';
import type { HostOs } from '../../src/design/choices.ts';
import type { Design, DesignNode } from '../../src/design/model.ts';
import { exampleCredentials, exampleImages, exampleSite, generateFileText } from '../support/example-design.ts';

const m1 = exampleSite().nodes[1]!;
const BASE = 'http://172.16.0.101:8080';

function withoutDhcp(changes: Partial<Design> = {}): Design {
  return exampleSite({ services: { ...exampleSite().services, dhcp: { kind: 'none', server: null } }, ...changes });
}

function dualStack(): Design {
  const { networks } = exampleSite();
  const machine = [...networks.machine, { cidr: '2001:db8::/64', gateway: '2001:db8::1' }];
  return exampleSite({ networks: { ...networks, machine } });
}

test('a node installs its role from the live system', () => {
  expect(listKernelArguments(exampleSite(), m1, exampleImages)).toEqual([
    `coreos.live.rootfs_url=${BASE}/images/${exampleImages.rootfs}`,
    'coreos.inst.install_dev=/dev/sda',
    `coreos.inst.ignition_url=${BASE}/ignition/master.ign`,
  ]);
  const ignition = exampleSite().nodes.map((node) => listKernelArguments(exampleSite(), node, exampleImages).at(-1));
  expect(ignition.map((argument) => argument?.replace(/.*\//, ''))).toEqual([
    'bootstrap.ign',
    ...Array(3).fill('master.ign'),
    ...Array(6).fill('worker.ign'),
  ]);
});

test('4.5 writes a raw image', () => {
  const design = exampleSite({ openshift: { version: '4.5', architecture: 'x86_64', osImageStream: null } });
  expect(listKernelArguments(design, m1, getMirrorImageNames('4.5', 'x86_64'))).toEqual([
    'coreos.inst=yes',
    `coreos.inst.image_url=${BASE}/images/rhcos-metal.x86_64.raw.gz`,
    'coreos.inst.install_dev=sda',
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
  [
    'a VLAN whose name would be too long for an interface',
    { interface: 'enp101s0f0np0', vlan: 4094 },
    exampleSite(),
    ['rd.neednet=1', 'ip=vlan4094:dhcp', 'vlan=vlan4094:enp101s0f0np0'],
  ],
  [
    'DHCP on a bond',
    { bond: { name: 'bond0', interfaces: ['em1', 'em2'], mode: '802.3ad' } },
    exampleSite(),
    ['rd.neednet=1', 'ip=bond0:dhcp', 'bond=bond0:em1,em2:mode=802.3ad'],
  ],
  [
    'two families with DHCP: the second is static and comes first',
    { ip: ['172.16.0.21', '2001:db8::21'], interface: 'enp1s0' },
    dualStack(),
    ['rd.neednet=1', 'ip=[2001:db8::21]::[2001:db8::1]:64:m1.ocp45.example.localdomain:enp1s0:none', 'ip=enp1s0:dhcp'],
  ],
  [
    'two families with DHCP, no interface named',
    { ip: ['172.16.0.21', '2001:db8::21'] },
    dualStack(),
    ['rd.neednet=1', 'ip=[2001:db8::21]::[2001:db8::1]:64:m1.ocp45.example.localdomain::none', 'ip=dhcp'],
  ],
  [
    'two families without DHCP, two name servers',
    { ip: ['172.16.0.21', '2001:db8::21'], interface: 'enp1s0' },
    withoutDhcp({
      networks: dualStack().networks,
      services: {
        ...exampleSite().services,
        dhcp: { kind: 'none', server: null },
        dns: { kind: 'external', servers: [], forwarders: ['192.168.124.1', '2001:db8:1::53'] },
      },
    }),
    [
      'rd.neednet=1',
      'ip=172.16.0.21::172.16.0.254:255.255.255.0:m1.ocp45.example.localdomain:enp1s0:none',
      'ip=[2001:db8::21]::[2001:db8::1]:64:m1.ocp45.example.localdomain:enp1s0:none',
      'nameserver=192.168.124.1',
      'nameserver=[2001:db8:1::53]',
    ],
  ],
])('network arguments: %s', (_name, changes, design, expected) => {
  expect(listNetworkArguments(design, { ...m1, ...changes })).toEqual(expected);
});

test('static IPv6 addresses are in brackets', () => {
  const { networks } = exampleSite();
  const machine = [{ cidr: '2001:db8::/64', gateway: '2001:db8::1' }];
  const node = { ...m1, ip: ['2001:db8::21'], interface: 'enp1s0' };
  expect(listNetworkArguments(withoutDhcp({ networks: { ...networks, machine } }), node)[1]).toBe(
    'ip=[2001:db8::21]::[2001:db8::1]:64:m1.ocp45.example.localdomain:enp1s0:none',
  );
});

test('scripts begin with #!ipxe, and every goto has exactly one label', () => {
  const web = 'bastion/var/www/upi-wizard';
  const nodeScripts = exampleSite().nodes.map((node) => `ipxe/${node.mac.replaceAll(':', '-')}.ipxe`);
  for (const script of ['boot.ipxe', 'installed.ipxe', 'closed.ipxe', ...nodeScripts]) {
    const text = generateFileText(exampleSite(), `${web}/${script}`);
    expect(text.startsWith('#!ipxe\n'), script).toBe(true);
    const labels = [...text.matchAll(/^:(\S+)/gm)].map(([, label]) => label);
    expect(new Set(labels).size, script).toBe(labels.length);
    // The menu goes to the item that was chosen.
    const items = [...text.matchAll(/^item (\w\S*)/gm)].map(([, item]) => item);
    const targets = [...text.matchAll(/goto (\w\S*)/g)].map(([, label]) => label);
    for (const target of [...targets, ...items]) expect(labels, script).toContain(target);
    // A menu's heading is cut at 80 columns; a MAC address has 17 characters.
    const reasons = [...text.matchAll(/^set reason \$\{mac:hexhyp\}(.*)$/gm)].map(([, rest = '']) => rest);
    expect(reasons.length, script).toBeGreaterThan(0);
    for (const reason of reasons) expect(17 + reason.length, reason).toBeLessThan(80);
  }
});

test('a node script sets, before each command, the reason to show if it fails', () => {
  const [node = m1] = exampleSite().nodes;
  const text = generateFileText(exampleSite(), `bastion/var/www/upi-wizard/ipxe/${node.mac.replaceAll(':', '-')}.ipxe`);
  expect(text).toContain(`# ${node.name}.ocp45.example.localdomain (`);
  const lines = text.split('\n').filter((line) => /^(?:set reason|kernel|initrd|boot)\b/.test(line));
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['set', 'kernel', 'set', 'initrd', 'set', 'boot']);
});

test('a single node boots with the bootstrap-in-place ignition file', () => {
  const design = exampleSite({ topology: 'single-node', nodes: [m1] });
  expect(listKernelArguments(design, m1, exampleImages)).toContain(
    `ignition.config.url=${BASE}/ignition/bootstrap-in-place-for-live-iso.ign`,
  );
  const config = generateFileText(design, 'bastion/root/upi-wizard/install-config.yaml');
  expect(config).toContain('bootstrapInPlace:\n  installationDisk: "/dev/sda"\n');
});

/** Returns the documented site with Secure Boot on one node, and a bastion with the given operating system. */
function withSecureBoot(os: HostOs): Design {
  const site = exampleSite();
  return exampleSite({
    nodes: site.nodes.map((node) => ({ ...node, secureBoot: node.name === 'm2' })),
    services: { ...site.services, bastion: { ...site.services.bastion, os } },
  });
}

test('a node with Secure Boot is installed by GRUB, by its MAC', () => {
  const mac = exampleSite().nodes[2]!.mac;
  const file = `grub.cfg-01-${mac.replaceAll(':', '-')}`;
  const node = generateFileText(withSecureBoot('rhel9'), `bastion/var/lib/tftpboot/${file}`);
  expect(node).toContain(
    `    if linux (http,172.16.0.101:8080)/images/${exampleImages.kernel} coreos.live.rootfs_url=`,
  );
  expect(node).toContain(`        initrd (tftp,$net_default_server)/images/${exampleImages.initramfs}\n`);
  expect(node).not.toContain('initrd=main');
  expect(generateFileText(withSecureBoot('rhel9'), `bastion/var/www/upi-wizard/boot/${file}`)).toBe(node);
  expect(generateFileText(withSecureBoot('rhel8'), `bastion/var/lib/tftpboot/${file}`)).toContain('if linuxefi (http,');
  const first = generateFileText(withSecureBoot('debian'), 'bastion/srv/tftp/grub/grub.cfg');
  expect(first).toContain(`if [ "$net_default_mac" = "${mac}" ]; then\n    # m2\n    configfile $prefix/${file}\nfi\n`);
  expect(first.match(/configfile/g)).toHaveLength(1);
  const script = generateFileText(withSecureBoot('debian'), 'bastion/root/upi-wizard/install.sh');
  expect(script).toContain('/usr/lib/grub/x86_64-efi-signed/grubnetx64.efi.signed /srv/tftp/grubx64.efi');
  expect(() => generateFileText(exampleSite(), 'bastion/var/lib/tftpboot/grub.cfg')).toThrow('not among');
});

test('64-bit ARM gets its own boot programs', () => {
  const design = exampleSite({ openshift: { version: '4.18', architecture: 'aarch64', osImageStream: null } });
  const dhcpd = generateFileText(design, 'ns1/etc/dhcp/dhcpd.conf');
  expect(dhcpd).toContain('option arch = 00:0b {\n        filename "ipxe-arm64.efi";');
  expect(dhcpd).toContain('option arch = 00:13 {');
  expect(dhcpd).not.toMatch(/undionly|00:07/);
  expect(generateFileText(design, 'bastion/root/upi-wizard/install.sh')).toContain('ipxe-bootimgs-aarch64');
});

test('the bastion serves time if the design lists it, and uses the other servers', () => {
  const { services } = exampleSite();
  const chronyConf = (servers: string[]) =>
    generateFileText(exampleSite({ services: { ...services, time: { servers } } }), 'bastion/etc/chrony.conf');
  expect(chronyConf(['192.168.124.1'])).toContain('server 192.168.124.1 iburst\n');
  expect(chronyConf(['192.168.124.1'])).not.toContain('allow');
  const serverConf = chronyConf(['172.16.0.101', '192.168.124.1']);
  expect(serverConf).not.toContain('server 172.16.0.101');
  expect(serverConf).toContain('allow 172.16.0.0/24\n');
});

const ISO = { kind: 'iso', httpPort: 8080 } as const;

function isoSite(version: string, changes: Partial<Design> = {}): Design {
  const site = exampleSite({ openshift: { version, architecture: 'x86_64', osImageStream: null }, ...changes });
  return { ...site, services: { ...site.services, boot: ISO } };
}

test('nodes that boot from the ISO have a script each, and from 4.8 an ISO each', () => {
  const listScripts = (version: string) =>
    generateFiles({
      design: isoSite(version),
      stage: 'install',
      credentials: exampleCredentials,
      images: getMirrorImageNames(version, 'x86_64'),
      previous: null,
    })
      .files.filter(({ kind }) => kind === 'coreos-installer')
      .map(({ path }) => path.replace(/.*\//, ''));
  expect(listScripts('4.5')).toEqual(['boot-prompt.txt']);
  expect(listScripts('4.6')).toHaveLength(10);
  expect(listScripts('4.18').slice(0, 2)).toEqual(['make-isos.sh', 'bs.sh']);
  const prompt = generateFileText(
    isoSite('4.5'),
    'bastion/root/upi-wizard/boot-prompt.txt',
    'install',
    getMirrorImageNames('4.5', 'x86_64'),
  );
  expect(prompt).toContain(
    `m1.ocp45.example.localdomain (control-plane):\ncoreos.inst=yes coreos.inst.image_url=${BASE}/images/rhcos-metal.x86_64.raw.gz coreos.inst.install_dev=sda coreos.inst.ignition_url=${BASE}/ignition/master.ign rd.neednet=1 ip=dhcp\n`,
  );
  const script = generateFileText(isoSite('4.18'), 'bastion/var/www/upi-wizard/iso/m1.sh');
  expect(script).toContain(`args=(--ignition-url "${BASE}/ignition/master.ign")`);
});
