import { catalogue } from '../../text/catalogue.ts';
import type { Design, NodeRole } from '../model.ts';
import { isDevice, isKernelArgument } from '../text-forms.ts';
import { versionProfile } from '../versions.ts';
import { MINIMUM } from './origins.ts';
import { perCause, perNode } from './per-node.ts';
import type { Rule } from './rule.ts';

const words = () => catalogue().designRules;

const COREOS_INSTALLER = 'coreos/coreos-installer scripts/coreos-installer-service';

const installDisk = perNode(
  {
    id: 'install-disk',
    severity: 'error',
    source: `${COREOS_INSTALLER}: install_dev`,
    title: () => words().installDisk.title,
  },
  ({ installDisk: disk }, report) => {
    if (isDevice(disk)) return;
    report(['installDisk'], { message: words().installDisk.message(disk), fix: words().installDisk.fix });
  },
);

const PARTITION = /^\/dev\/(?:(?:sd|vd|xvd|hd)[a-z]+\d+|(?:nvme\d+n\d+|mmcblk\d+|nbd\d+)p\d+|disk\/.*-part\d+)$/;
const NO_DISK =
  /^\/dev\/(?:sr\d+|cdrom|dvd|fd\d*|loop.*|ram\d*|zram\d*|null|zero|full|u?random|tty.*|console|kmsg|mem|std.*|disk|disk\/by-[a-z]+|mapper|nvme\d+)$/;

const installDiskWhole = perCause(
  {
    id: 'install-disk-whole',
    severity: 'error',
    source: `${COREOS_INSTALLER}: the image is that of a whole disk`,
    title: () => words().installDiskWhole.title,
  },
  () =>
    ({ installDisk: disk }) => {
      const said = PARTITION.test(disk) ? words().installDiskWhole.partition : words().installDiskWhole.message;
      if (!isDevice(disk) || (!PARTITION.test(disk) && !NO_DISK.test(disk))) return [];
      return [{ at: ['installDisk'], group: disk, message: said(disk), fix: words().installDiskWhole.fix }];
    },
);

const kernelArgument = perNode(
  {
    id: 'kernel-argument',
    severity: 'error',
    source: 'the arguments pass through iPXE, GRUB and the kernel, which split and expand differently',
    title: () => words().kernelArgument.title,
  },
  ({ kernelArguments }, report) => {
    for (const [index, text] of kernelArguments.entries()) {
      if (isKernelArgument(text)) continue;
      const said = { message: words().kernelArgument.message(text), fix: words().kernelArgument.fix };
      report(['kernelArguments', index], said);
    }
  },
);

// The last of two wins, or both are taken: either way it is not what the rest of the design says.
const OURS =
  /^(?:coreos\.inst|coreos\.inst\.(?:install_dev|ignition_url|image_url|stream|stream_base_url)|coreos\.live\..*|initrd|ignition\..*|rd\.neednet)$/;
const OURS_WITHOUT_DHCP = /^(?:ip|nameserver)$/;
const OURS_WITH_LINKS = /^(?:bond|vlan)$/;

const kernelArgumentOurs = perNode(
  {
    id: 'kernel-argument-ours',
    restsOn: [['services', 'dhcp']],
    severity: 'error',
    source: `${COREOS_INSTALLER}; dracut.cmdline(7)`,
    title: () => words().kernelArgumentOurs.title,
  },
  ({ kernelArguments, bond, vlan }, report, { services }) => {
    for (const [index, text] of kernelArguments.entries()) {
      const [key = ''] = text.split('=');
      const isOurs =
        OURS.test(key) ||
        (services.dhcp.kind === 'none' && OURS_WITHOUT_DHCP.test(key)) ||
        ((bond !== null || vlan !== null) && OURS_WITH_LINKS.test(key));
      if (!isOurs || !isKernelArgument(text)) continue;
      const said = { message: words().kernelArgumentOurs.message(key), fix: words().kernelArgumentOurs.fix };
      report(['kernelArguments', index], said);
    }
  },
);

const secureBootBios = perNode(
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

const secureBootIpxe = perCause(
  {
    id: 'secure-boot-ipxe',
    restsOn: [['openshift'], ['services', 'boot'], ['services', 'bastion']],
    severity: 'warning',
    source: 'rhboot/shim: what it starts is signed by a key of its vendor or of the machine',
    title: () => words().secureBootIpxe.title,
  },
  ({ services: { boot, bastion }, openshift }) => {
    const { message, messageArm, fix } = words().secureBootIpxe;
    const isWithoutGrub = bastion.os === 'rhel8' && openshift.architecture === 'aarch64';
    const isRefused = boot.kind === 'ipxe' && (bastion.os === 'debian' || isWithoutGrub);
    const fault = { at: ['secureBoot'], group: '', message: isWithoutGrub ? messageArm : message, fix };
    return ({ secureBoot }) => (secureBoot && isRefused ? [fault] : []);
  },
);

/** The documented minimum in vCPU, GiB of memory and GiB of disk; infra and storage nodes are compute nodes to the documents. */
function minimums({ nodes, topology, openshift }: Design): (role: NodeRole) => readonly [number, number, number] {
  const { singleNodeVcpu, leastDiskGiB } = versionProfile(openshift.version);
  const isSingle = topology === 'single-node' && nodes.filter(({ role }) => role === 'control-plane').length === 1;
  return (role) => {
    if (role === 'control-plane') return [isSingle ? singleNodeVcpu : 4, 16, leastDiskGiB];
    return role === 'bootstrap' ? [4, 16, leastDiskGiB] : [2, 8, leastDiskGiB];
  };
}

const sizing = perCause(
  {
    id: 'node-size',
    restsOn: [['openshift'], ['topology'], ['nodes']],
    severity: 'warning',
    source: MINIMUM,
    title: () => words().sizing.title,
  },
  (design) => {
    const minimumOf = minimums(design);
    const { vcpu: vcpuWords, memory, disk, fix } = words().sizing;
    return ({ role, vcpu, memoryGiB, diskGiB }) => {
      const [leastVcpu, leastMemory, leastDisk] = minimumOf(role);
      return [
        ...(vcpu < leastVcpu ? [{ at: ['vcpu'], message: vcpuWords(vcpu, leastVcpu, role) }] : []),
        ...(memoryGiB < leastMemory ? [{ at: ['memoryGiB'], message: memory(memoryGiB, leastMemory, role) }] : []),
        ...(diskGiB < leastDisk ? [{ at: ['diskGiB'], message: disk(diskGiB, leastDisk, role) }] : []),
      ].map((fault) => ({ ...fault, group: fault.message, fix }));
    };
  },
);

const LIVE_SYSTEM_GIB = 2;

const liveMemory = perCause(
  {
    id: 'node-memory',
    severity: 'error',
    source: 'docs.fedoraproject.org, Fedora CoreOS on bare metal: 2 GiB for a live system with rootfs_url',
    title: () => words().liveMemory.title,
  },
  () =>
    ({ memoryGiB }) =>
      memoryGiB >= LIVE_SYSTEM_GIB
        ? []
        : [
            {
              at: ['memoryGiB'],
              group: '',
              message: words().liveMemory.message(memoryGiB),
              fix: words().liveMemory.fix,
            },
          ],
);

// The largest servers have less; the smallest machines of a cluster have this many MiB.
const LIKELY_MIB = 8192;

const sizeUnit = perCause(
  {
    id: 'node-size-unit',
    severity: 'warning',
    source: 'hypervisors ask for MiB, the design for GiB',
    title: () => words().sizeUnit.title,
  },
  () =>
    ({ memoryGiB }) => {
      if (memoryGiB < LIKELY_MIB) return [];
      const message = words().sizeUnit.message(memoryGiB);
      const fix = words().sizeUnit.fix(Math.floor(memoryGiB / 1024));
      return [{ at: ['memoryGiB'], group: message, message, fix }];
    },
);

const scale = perCause(
  {
    id: 'node-scale',
    restsOn: [['openshift'], ['nodes']],
    severity: 'warning',
    source: 'openshift-docs, "Recommended control plane practices", "Recommended infrastructure practices"',
    title: () => words().scale.title,
  },
  ({ nodes, openshift }) => {
    const { controlPlaneSizes, infraSizes } = versionProfile(openshift.version);
    // What the tables count are the nodes that applications run on.
    const workers = nodes.filter(({ role }) => role === 'compute' || role === 'storage').length;
    return ({ role, vcpu, memoryGiB }) => {
      if (role !== 'control-plane' && role !== 'infra') return [];
      const sizes = role === 'infra' ? infraSizes : controlPlaneSizes;
      const wanted = sizes.find((size) => workers <= size.workers) ?? sizes.at(-1);
      // Small clusters: the minimum is enough.
      if (wanted === undefined || wanted === sizes[0]) return [];
      if (vcpu >= wanted.vcpu && memoryGiB >= wanted.memoryGiB) return [];
      const message = words().scale.message(role, vcpu, memoryGiB, workers, wanted.vcpu, wanted.memoryGiB);
      return [{ at: [vcpu < wanted.vcpu ? 'vcpu' : 'memoryGiB'], group: message, message, fix: words().scale.fix }];
    };
  },
);

export const nodeRules: readonly Rule[] = [
  sizing,
  sizeUnit,
  liveMemory,
  scale,
  installDisk,
  installDiskWhole,
  secureBootBios,
  secureBootIpxe,
  kernelArgument,
  kernelArgumentOurs,
];
