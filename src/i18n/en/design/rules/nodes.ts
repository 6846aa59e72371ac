import { plural } from '../../ui.ts';

/** Messages of the rules about nodes: number, size, firmware and boot. */
export const nodesWords = {
  bootstrapCount: {
    title: 'There is exactly one bootstrap machine; with the topology single-node there is none',
    message: (count: number) =>
      count === 0
        ? 'There is no bootstrap machine; there has to be one'
        : `The design has ${count} bootstrap machines; exactly one is needed`,
    messageSingle: 'With the topology single-node, the node installs itself: it has no bootstrap machine',
    fix: 'Give one node the role bootstrap (it is only needed during the installation).',
    fixMany: 'Delete all but one of them, or give the others another role.',
    fixSingle: 'Remove the bootstrap machine, or choose the topology single-node-bootstrap.',
  },
  controlPlaneCount: {
    title:
      'The control plane has three nodes, four or five from 4.18, two with arbiter or fencing, one on a single node',
    /** @param release product and minor version, such as OpenShift 4.18 */
    message: (count: number, release: string, maximum: number) =>
      `The control plane has ${plural(count, 'node')}; ${release} supports ${maximum === 3 ? '3' : '3, 4 or 5'}`,
    messageSingle: (count: number) => `A single-node cluster has one control plane node, not ${count}`,
    messageArbiter: (count: number) => `A cluster with an arbiter has two control plane nodes, not ${count}`,
    messageFencing: (count: number) => `A cluster with fencing has two control plane nodes, not ${count}`,
    fixArbiter: 'Plan two nodes with the role control-plane, or choose the topology compact for three.',
    fix: 'Plan 3 nodes with the role control-plane: etcd then survives the loss of one. One node is possible with the topology single-node.',
  },
  topologyNodes: {
    title: 'The nodes fit the topology',
    noCompute: 'The standard topology needs compute nodes',
    fixNoCompute: 'Add nodes with the role compute (two or more), or choose the topology compact.',
    extra: (topology: string) => `The topology ${topology} has no compute, infra or storage nodes`,
    fixExtra: 'Choose the topology standard, or remove these nodes.',
    arbiter: (topology: string) => `The topology ${topology} has no arbiter`,
    fixArbiter: 'Choose the topology arbiter (two control plane nodes and the arbiter), or give the node another role.',
  },
  addedCompute: {
    title: 'Compute nodes join a compact cluster after its installation',
    message: (topology: string, count: number) =>
      `The topology ${topology} is installed without compute nodes: ${count === 1 ? 'the one in the design joins' : `the ${count} in the design join`} the cluster later`,
    fix: 'The control plane continues to run applications and routers. To keep it free of them, choose the topology standard before the installation.',
  },
  arbiterCount: {
    title: 'A design with the topology arbiter has an arbiter node',
    message: 'There is no arbiter: two etcd members lose their quorum as soon as one of them fails',
    fix: 'Give one node the role arbiter (2 vCPU, 8 GiB of memory and 50 GiB of disk are enough), or choose another topology.',
  },
  arbiterMany: {
    title: 'One arbiter is supported',
    message: (count: number) => `The design has ${count} arbiters; OpenShift supports one`,
    fix: 'Remove all but one: two control plane nodes and one arbiter are three etcd members.',
  },
  computeCount: {
    title: 'Two compute nodes or more, so that one may fail',
    message: 'With one compute node the two routers have no second machine, and applications stop when it restarts',
    fix: 'Plan at least two compute nodes.',
  },
  sizing: {
    title: 'Nodes have at least the documented minimum',
    vcpu: (has: number, minimum: number, role: string) =>
      `${has} vCPU are fewer than the minimum of ${minimum} (${role})`,
    memory: (has: number, minimum: number, role: string) =>
      `${has} GiB of memory are less than the minimum of ${minimum} (${role})`,
    disk: (has: number, minimum: number, role: string) =>
      `${has} GiB of disk are less than the minimum of ${minimum} (${role})`,
    fix: 'Give the machine more: otherwise the installation may stall or run out of space.',
  },
  sizeUnit: {
    title: 'Memory is given in GiB',
    message: (has: number) => `${has} GiB of memory is more than any machine has`,
    fix: (gib: number) => `The unit is GiB: if these are MiB, write ${gib}.`,
  },
  installDisk: {
    title: 'The install disk is a device under /dev',
    message: (text: string) => `"${text}" is not a device`,
    fix: 'Use a path such as /dev/sda, /dev/nvme0n1 or /dev/disk/by-id/…',
  },
  secureBootBios: {
    title: 'Secure Boot needs UEFI',
    message: 'Secure Boot does not exist with BIOS firmware',
    fix: 'Choose the firmware uefi, or turn Secure Boot off.',
  },
  secureBootIpxe: {
    title: 'Secure Boot over the network needs the shim and GRUB of RHEL',
    message:
      'The shim of Debian does not trust the kernel of RHCOS, which Red Hat signed: with Secure Boot the shim refuses that kernel',
    messageArm: 'RHEL 8 has no signed GRUB for aarch64 machines',
    fix: 'Use a bastion with RHEL, turn Secure Boot off for the installation, or choose iso for boot.',
  },
  secureBootOkd: {
    title: 'Secure Boot is off for SCOS, the system of OKD',
    message: 'SCOS is not known to start with Secure Boot: firmware or shim refuse it with "bad shim signature"',
    fix: 'Turn Secure Boot off, in the design and in the firmware of the machine.',
  },
  kernelArgument: {
    title: 'Kernel arguments are single words that need no quoting',
    message: (text: string) => `"${text}" cannot be passed as a kernel argument`,
    fix: 'Use one list entry per argument, of letters, digits and . , : = / @ + % [ ] _ - only.',
  },
  controlPlaneMany: {
    title: 'The number of control plane nodes is supported, and more than three survive more failures',
    even: 'Four control plane nodes survive the loss of one, as three do',
    fixEven: 'Use 3, or 5 to survive the loss of two.',
    unsupported: (version: string) => `Five control plane nodes are supported from 4.18 on, not with ${version}`,
    fixUnsupported: 'Use 3.',
  },
  infraCount: {
    title: 'There are at least three infra nodes and three storage nodes',
    message: (count: number, role: string) =>
      count === 1 ? `There is one ${role} node` : `There are ${count} ${role} nodes`,
    fix: {
      infra: 'Three are recommended: routers, registry and monitoring then survive the loss of one.',
      storage: 'OpenShift Data Foundation keeps three copies: it needs three storage nodes.',
    },
  },
  liveMemory: {
    title: 'Every machine has the memory that the live system needs',
    message: (has: number) => `With ${has} GiB of memory the live system that installs the node does not start`,
    fix: 'Give the machine the documented minimum: 16 GiB, or 8 GiB for compute nodes.',
  },
  scale: {
    title: 'Control plane and infra nodes are large enough for the number of workers',
    message: (role: string, vcpu: number, memory: number, workers: number, wantVcpu: number, wantMemory: number) =>
      `${vcpu} vCPU and ${memory} GiB (${role}); with ${workers} workers ${wantVcpu} vCPU and ${wantMemory} GiB are recommended`,
    fix: 'Give the machines more CPU and memory: otherwise a large cluster stalls while a node restarts.',
  },
  installDiskWhole: {
    title: 'The install disk is a whole disk',
    partition: (text: string) => `${text} is a partition`,
    message: (text: string) => `A node cannot be installed on ${text}`,
    fix: 'Use the disk itself, such as /dev/sda or /dev/nvme0n1: all of it is overwritten.',
  },
  kernelArgumentReserved: {
    title: 'Kernel arguments do not repeat what the design sets',
    message: (key: string) => `The design sets ${key}; a second one would contradict it`,
    fix: 'Remove it; the design has keys for disk, addresses, name servers, bond and VLAN.',
  },
  architectureVersion: {
    title: 'This version supports the architecture',
    /** @param release product and minor version, such as OpenShift 4.9 */
    message: (release: string, architecture: string) => `${release} does not support ${architecture} on bare metal`,
    fix: 'Use 4.10 or later, or x86_64.',
    fixOkd: 'Use x86_64: OKD is published for no other architecture.',
  },
  streamVersion: {
    title: 'This version lets install-config choose the stream of RHCOS',
    /** @param release product and minor version, such as OpenShift 4.18 */
    message: (release: string) => `The installer of ${release} does not support osImageStream`,
    fixOkd: 'Remove osImageStream: a version of OKD has one stream.',
    fix: 'Remove osImageStream, or use 4.22 or later. 4.21.2 has streams only for a running cluster.',
  },
  streamPreview: {
    title: 'A stream that is a Technology Preview is chosen on purpose',
    message: (version: string) =>
      `RHCOS 10 is a Technology Preview in OpenShift ${version}: install-config gets featureSet TechPreviewNoUpgrade, and the cluster can never be updated to another minor version`,
    fix: 'Remove osImageStream, unless this is a test cluster.',
  },
  streamPower: {
    title: 'Power9 machines use the stream rhel-9',
    message: 'RHCOS 10 does not run on Power9',
    fix: 'With Power9 machines choose rhel-9. With Power10 or later only, this warning does not matter.',
  },
  architectureBoot: {
    title: 'iPXE exists for the architecture',
    message: (architecture: string) => `There is no iPXE for ${architecture}`,
    fix: 'Choose iso for boot. IBM Power boots over the network with GRUB, IBM Z from its console: both by hand.',
  },
  architectureIpxe: {
    title: 'The bastion’s system has iPXE for the architecture',
    message: (os: string) => `${os} has no package with iPXE for aarch64`,
    fix: 'Use a bastion with RHEL 9 or 10, copy ipxe-arm64.efi into its TFTP directory by hand, or choose iso for boot.',
  },
  architectureFirmware: {
    title: '64-bit ARM machines start with UEFI',
    message: 'aarch64 machines have no BIOS',
    fix: 'Choose the firmware uefi.',
  },
  fipsHost: {
    title: 'With FIPS the installer runs on a machine in FIPS mode (from 4.16)',
    message: 'openshift-install refuses to create a FIPS cluster on a machine that is not in FIPS mode itself',
    messageDebian: (name: string) =>
      `openshift-install requires RHEL in FIPS mode for a FIPS cluster, and ${name} is Debian`,
    fix: 'Install RHEL on the bastion with "fips=1"; then use openshift-install-fips.',
  },
};
