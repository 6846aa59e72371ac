import { node, type RuleCase } from './case.ts';

const masters = (count: number) =>
  Array.from({ length: count }, (_, index) => node(`m${index + 1}`, 'control-plane', 21 + index));
const workers = (count: number) =>
  Array.from({ length: count }, (_, index) => node(`w${index + 1}`, 'compute', 100 + index));
const others = (role: string, count: number) =>
  Array.from({ length: count }, (_, index) => node(`${role}${index}`, role, 200 + index));
const boot = node('bs', 'bootstrap', 11);

/** Cases of nodes: number, size, boot and network links. */
export const MACHINE_CASES: readonly RuleCase[] = [
  {
    rule: 'mac-format',
    bad: [['nodes.0.mac', '0050.5696.11c']],
    at: 'nodes.0.mac',
    good: [['nodes.0.mac', '0050.5696.11C2']],
  },
  {
    rule: 'mac-format',
    bad: [['nodes.0.mac', '00505696 11c2']],
    at: 'nodes.0.mac',
    good: [['nodes.0.mac', '00505696-11c2'.replace('-', '')]],
  },
  {
    rule: 'mac-duplicate',
    bad: [['nodes.3.mac', '005056-9637C8']],
    at: 'nodes.3.mac',
    good: [['nodes.3.mac', '005056-9637C9']],
  },
  {
    rule: 'control-plane-count',
    bad: [
      ['nodes', [boot, ...masters(4), ...workers(2)]],
      ['openshift.version', '4.17'],
    ],
    at: 'nodes',
    good: [['nodes', [boot, ...masters(4), ...workers(2)]]],
  },
  {
    rule: 'control-plane-count',
    bad: [['nodes', [boot, ...masters(2), ...workers(2)]]],
    at: 'nodes',
    good: [['nodes', [boot, ...masters(3), ...workers(2)]]],
  },
  {
    rule: 'control-plane-count',
    bad: [['nodes', [boot, ...masters(6), ...workers(2)]]],
    at: 'nodes',
    good: [['nodes', [boot, ...masters(5), ...workers(2)]]],
  },
  { rule: 'control-plane-count', bad: [['nodes', masters(2)]], at: 'nodes', good: [], topology: 'single-node' },
  {
    rule: 'control-plane-many',
    bad: [['nodes', [boot, ...masters(4), ...workers(2)]]],
    at: 'nodes',
    good: [['nodes', [boot, ...masters(5), ...workers(2)]]],
  },
  {
    rule: 'control-plane-many',
    bad: [
      ['nodes', [boot, ...masters(5), ...workers(2)]],
      ['openshift.version', '4.17'],
    ],
    at: 'nodes',
    good: [
      ['nodes', [boot, ...masters(5), ...workers(2)]],
      ['openshift.version', '4.18'],
    ],
  },
  {
    rule: 'infra-count',
    bad: [['nodes.7.role', 'compute']],
    at: 'nodes',
    good: [
      ['nodes.7.role', 'compute'],
      ['nodes.8.role', 'compute'],
      ['nodes.9.role', 'compute'],
    ],
  },
  {
    rule: 'infra-count',
    bad: [['nodes.4.role', 'storage']],
    at: 'nodes',
    good: [['nodes', [boot, ...masters(3), ...workers(2), ...[1, 2, 3].map((n) => node(`s${n}`, 'storage', 40 + n))]]],
  },
  {
    rule: 'node-size',
    bad: [
      ['nodes.4.diskGiB', 119],
      ['openshift.version', '4.5'],
    ],
    at: 'nodes.4.diskGiB',
    good: [
      ['nodes.4.diskGiB', 119],
      ['openshift.version', '4.6'],
    ],
  },
  { rule: 'node-memory', bad: [['nodes.4.memoryGiB', 1]], at: 'nodes.4.memoryGiB', good: [['nodes.4.memoryGiB', 2]] },
  {
    rule: 'node-scale',
    bad: [['nodes', [boot, ...masters(3), ...workers(25)]]],
    at: 'nodes.1.vcpu',
    good: [['nodes', [boot, ...masters(3), ...workers(24)]]],
  },
  {
    rule: 'node-scale',
    bad: [['nodes', [boot, ...masters(3), ...workers(22), ...others('storage', 3)]]],
    at: 'nodes.1.vcpu',
    good: [['nodes', [boot, ...masters(3), ...workers(24), ...others('infra', 3)]]],
  },
  {
    rule: 'node-size-unit',
    bad: [['nodes.1.memoryGiB', 16_384]],
    at: 'nodes.1.memoryGiB',
    good: [['nodes.1.memoryGiB', 6144]],
  },
  {
    rule: 'install-disk-whole',
    bad: [['nodes.0.installDisk', '/dev/nvme0']],
    at: 'nodes.0.installDisk',
    good: [['nodes.0.installDisk', '/dev/disk/by-id/nvme0']],
  },
  {
    rule: 'install-disk-whole',
    bad: [['nodes.0.installDisk', '/dev/sda1']],
    at: 'nodes.0.installDisk',
    good: [['nodes.0.installDisk', '/dev/mapper/mpatha1']],
  },
  {
    rule: 'install-disk-whole',
    bad: [['nodes.0.installDisk', '/dev/nvme0n1p2']],
    at: 'nodes.0.installDisk',
    good: [['nodes.0.installDisk', '/dev/nvme0n1']],
  },
  {
    rule: 'install-disk-whole',
    bad: [['nodes.0.installDisk', '/dev/disk/by-id/wwn-0x5000-part1']],
    at: 'nodes.0.installDisk',
    good: [['nodes.0.installDisk', '/dev/disk/by-id/wwn-0x5000']],
  },
  {
    rule: 'install-disk-whole',
    bad: [['nodes.0.installDisk', '/dev/sr0']],
    at: 'nodes.0.installDisk',
    good: [['nodes.0.installDisk', '/dev/dasda']],
  },
  ...[
    'coreos.inst.install_dev=/dev/sdb',
    'coreos.inst.ignition_url=http://10.0.0.1/x.ign',
    'coreos.inst=yes',
    'coreos.live.rootfs_url=http://10.0.0.1/x',
    'initrd=other',
    'ignition.config.url=http://10.0.0.1/x',
    'ignition.platform.id=vmware',
    'rd.neednet=0',
  ].map(
    (text): RuleCase => ({
      rule: 'kernel-argument-ours',
      bad: [['nodes.0.kernelArguments', ['quiet', text]]],
      at: 'nodes.0.kernelArguments.1',
      good: [['nodes.0.kernelArguments', ['quiet', 'coreos.inst.skip_reboot', 'ip=enp2s0:dhcp']]],
    }),
  ),
  ...['ip=dhcp', 'nameserver=10.0.0.1'].map(
    (text): RuleCase => ({
      rule: 'kernel-argument-ours',
      bad: [
        ['nodes.0.kernelArguments', [text]],
        ['services.dhcp', { kind: 'none' }],
      ],
      at: 'nodes.0.kernelArguments.0',
      good: [['nodes.0.kernelArguments', [text]]],
    }),
  ),
  {
    rule: 'kernel-argument-ours',
    bad: [
      ['nodes.0.kernelArguments', ['bond=bond1:em3,em4']],
      ['nodes.0.bond', { name: 'bond0', interfaces: ['em1', 'em2'], mode: '802.3ad' }],
    ],
    at: 'nodes.0.kernelArguments.0',
    good: [['nodes.0.kernelArguments', ['bond=bond1:em3,em4']]],
  },
  {
    rule: 'interface-bond',
    bad: [
      ['nodes.0.interface', 'em1'],
      ['nodes.0.bond', { name: 'bond0', interfaces: ['em1', 'em2'], mode: '802.3ad' }],
    ],
    at: 'nodes.0.interface',
    good: [
      ['nodes.0.interface', 'bond0'],
      ['nodes.0.bond', { name: 'bond0', interfaces: ['em1', 'em2'], mode: '802.3ad' }],
    ],
  },
  {
    rule: 'bond-interfaces',
    bad: [['nodes.1.bond', { name: 'bond0', interfaces: ['em1', 'bond0'], mode: 'active-backup' }]],
    at: 'nodes.1.bond.interfaces.1',
    good: [['nodes.1.bond', { name: 'bond0', interfaces: ['em1', 'em2'], mode: 'active-backup' }]],
  },
  {
    rule: 'vlan-boot',
    bad: [
      ['nodes.1.interface', 'enp1s0'],
      ['nodes.1.vlan', 100],
    ],
    at: 'nodes.1.vlan',
    good: [
      ['nodes.1.interface', 'enp1s0'],
      ['nodes.1.vlan', 100],
      ['services.boot.kind', 'iso'],
    ],
  },
  {
    rule: 'architecture-version',
    bad: [
      ['openshift.architecture', 'aarch64'],
      ['openshift.version', '4.9'],
    ],
    at: 'openshift.architecture',
    good: [
      ['openshift.architecture', 'aarch64'],
      ['openshift.version', '4.10'],
    ],
  },
  ...['ppc64le', 's390x'].map(
    (architecture): RuleCase => ({
      rule: 'architecture-boot',
      bad: [['openshift.architecture', architecture]],
      at: 'services.boot.kind',
      good: [
        ['openshift.architecture', architecture],
        ['services.boot.kind', 'iso'],
      ],
    }),
  ),
  {
    rule: 'architecture-ipxe',
    bad: [
      ['openshift.architecture', 'aarch64'],
      ['services.bastion.os', 'rhel8'],
    ],
    at: 'services.boot.kind',
    good: [
      ['openshift.architecture', 'aarch64'],
      ['services.bastion.os', 'rhel9'],
    ],
  },
  {
    rule: 'secure-boot-ipxe',
    bad: [
      ['openshift.architecture', 'aarch64'],
      ['nodes.1.secureBoot', true],
      ['services.bastion.os', 'rhel8'],
    ],
    at: 'nodes.1.secureBoot',
    good: [
      ['nodes.1.secureBoot', true],
      ['services.bastion.os', 'rhel8'],
    ],
  },
  {
    rule: 'architecture-firmware',
    bad: [
      ['openshift.architecture', 'aarch64'],
      ['nodes.2.firmware', 'bios'],
    ],
    at: 'nodes.2.firmware',
    good: [['nodes.2.firmware', 'bios']],
  },
];
