import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  listMissingDetails,
  listNodeImageFiles,
  type NodeImageScriptOptions,
  renderNodeImageScript,
  renderNodesConfig,
} from '../../src/artifacts/node-image.ts';
import { renderExampleDesign } from '../../src/design/example.ts';
import type { Design, DesignNode } from '../../src/design/model.ts';
import { parseDesign } from '../../src/design/parse.ts';

const PLACES: NodeImageScriptOptions = {
  dir: '/srv/ocp45/node-image',
  kubeconfig: '/srv/ocp45/auth/kubeconfig',
  webRoot: '/srv/ocp45/files/bastion/var/www/upi-wizard',
  imagesDir: '/srv/images',
  trustBundle: null,
  approveCommand: 'upi-wizard csr approve --expected --dir /srv/ocp45',
  isCompared: true,
};

function createDesign(version: string): Design {
  const { design } = parseDesign(renderExampleDesign({ version }));
  if (design === null) throw new Error('the example is no design');
  return design;
}

/** The example without DHCP: its nodes boot from the ISO with static addresses. */
const createStaticDesign = (version: string) => {
  const design = createDesign(version);
  const { services } = design;
  return {
    ...design,
    services: { ...services, dhcp: { kind: 'none', server: null }, boot: { ...services.boot, kind: 'iso' } },
  } as const;
};

function getNode(design: Design, name: string, changes: Partial<DesignNode> = {}): DesignNode {
  const node = design.nodes.find((each) => each.name === name);
  if (node === undefined) throw new Error(`no node ${name}`);
  return { ...node, ...changes };
}

const readConfig = (design: Design, node: DesignNode) => parse(renderNodesConfig(design, [node])).hosts[0];
const checkSyntax = (script: string) => execFileSync('bash', ['--norc', '-n'], { input: script, encoding: 'utf8' });

test('with DHCP the nodes boot from PXE files, and need no network configuration', async () => {
  const design = createDesign('4.20');
  const script = renderNodeImageScript(design, [getNode(design, 'w3'), getNode(design, 'i3')], PLACES);
  checkSyntax(script);
  await expect(script).toMatchFileSnapshot('../golden/node-image/dhcp.sh');
});

test('with static addresses the nodes boot from an ISO, and get address, route and name servers', async () => {
  const design = createStaticDesign('4.20');
  const vlan = getNode(design, 'i3', {
    bond: { name: 'bond0', interfaces: ['eno1', 'eno2'], mode: 'active-backup' },
    vlan: 100,
    installDisk: '/dev/disk/by-id/wwn-0x5000c500a1b2c3d4',
  });
  const script = renderNodeImageScript(design, [getNode(design, 'w3', { interface: 'enp1s0' }), vlan], {
    ...PLACES,
    kubeconfig: null,
    trustBundle: '/srv/mirror ca.pem',
    isCompared: false,
  });
  checkSyntax(script);
  await expect(script).toMatchFileSnapshot('../golden/node-image/static.sh');
});

test('IPv6 addresses are static beside DHCP', () => {
  const example = createDesign('4.20');
  const machine = [...example.networks.machine, { cidr: 'fd00:1::/64', gateway: 'fd00:1::1' }];
  const design = { ...example, networks: { ...example.networks, machine } };
  expect(readConfig(design, getNode(design, 'w1', { ip: ['172.16.0.31', 'fd00:1::31'] })).networkConfig).toEqual({
    interfaces: [
      {
        name: 'eth0',
        type: 'ethernet',
        state: 'up',
        'mac-address': '00:50:56:96:6b:da',
        ipv4: { enabled: true, dhcp: true },
        ipv6: { enabled: true, dhcp: false, autoconf: false, address: [{ ip: 'fd00:1::31', 'prefix-length': 64 }] },
      },
    ],
    routes: {
      config: [{ destination: '::/0', 'next-hop-address': 'fd00:1::1', 'next-hop-interface': 'eth0', 'table-id': 254 }],
    },
  });
});

test('4.17 makes only an ISO; the architecture is in the names', () => {
  expect(listNodeImageFiles(createDesign('4.17'))).toEqual(['node.x86_64.iso']);
  expect(listNodeImageFiles(createStaticDesign('4.18'))).toEqual(['node.x86_64.iso']);
  expect(listNodeImageFiles(createDesign('4.18'))).toEqual([
    'node.x86_64-vmlinuz',
    'node.x86_64-initrd.img',
    'node.x86_64-rootfs.img',
  ]);
  const design = createDesign('4.17');
  const script = renderNodeImageScript(design, [getNode(design, 'w1')], PLACES);
  checkSyntax(script);
  expect(script).toContain('This version of OpenShift only builds an ISO');
  expect(script).not.toContain('--pxe');
  expect(script).not.toContain('restore');
});

test('a node with Secure Boot gets a configuration of GRUB in every directory that GRUB searches', () => {
  const design = createDesign('4.20');
  const script = renderNodeImageScript(design, [getNode(design, 'w1', { secureBoot: true })], PLACES);
  checkSyntax(script);
  expect(script.match(/save (\S+) <</g)).toEqual([
    'save /var/lib/tftpboot/grub.cfg-01-00-50-56-96-6b-da <<',
    'save /var/www/upi-wizard/boot/grub.cfg-01-00-50-56-96-6b-da <<',
  ]);
  expect(script).toContain('/images/node.x86_64-vmlinuz coreos.live.rootfs_url=');
  expect(script).not.toContain('coreos.inst');
});

test('what the design does not know is listed', () => {
  const design = createDesign('4.20');
  const bond = { name: 'bond0', interfaces: ['eno1', 'eno2'], mode: '802.3ad' };
  const installDisk = '/dev/disk/by-id/ata-QEMU';
  expect(listMissingDetails([getNode(design, 'w1', { bond, installDisk }), getNode(design, 'w2')])).toEqual([
    { node: 'w1', kind: 'mac', value: 'eno2' },
    { node: 'w1', kind: 'disk', value: installDisk },
  ]);
});

const HOSTILE = [
  "w1'; touch /tmp/x #",
  'w1\nNODES_CONFIG\ntouch /tmp/x',
  '$(touch /tmp/x)',
  'w1: {a: &b !!c',
  '"`\\',
  'no',
];

test.each(HOSTILE)('a hostile name is one text of nodes-config.yaml: %j', (name) => {
  const design = createStaticDesign('4.20');
  const node = getNode(design, 'w1', { name, fqdn: name, mac: name, interface: name, installDisk: name });
  const host = readConfig(design, node);
  expect(host).toMatchObject({
    hostname: name,
    interfaces: [{ name, macAddress: name }],
    rootDeviceHints: { deviceName: name },
  });
  // No line of the document ends the text in the script.
  expect(renderNodesConfig(design, [node]).split('\n')).not.toContain('NODES_CONFIG');
});

test.each(HOSTILE)('a hostile name or path is one word of the script: %j', (text) => {
  const design = createStaticDesign('4.20');
  const places = { ...PLACES, dir: text, kubeconfig: text, trustBundle: text, isCompared: false };
  const script = renderNodeImageScript(design, [getNode(design, 'w1', { fqdn: text, ip: [text] })], places);
  checkSyntax(script);
  // A stand-in of oc prints its arguments; nothing else runs.
  const run = `oc() { printf '<%s>' "$@"; return 1; }\nmkdir() { :; }\nset -- none\n`;
  const traced = execFileSync(
    'bash',
    [
      '--norc',
      '-c',
      `${run}eval "$SCRIPT_HEAD"; set +eu; printf '[%s]' "$dir" "$KUBECONFIG"; monitor 2>/dev/null; exit 0`,
    ],
    {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, SCRIPT_HEAD: script.slice(0, script.indexOf('case "${1:-}"')) },
    },
  );
  expect(traced).toContain(`[${text}][${text}]`);
  expect(traced).toContain(`<--ip-addresses><${text}>`);
  expect(traced).toContain(`<--certificate-authority><${text}>`);
});

test.each(HOSTILE.slice(0, -1))('a boot script refuses a hostile name: %j', (fqdn) => {
  const design = createDesign('4.20');
  const render = () => renderNodeImageScript(design, [getNode(design, 'w1', { fqdn })], PLACES);
  expect(render).toThrow(expect.objectContaining({ userError: expect.objectContaining({ code: 'unsafe-text' }) }));
});
