import { designRules as words } from '../../text/en/design-rules.ts';
import type { Design, DesignNode } from '../model.ts';
import type { Path } from '../paths.ts';
import { isDevice, isInterface, isKernelArgument } from '../text-forms.ts';
import { minorOf, versionProfile } from '../versions.ts';
import type { Rule, Said } from './rule.ts';

const DRACUT = 'openshift-docs modules/installation-user-infra-machines-static-network.adoc';
const MINIMUM = 'openshift-docs modules/installation-minimum-resource-requirements.adoc';
const BOND_MODES = ['balance-rr', 'active-backup', 'balance-xor', 'broadcast', '802.3ad', 'balance-tlb', 'balance-alb'];

/** A rule that looks at one node at a time. */
function perNode(
  rule: Omit<Rule, 'check'>,
  check: (node: DesignNode, report: (at: Path, said: Said) => void, design: Design) => void,
): Rule {
  return {
    ...rule,
    check(design, report) {
      for (const [index, node] of design.nodes.entries()) {
        check(node, (at, said) => report(['nodes', index, ...at], said), design);
      }
    },
  };
}

const installDisk = perNode(
  {
    id: 'install-disk',
    severity: 'error',
    source: 'coreos/coreos-installer scripts/coreos-installer-service: install_dev',
    title: words.installDisk.title,
  },
  ({ installDisk }, report) => {
    if (isDevice(installDisk)) return;
    report(['installDisk'], { message: words.installDisk.message(installDisk), fix: words.installDisk.fix });
  },
);

const interfaceName = perNode(
  { id: 'interface-name', severity: 'error', source: DRACUT, title: words.interfaceName.title },
  (node, report) => {
    const names: { at: Path; name: string }[] = [
      ...(node.interface === null ? [] : [{ at: ['interface'], name: node.interface }]),
      ...(node.bond === null ? [] : [{ at: ['bond', 'name'], name: node.bond.name }]),
      ...(node.bond?.interfaces ?? []).map((name, index) => ({ at: ['bond', 'interfaces', index], name })),
    ];
    for (const { at, name } of names) {
      if (!isInterface(name)) report(at, { message: words.interfaceName.message(name), fix: words.interfaceName.fix });
    }
  },
);

const bondMode = perNode(
  {
    id: 'bond-mode',
    severity: 'error',
    source: 'Linux Documentation/networking/bonding.rst',
    title: words.bondMode.title,
  },
  ({ bond }, report) => {
    if (bond === null || BOND_MODES.includes(bond.mode)) return;
    const fix = words.bondMode.fix(BOND_MODES.join(', '));
    report(['bond', 'mode'], { message: words.bondMode.message(bond.mode), fix });
  },
);

const bondInterfaces = perNode(
  {
    id: 'bond-interfaces',
    severity: 'error',
    source: 'Linux Documentation/networking/bonding.rst: an interface joins a bond once',
    title: words.bondInterfaces.title,
  },
  ({ bond }, report) => {
    for (const [index, name] of (bond?.interfaces ?? []).entries()) {
      if (bond?.interfaces.indexOf(name) === index) continue;
      report(['bond', 'interfaces', index], {
        message: words.bondInterfaces.message(name),
        fix: words.bondInterfaces.fix,
      });
    }
  },
);

const kernelArgument = perNode(
  {
    id: 'kernel-argument',
    severity: 'error',
    source: 'the arguments pass through iPXE, GRUB and the kernel, which split and expand differently',
    title: words.kernelArgument.title,
  },
  ({ kernelArguments }, report) => {
    for (const [index, text] of kernelArguments.entries()) {
      if (isKernelArgument(text)) continue;
      const said = { message: words.kernelArgument.message(text), fix: words.kernelArgument.fix };
      report(['kernelArguments', index], said);
    }
  },
);

const vlanInterface = perNode(
  { id: 'vlan-interface', severity: 'error', source: DRACUT, title: words.vlanInterface.title },
  ({ vlan, bond, interface: name }, report) => {
    if (vlan === null || bond !== null || name !== null) return;
    report(['vlan'], { message: words.vlanInterface.message(vlan), fix: words.vlanInterface.fix });
  },
);

const staticInterface = perNode(
  {
    id: 'static-interface',
    restsOn: [['services', 'dhcp']],
    severity: 'warning',
    source: DRACUT,
    title: words.staticInterface.title,
  },
  ({ bond, interface: name }, report, design) => {
    if (design.services.dhcp.kind !== 'none' || bond !== null || name !== null) return;
    report([], { message: words.staticInterface.message, fix: words.staticInterface.fix });
  },
);

const secureBootBios = perNode(
  {
    id: 'secure-boot-bios',
    severity: 'error',
    source: 'UEFI specification chapter 32',
    title: words.secureBootBios.title,
  },
  ({ secureBoot, firmware }, report) => {
    if (!secureBoot || firmware !== 'bios') return;
    report(['secureBoot'], { message: words.secureBootBios.message, fix: words.secureBootBios.fix });
  },
);

const secureBootIpxe = perNode(
  {
    id: 'secure-boot-ipxe',
    restsOn: [['services', 'boot']],
    severity: 'warning',
    source: 'iPXE of the distributions carries no signature of the Microsoft CA',
    title: words.secureBootIpxe.title,
  },
  ({ secureBoot }, report, design) => {
    if (!secureBoot || design.services.boot.kind !== 'ipxe') return;
    report(['secureBoot'], { message: words.secureBootIpxe.message, fix: words.secureBootIpxe.fix });
  },
);

/** The documented minimum in vCPU, GiB of memory and GiB of disk; infra and storage nodes are compute nodes to the documents. */
function minimumOf(role: DesignNode['role'], design: Design): readonly [number, number, number] {
  if (design.topology === 'single-node') return [versionProfile(design.openshift.version).singleNodeVcpu, 16, 100];
  return role === 'bootstrap' || role === 'control-plane' ? [4, 16, 100] : [2, 8, 100];
}

const sizing = perNode(
  {
    id: 'node-size',
    restsOn: [['openshift'], ['topology'], ['nodes']],
    severity: 'warning',
    source: MINIMUM,
    title: words.sizing.title,
  },
  ({ role, vcpu, memoryGiB, diskGiB }, report, design) => {
    const [leastVcpu, leastMemory, leastDisk] = minimumOf(role, design);
    const { fix } = words.sizing;
    if (vcpu < leastVcpu) report(['vcpu'], { message: words.sizing.vcpu(vcpu, leastVcpu, role), fix });
    if (memoryGiB < leastMemory)
      report(['memoryGiB'], { message: words.sizing.memory(memoryGiB, leastMemory, role), fix });
    if (diskGiB < leastDisk) report(['diskGiB'], { message: words.sizing.disk(diskGiB, leastDisk, role), fix });
  },
);

const bootstrapCount: Rule = {
  id: 'bootstrap-count',
  restsOn: [['topology']],
  severity: 'error',
  source: MINIMUM,
  title: words.bootstrapCount.title,
  check({ nodes, topology }, report) {
    const said = words.bootstrapCount;
    const count = nodes.filter(({ role }) => role === 'bootstrap').length;
    if (topology === 'single-node') {
      if (count > 0) report(['nodes'], { message: said.messageSingle, fix: said.fixSingle });
    } else if (count !== 1) report(['nodes'], { message: said.message(count), fix: said.fix });
  },
};

const controlPlaneCount: Rule = {
  id: 'control-plane-count',
  restsOn: [['topology']],
  severity: 'error',
  source: `${MINIMUM}; openshift/assisted-service: sufficient-masters-count`,
  title: words.controlPlaneCount.title,
  check({ nodes, topology }, report) {
    const said = words.controlPlaneCount;
    const count = nodes.filter(({ role }) => role === 'control-plane').length;
    if (topology === 'single-node') {
      if (count !== 1) report(['nodes'], { message: said.messageSingle(count), fix: said.fix });
    } else if (count !== 3 && count !== 5) report(['nodes'], { message: said.message(count), fix: said.fix });
  },
};

const isWorker = ({ role }: DesignNode) => role === 'compute' || role === 'infra' || role === 'storage';

const topologyNodes: Rule = {
  id: 'topology-nodes',
  restsOn: [['topology'], ['nodes']],
  severity: 'error',
  source:
    'openshift/installer pkg/asset/manifests/scheduler.go: without compute nodes the control plane is schedulable',
  title: words.topologyNodes.title,
  check({ nodes, topology }, report) {
    const said = words.topologyNodes;
    const hasWorkers = nodes.some(isWorker);
    const hasCompute = nodes.some(({ role }) => role === 'compute');
    if (topology === 'standard' && !hasCompute) report(['nodes'], { message: said.noCompute, fix: said.fixNoCompute });
    if (topology !== 'standard' && hasWorkers)
      report(['topology'], { message: said.extra(topology), fix: said.fixExtra });
  },
};

const computeCount: Rule = {
  id: 'compute-count',
  restsOn: [['topology']],
  severity: 'warning',
  source: MINIMUM,
  title: words.computeCount.title,
  check({ nodes, topology }, report) {
    if (topology !== 'standard' || nodes.filter(({ role }) => role === 'compute').length !== 1) return;
    report(['nodes'], { message: words.computeCount.message, fix: words.computeCount.fix });
  },
};

const singleNodeVersion: Rule = {
  id: 'single-node-version',
  restsOn: [['topology'], ['nodes']],
  severity: 'error',
  source: 'openshift/installer release-4.8: bootstrapInPlace',
  title: words.singleNodeVersion.title,
  check({ topology, openshift }, report) {
    if (topology !== 'single-node' || minorOf(openshift.version) === null) return;
    const { hasSingleNode, minor } = versionProfile(openshift.version);
    if (hasSingleNode) return;
    report(['openshift', 'version'], {
      message: words.singleNodeVersion.message(minor),
      fix: words.singleNodeVersion.fix,
    });
  },
};

export const nodeRules: readonly Rule[] = [
  topologyNodes,
  bootstrapCount,
  controlPlaneCount,
  computeCount,
  singleNodeVersion,
  sizing,
  installDisk,
  interfaceName,
  bondMode,
  bondInterfaces,
  vlanInterface,
  staticInterface,
  secureBootBios,
  secureBootIpxe,
  kernelArgument,
];
