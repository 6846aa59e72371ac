import { catalogue } from '../../i18n/catalogue.ts';
import { isSingleNode, type NodeRole, type NodeSize } from '../choices.ts';
import type { Design } from '../model.ts';
import { isDevicePath, isKernelArgument } from '../text-formats.ts';
import { getVersionProfile, isOkd } from '../versions.ts';
import { createNodeGroupRule, createNodeRule, type DesignRule, MINIMUM_RESOURCES_DOCS } from './rule.ts';

const words = () => catalogue().designRules;

const COREOS_INSTALLER = 'coreos/coreos-installer scripts/coreos-installer-service';

const installDisk = createNodeRule(
  {
    id: 'install-disk',
    severity: 'error',
    source: `${COREOS_INSTALLER}: install_dev`,
    title: () => words().installDisk.title,
  },
  ({ installDisk: disk }, report) => {
    if (isDevicePath(disk)) return;
    report(['installDisk'], { message: words().installDisk.message(disk), fix: words().installDisk.fix });
  },
);

const PARTITION_PATTERN =
  /^\/dev\/(?:(?:sd|vd|xvd|hd)[a-z]+\d+|(?:nvme\d+n\d+|mmcblk\d+|nbd\d+)p\d+|disk\/.*-part\d+)$/;
const NON_DISK_DEVICE_PATTERN =
  /^\/dev\/(?:sr\d+|cdrom|dvd|fd\d*|loop.*|ram\d*|zram\d*|null|zero|full|u?random|tty.*|console|kmsg|mem|std.*|disk|disk\/by-[a-z]+|mapper|nvme\d+)$/;

const installDiskWhole = createNodeGroupRule(
  {
    id: 'install-disk-whole',
    severity: 'error',
    source: `${COREOS_INSTALLER}: the image is that of a whole disk`,
    title: () => words().installDiskWhole.title,
  },
  () =>
    ({ installDisk: disk }) => {
      const formatMessage = PARTITION_PATTERN.test(disk)
        ? words().installDiskWhole.partition
        : words().installDiskWhole.message;
      if (!isDevicePath(disk) || (!PARTITION_PATTERN.test(disk) && !NON_DISK_DEVICE_PATTERN.test(disk))) return [];
      return [{ path: ['installDisk'], group: disk, message: formatMessage(disk), fix: words().installDiskWhole.fix }];
    },
);

const kernelArgument = createNodeRule(
  {
    id: 'kernel-argument',
    severity: 'error',
    source: 'the arguments pass through iPXE, GRUB and the kernel, which split and expand differently',
    title: () => words().kernelArgument.title,
  },
  ({ kernelArguments }, report) => {
    for (const [index, text] of kernelArguments.entries()) {
      if (isKernelArgument(text)) continue;
      const problem = { message: words().kernelArgument.message(text), fix: words().kernelArgument.fix };
      report(['kernelArguments', index], problem);
    }
  },
);

// The wizard sets these arguments. A second value overrides or extends the first, and then contradicts the rest of the
// design.
const RESERVED_ARGUMENTS =
  /^(?:coreos\.inst|coreos\.inst\.(?:install_dev|ignition_url|image_url|stream|stream_base_url)|coreos\.live\..*|initrd|ignition\..*|rd\.neednet)$/;
const RESERVED_WITHOUT_DHCP = /^(?:ip|nameserver)$/;
const RESERVED_WITH_LINKS = /^(?:bond|vlan)$/;

const kernelArgumentReserved = createNodeRule(
  {
    id: 'kernel-argument-ours',
    dependsOn: [['services', 'dhcp']],
    severity: 'error',
    source: `${COREOS_INSTALLER}; dracut.cmdline(7)`,
    title: () => words().kernelArgumentReserved.title,
  },
  ({ kernelArguments, bond, vlan }, report, { services }) => {
    for (const [index, text] of kernelArguments.entries()) {
      const [key = ''] = text.split('=');
      const isReserved =
        RESERVED_ARGUMENTS.test(key) ||
        (services.dhcp.kind === 'none' && RESERVED_WITHOUT_DHCP.test(key)) ||
        ((bond !== null || vlan !== null) && RESERVED_WITH_LINKS.test(key));
      if (!isReserved || !isKernelArgument(text)) continue;
      const problem = { message: words().kernelArgumentReserved.message(key), fix: words().kernelArgumentReserved.fix };
      report(['kernelArguments', index], problem);
    }
  },
);

const secureBootBios = createNodeRule(
  {
    id: 'secure-boot-bios',
    severity: 'error',
    source: 'UEFI specification chapter 32',
    title: () => words().secureBootBios.title,
  },
  ({ firmware, secureBoot }, report) => {
    if (!secureBoot || firmware !== 'bios') return;
    report(['secureBoot'], { message: words().secureBootBios.message, fix: words().secureBootBios.fix });
  },
);

const secureBootIpxe = createNodeGroupRule(
  {
    id: 'secure-boot-ipxe',
    dependsOn: [['openshift'], ['services', 'boot'], ['services', 'bastion']],
    severity: 'warning',
    source: 'rhboot/shim: it starts only programs that are signed with a key of its vendor or of the machine',
    title: () => words().secureBootIpxe.title,
  },
  ({ services: { boot, bastion }, openshift }) => {
    const { message, messageArm, fix } = words().secureBootIpxe;
    const lacksGrub = bastion.os === 'rhel8' && openshift.architecture === 'aarch64';
    const isRefused = !isOkd(openshift.version) && boot.kind === 'ipxe' && (bastion.os === 'debian' || lacksGrub);
    const problem = { path: ['secureBoot'], group: '', message: lacksGrub ? messageArm : message, fix };
    return ({ secureBoot }) => (secureBoot && isRefused ? [problem] : []);
  },
);

const secureBootOkd = createNodeGroupRule(
  {
    id: 'secure-boot-okd',
    dependsOn: [['openshift']],
    severity: 'warning',
    source: 'okd-project/okd#2136, okd-project/okd-scos#8: "bad shim signature" of SCOS',
    title: () => words().secureBootOkd.title,
  },
  ({ openshift }) => {
    const { message, fix } = words().secureBootOkd;
    const problem = { path: ['secureBoot'], group: '', message, fix };
    return ({ secureBoot }) => (secureBoot && isOkd(openshift.version) ? [problem] : []);
  },
);

/** The documented minimum of an arbiter. Source: openshift-docs modules/upi-install-config-local-arbiter-node.adoc. */
const ARBITER_MINIMUM = { vcpu: 2, memoryGiB: 8, diskGiB: 50 } as const;

/**
 * Creates a lookup of the documented minimum size of a node, by its role. The documentation counts infra and storage
 * nodes as compute nodes.
 */
export function createMinimumSizeLookup({ nodes, topology, openshift }: Design): (role: NodeRole) => NodeSize {
  const { singleNodeVcpu, minDiskGiB } = getVersionProfile(openshift.version);
  const isSingle = isSingleNode(topology) && nodes.filter(({ role }) => role === 'control-plane').length === 1;
  return (role) => {
    if (role === 'arbiter') return ARBITER_MINIMUM;
    if (role === 'control-plane') return { vcpu: isSingle ? singleNodeVcpu : 4, memoryGiB: 16, diskGiB: minDiskGiB };
    const [vcpu, memoryGiB] = role === 'bootstrap' ? [4, 16] : [2, 8];
    return { vcpu, memoryGiB, diskGiB: minDiskGiB };
  };
}

const nodeSize = createNodeGroupRule(
  {
    id: 'node-size',
    dependsOn: [['openshift'], ['topology'], ['nodes']],
    severity: 'warning',
    source: MINIMUM_RESOURCES_DOCS,
    title: () => words().sizing.title,
  },
  (design) => {
    const getMinimum = createMinimumSizeLookup(design);
    const { vcpu: vcpuWords, memory, disk, fix } = words().sizing;
    return ({ role, vcpu, memoryGiB, diskGiB }) => {
      const minimum = getMinimum(role);
      return [
        ...(vcpu < minimum.vcpu ? [{ path: ['vcpu'], message: vcpuWords(vcpu, minimum.vcpu, role) }] : []),
        ...(memoryGiB < minimum.memoryGiB
          ? [{ path: ['memoryGiB'], message: memory(memoryGiB, minimum.memoryGiB, role) }]
          : []),
        ...(diskGiB < minimum.diskGiB ? [{ path: ['diskGiB'], message: disk(diskGiB, minimum.diskGiB, role) }] : []),
      ].map((problem) => ({ ...problem, group: problem.message, fix }));
    };
  },
);

const MIN_LIVE_SYSTEM_GIB = 2;

const liveMemory = createNodeGroupRule(
  {
    id: 'node-memory',
    severity: 'error',
    source: 'docs.fedoraproject.org, Fedora CoreOS on bare metal: 2 GiB for a live system with rootfs_url',
    title: () => words().liveMemory.title,
  },
  () =>
    ({ memoryGiB }) =>
      memoryGiB >= MIN_LIVE_SYSTEM_GIB
        ? []
        : [
            {
              path: ['memoryGiB'],
              group: '',
              message: words().liveMemory.message(memoryGiB),
              fix: words().liveMemory.fix,
            },
          ],
);

// As GiB, more than the largest servers have; as MiB, the memory of the smallest nodes.
const MIN_LIKELY_MIB = 8192;

const sizeUnit = createNodeGroupRule(
  {
    id: 'node-size-unit',
    severity: 'warning',
    source: 'hypervisors ask for MiB, the design for GiB',
    title: () => words().sizeUnit.title,
  },
  () =>
    ({ memoryGiB }) => {
      if (memoryGiB < MIN_LIKELY_MIB) return [];
      const message = words().sizeUnit.message(memoryGiB);
      const fix = words().sizeUnit.fix(Math.floor(memoryGiB / 1024));
      return [{ path: ['memoryGiB'], group: message, message, fix }];
    },
);

const scale = createNodeGroupRule(
  {
    id: 'node-scale',
    dependsOn: [['openshift'], ['nodes']],
    severity: 'warning',
    source: 'openshift-docs, "Recommended control plane practices", "Recommended infrastructure practices"',
    title: () => words().scale.title,
  },
  ({ nodes, openshift }) => {
    const { controlPlaneSizes, infraSizes } = getVersionProfile(openshift.version);
    // The tables count only the nodes that run applications.
    const workerCount = nodes.filter(({ role }) => role === 'compute' || role === 'storage').length;
    return ({ role, vcpu, memoryGiB }) => {
      if (role !== 'control-plane' && role !== 'infra') return [];
      const sizes = role === 'infra' ? infraSizes : controlPlaneSizes;
      const recommendedSize = sizes.find((size) => workerCount <= size.maxWorkers) ?? sizes.at(-1);
      // Small clusters: the minimum is enough.
      if (recommendedSize === undefined || recommendedSize === sizes[0]) return [];
      if (vcpu >= recommendedSize.vcpu && memoryGiB >= recommendedSize.memoryGiB) return [];
      const message = words().scale.message(
        role,
        vcpu,
        memoryGiB,
        workerCount,
        recommendedSize.vcpu,
        recommendedSize.memoryGiB,
      );
      return [
        { path: [vcpu < recommendedSize.vcpu ? 'vcpu' : 'memoryGiB'], group: message, message, fix: words().scale.fix },
      ];
    };
  },
);

export const nodeRules: readonly DesignRule[] = [
  nodeSize,
  sizeUnit,
  liveMemory,
  scale,
  installDisk,
  installDiskWhole,
  secureBootBios,
  secureBootIpxe,
  secureBootOkd,
  kernelArgument,
  kernelArgumentReserved,
];
