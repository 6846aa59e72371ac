/** Words of the rules about nodes: how many, how large, how they start. */
export const nodesWords = {
  bootstrapCount: {
    title: 'There is exactly one bootstrap machine, and none with single-node',
    message: (count: number) => `There are ${count} bootstrap machines; there has to be one`,
    messageSingle: 'A single-node cluster installs itself: it has no bootstrap machine',
    fix: 'Give one node the role bootstrap (it is only needed during the installation).',
    fixSingle: 'Remove the bootstrap machine, or choose another topology.',
  },
  controlPlaneCount: {
    title: 'The control plane has three or five nodes, one with single-node',
    message: (count: number) => `The control plane has ${count} nodes; it needs 3 (or 5)`,
    messageSingle: (count: number) => `A single-node cluster has one control plane node, not ${count}`,
    fix: 'etcd needs an odd number to outlive the loss of a node: 3 are usual. One is possible with `topology: single-node`.',
  },
  topologyNodes: {
    title: 'The nodes are those of the topology',
    noCompute: 'The standard topology needs compute nodes',
    fixNoCompute: 'Add nodes with the role compute (two or more), or use `topology: compact`.',
    extra: (topology: string) => `The topology ${topology} has no compute, infra or storage nodes`,
    fixExtra: 'Use `topology: standard`, or remove these nodes.',
  },
  computeCount: {
    title: 'Two compute nodes or more, so that one may fail',
    message: 'With one compute node the two routers have no second machine, and applications stop when it restarts',
    fix: 'Plan at least two compute nodes.',
  },
  sizing: {
    title: 'Nodes have at least the documented minimum',
    vcpu: (has: number, least: number, role: string) => `${has} vCPU are fewer than the minimum of ${least} (${role})`,
    memory: (has: number, least: number, role: string) =>
      `${has} GiB of memory are less than the minimum of ${least} (${role})`,
    disk: (has: number, least: number, role: string) =>
      `${has} GiB of disk are less than the minimum of ${least} (${role})`,
    fix: 'The installation may stall or run out of room; give the machine more.',
  },
  installDisk: {
    title: 'The install disk is a device under /dev',
    message: (text: string) => `"${text}" is not a device`,
    fix: 'Give a path such as /dev/sda, /dev/nvme0n1 or /dev/disk/by-id/…',
  },
  secureBootBios: {
    title: 'Secure Boot needs UEFI',
    message: 'Secure Boot does not exist with BIOS firmware',
    fix: 'Set `firmware: uefi` or `secureBoot: false`.',
  },
  secureBootIpxe: {
    title: 'Secure Boot does not start iPXE',
    message: 'The iPXE of the distributions is not signed: with Secure Boot the machine will refuse it',
    fix: 'Switch Secure Boot off for the installation, or use `boot: { kind: iso }`.',
  },
  kernelArgument: {
    title: 'Kernel arguments are single words that need no quoting',
    message: (text: string) => `"${text}" cannot be passed as a kernel argument`,
    fix: 'One list entry per argument, of letters, digits and . , : = / @ + % [ ] _ - only.',
  },
} as const;
