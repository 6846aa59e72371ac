import { catalogue } from '../../i18n/catalogue.ts';
import { isSingleNode, type NodeRole } from '../choices.ts';
import type { Design } from '../model.ts';
import {
  isDevicePath,
  isDnsLabel,
  isDomain,
  isKernelArgument,
  isLabelValue,
  isQualifiedName,
} from '../text-formats.ts';
import { getVersionProfile, isOkd } from '../versions.ts';
import { createNodeGroupRule, createNodeRule, MINIMUM_RESOURCES, type Rule } from './rule.ts';

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

const PARTITION = /^\/dev\/(?:(?:sd|vd|xvd|hd)[a-z]+\d+|(?:nvme\d+n\d+|mmcblk\d+|nbd\d+)p\d+|disk\/.*-part\d+)$/;
const NON_DISK_DEVICE =
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
      const formatMessage = PARTITION.test(disk)
        ? words().installDiskWhole.partition
        : words().installDiskWhole.message;
      if (!isDevicePath(disk) || (!PARTITION.test(disk) && !NON_DISK_DEVICE.test(disk))) return [];
      return [{ at: ['installDisk'], group: disk, message: formatMessage(disk), fix: words().installDiskWhole.fix }];
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
    const isWithoutGrub = bastion.os === 'rhel8' && openshift.architecture === 'aarch64';
    const isRefused = !isOkd(openshift.version) && boot.kind === 'ipxe' && (bastion.os === 'debian' || isWithoutGrub);
    const problem = { at: ['secureBoot'], group: '', message: isWithoutGrub ? messageArm : message, fix };
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
    const problem = { at: ['secureBoot'], group: '', message, fix };
    return ({ secureBoot }) => (secureBoot && isOkd(openshift.version) ? [problem] : []);
  },
);

/** The documented minimum of an arbiter. Source: openshift-docs modules/upi-install-config-local-arbiter-node.adoc. */
const ARBITER_MINIMUM = [2, 8, 50] as const;

/**
 * Creates a lookup of the documented minimums: vCPU, GiB of memory, GiB of disk. The documentation counts infra and
 * storage nodes as compute nodes.
 */
export function createMinimumLookup({
  nodes,
  topology,
  openshift,
}: Design): (role: NodeRole) => readonly [number, number, number] {
  const { singleNodeVcpu, minDiskGiB } = getVersionProfile(openshift.version);
  const isSingle = isSingleNode(topology) && nodes.filter(({ role }) => role === 'control-plane').length === 1;
  return (role) => {
    if (role === 'control-plane') return [isSingle ? singleNodeVcpu : 4, 16, minDiskGiB];
    if (role === 'arbiter') return ARBITER_MINIMUM;
    return role === 'bootstrap' ? [4, 16, minDiskGiB] : [2, 8, minDiskGiB];
  };
}

const nodeSize = createNodeGroupRule(
  {
    id: 'node-size',
    dependsOn: [['openshift'], ['topology'], ['nodes']],
    severity: 'warning',
    source: MINIMUM_RESOURCES,
    title: () => words().sizing.title,
  },
  (design) => {
    const getMinimum = createMinimumLookup(design);
    const { vcpu: vcpuWords, memory, disk, fix } = words().sizing;
    return ({ role, vcpu, memoryGiB, diskGiB }) => {
      const [minimumVcpu, minimumMemory, minimumDisk] = getMinimum(role);
      return [
        ...(vcpu < minimumVcpu ? [{ at: ['vcpu'], message: vcpuWords(vcpu, minimumVcpu, role) }] : []),
        ...(memoryGiB < minimumMemory ? [{ at: ['memoryGiB'], message: memory(memoryGiB, minimumMemory, role) }] : []),
        ...(diskGiB < minimumDisk ? [{ at: ['diskGiB'], message: disk(diskGiB, minimumDisk, role) }] : []),
      ].map((problem) => ({ ...problem, group: problem.message, fix }));
    };
  },
);

const LIVE_SYSTEM_GIB = 2;

const liveMemory = createNodeGroupRule(
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

// In GiB, more than the largest servers have; in MiB, the memory of the smallest cluster machines.
const LIKELY_MIB = 8192;

const sizeUnit = createNodeGroupRule(
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
      const recommendedSize = sizes.find((size) => workerCount <= size.workers) ?? sizes.at(-1);
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
        { at: [vcpu < recommendedSize.vcpu ? 'vcpu' : 'memoryGiB'], group: message, message, fix: words().scale.fix },
      ];
    };
  },
);

export const nodeRules: readonly Rule[] = [
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

/** A DNS label has at most 63 characters; the prefix `router-` takes 7 of them. */
const MAX_ROUTER_NAME_LENGTH = 56;

const taint: Rule = {
  id: 'taint',
  severity: 'error',
  source: 'Kubernetes: qualified names and label values',
  title: () => words().taint.title,
  check({ infra }, report) {
    const { key, value } = infra.taint;
    if (!isQualifiedName(key))
      report(['infra', 'taint', 'key'], { message: words().taint.message(key), fix: words().taint.fix });
    if (!isLabelValue(value)) {
      report(['infra', 'taint', 'value'], { message: words().taint.message(value), fix: words().taint.fix });
    }
  },
};

const storageClass: Rule = {
  id: 'storage-class',
  severity: 'error',
  source: 'Kubernetes: StorageClass names are DNS subdomains',
  title: () => words().storageClass.title,
  check({ infra }, report) {
    for (const part of ['registry', 'monitoring'] as const) {
      const name = infra[part].storageClass;
      if (name === null || isDomain(name)) continue;
      report(['infra', part, 'storageClass'], {
        message: words().storageClass.message(name),
        fix: words().storageClass.fix,
      });
    }
  },
};

const routerReplicas: Rule = {
  id: 'router-replicas',
  dependsOn: [['nodes']],
  severity: 'warning',
  source: 'openshift/cluster-ingress-operator pkg/operator/controller/ingress: HostNetwork, one router per node',
  title: () => words().routerReplicas.title,
  check({ nodes, infra }, report) {
    const count = nodes.filter(({ role }) => role === 'infra').length;
    if (count === 0 || infra.routerReplicas === null || infra.routerReplicas <= count) return;
    const message = words().routerReplicas.message(infra.routerReplicas, count);
    report(['infra', 'routerReplicas'], { message, fix: words().routerReplicas.fix });
  },
};

const routers: Rule = {
  id: 'routers',
  severity: 'error',
  source: 'Kubernetes: an IngressController has a Deployment router-NAME, a DNS label',
  title: () => words().routers.title,
  check({ infra }, report) {
    for (const [index, name] of infra.routers.entries()) {
      const isValid =
        isDnsLabel(name) && name.length <= MAX_ROUTER_NAME_LENGTH && infra.routers.indexOf(name) === index;
      if (isValid) continue;
      report(['infra', 'routers', index], { message: words().routers.message(name), fix: words().routers.fix });
    }
  },
};

const infraPool: Rule = {
  id: 'infra-pool',
  dependsOn: [['nodes']],
  severity: 'error',
  source: 'openshift/machine-config-operator: a node belongs to the pool that selects it, or to none',
  title: () => words().infraPool.title,
  check({ nodes, infra }, report) {
    if (infra.pool || infra.keepWorkerRole || !nodes.some(({ role }) => role === 'infra')) return;
    report(['infra', 'keepWorkerRole'], { message: words().infraPool.message, fix: words().infraPool.fix });
  },
};

const registryStorage: Rule = {
  id: 'registry-storage',
  severity: 'warning',
  source: 'openshift-docs modules/installation-registry-storage-non-production.adoc',
  title: () => words().registryStorage.title,
  check({ infra }, report) {
    if (infra.registry.storage !== 'emptyDir') return;
    const problem = { message: words().registryStorage.message, fix: words().registryStorage.fix };
    report(['infra', 'registry', 'storage'], problem);
  },
};

export const infraRules: readonly Rule[] = [taint, storageClass, routerReplicas, routers, infraPool, registryStorage];
