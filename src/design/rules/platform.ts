import { catalogue } from '../../i18n/catalogue.ts';
import { canAddCompute, isSingleNode, type NodeRole } from '../choices.ts';
import { isWorker } from '../derived-facts.ts';
import type { Design } from '../model.ts';
import {
  explainUnknownVersion,
  findNonDefaultStream,
  formatMinorRelease,
  getRhelMajor,
  getVersionProfile,
  parseMinorVersion,
} from '../versions.ts';
import { createNodeGroupRule, INSTALLER_VALIDATION, MINIMUM_RESOURCES, type Rule } from './rule.ts';

const words = () => catalogue().designRules;

// Requirements of the machine architecture and of FIPS.

const architectureVersion: Rule = {
  id: 'architecture-version',
  severity: 'error',
  source: 'OpenShift 4.10 release notes: 64-bit ARM on bare metal',
  title: () => words().architectureVersion.title,
  check({ openshift }, report) {
    const { architectures, product } = getVersionProfile(openshift.version);
    if (parseMinorVersion(openshift.version) === null || architectures.includes(openshift.architecture)) return;
    const { message, fix, fixOkd } = words().architectureVersion;
    const text = message(formatMinorRelease(openshift.version), openshift.architecture);
    report(['openshift', 'architecture'], { message: text, fix: product === 'OKD' ? fixOkd : fix });
  },
};

const architectureBoot: Rule = {
  id: 'architecture-boot',
  dependsOn: [['openshift']],
  severity: 'error',
  source: 'iPXE is built for x86 and ARM; openshift-docs, installing on IBM Power (GRUB by petitboot) and IBM Z',
  title: () => words().architectureBoot.title,
  check({ openshift: { architecture }, services }, report) {
    if (services.boot.kind !== 'ipxe' || (architecture !== 'ppc64le' && architecture !== 's390x')) return;
    const problem = { message: words().architectureBoot.message(architecture), fix: words().architectureBoot.fix };
    report(['services', 'boot', 'kind'], problem);
  },
};

const architectureIpxe: Rule = {
  id: 'architecture-ipxe',
  dependsOn: [['openshift'], ['services', 'bastion']],
  severity: 'warning',
  source: 'RHEL 9 and 10: ipxe-bootimgs-aarch64',
  title: () => words().architectureIpxe.title,
  check({ openshift: { architecture }, services }, report) {
    const { boot, bastion } = services;
    const hasPackage = bastion.os === 'rhel9' || bastion.os === 'rhel10';
    if (boot.kind !== 'ipxe' || architecture !== 'aarch64' || hasPackage) return;
    const problem = { message: words().architectureIpxe.message(bastion.os), fix: words().architectureIpxe.fix };
    report(['services', 'boot', 'kind'], problem);
  },
};

const architectureFirmware = createNodeGroupRule(
  {
    id: 'architecture-firmware',
    dependsOn: [['openshift']],
    severity: 'error',
    source: 'Arm Server Base Boot Requirements: UEFI',
    title: () => words().architectureFirmware.title,
  },
  ({ openshift }) =>
    ({ firmware }) => {
      if (openshift.architecture !== 'aarch64' || firmware !== 'bios') return [];
      const { message, fix } = words().architectureFirmware;
      return [{ at: ['firmware'], group: '', message, fix }];
    },
);

const fipsHost: Rule = {
  id: 'fips-host',
  dependsOn: [['openshift'], ['services', 'bastion']],
  severity: 'warning',
  source: `${INSTALLER_VALIDATION} and pkg/hostcrypt: the installer runs in FIPS mode (4.16)`,
  title: () => words().fipsHost.title,
  check({ fips, openshift, services }, report) {
    if (!fips || !getVersionProfile(openshift.version).requiresFipsHost) return;
    const { bastion } = services;
    const message = bastion.os === 'debian' ? words().fipsHost.messageDebian(bastion.name) : words().fipsHost.message;
    report(['fips'], { message, fix: words().fipsHost.fix });
  },
};

const streamVersion: Rule = {
  id: 'os-image-stream',
  severity: 'error',
  source: 'openshift/installer#10192: osImageStream in install-config (4.22)',
  title: () => words().streamVersion.title,
  check({ openshift }, report) {
    const { osImageStream, product } = getVersionProfile(openshift.version);
    if (openshift.osImageStream === null || osImageStream !== 'unknown') return;
    const { message, fix, fixOkd } = words().streamVersion;
    const text = message(formatMinorRelease(openshift.version));
    report(['openshift', 'osImageStream'], { message: text, fix: product === 'OKD' ? fixOkd : fix });
  },
};

const streamPreview: Rule = {
  id: 'os-image-stream-preview',
  dependsOn: [['openshift', 'version']],
  severity: 'warning',
  source: 'openshift/installer pkg/types/validation/featuregates.go; openshift/api features.go: OSStreams until 5.0',
  title: () => words().streamPreview.title,
  check({ openshift }, report) {
    const { osImageStream, minor } = getVersionProfile(openshift.version);
    if (osImageStream !== 'preview' || findNonDefaultStream(openshift) === null) return;
    const { message, fix } = words().streamPreview;
    report(['openshift', 'osImageStream'], { message: message(minor), fix });
  },
};

const streamPower: Rule = {
  id: 'os-image-stream-power',
  dependsOn: [['openshift']],
  severity: 'warning',
  source: 'OpenShift 5.0 release notes: Power9 only with the stream rhel-9',
  title: () => words().streamPower.title,
  check({ openshift }, report) {
    if (openshift.architecture !== 'ppc64le' || getRhelMajor(openshift) !== 10) return;
    report(['openshift', 'osImageStream'], { message: words().streamPower.message, fix: words().streamPower.fix });
  },
};

export const platformRules: readonly Rule[] = [
  architectureVersion,
  architectureBoot,
  architectureIpxe,
  architectureFirmware,
  fipsHost,
  streamVersion,
  streamPreview,
  streamPower,
];

const versionKnown: Rule = {
  id: 'version-known',
  severity: 'error',
  source: 'the versions whose installer source was reviewed; OKD: okd-project/okd#2077, #2186, #2222',
  title: () => words().versionKnown.title,
  check({ openshift }, report) {
    const reason = explainUnknownVersion(openshift.version);
    if (reason === null) return;
    const { message, fix } = words().versionKnown.reasons[reason];
    report(['openshift', 'version'], { message: message(openshift.version), fix });
  },
};

const networkType: Rule = {
  id: 'network-type',
  dependsOn: [['openshift']],
  severity: 'error',
  source: `${INSTALLER_VALIDATION}; openshift-docs: no new installations with OpenShiftSDN from 4.15`,
  title: () => words().networkType.title,
  check({ networks, openshift }, report) {
    const { networkTypes } = getVersionProfile(openshift.version);
    const isKnownType = /^(?:openshiftsdn|ovnkubernetes|kuryr)$/i.test(networks.type);
    if (networkTypes.includes(networks.type) || (!isKnownType && /^[A-Za-z][A-Za-z0-9]{0,62}$/.test(networks.type)))
      return;
    const message = words().networkType.message(networks.type, formatMinorRelease(openshift.version));
    report(['networks', 'type'], { message, fix: words().networkType.fix(networkTypes.join(' or ')) });
  },
};

const networkTypeOther: Rule = {
  id: 'network-type-other',
  severity: 'warning',
  source: 'openshift-docs: third-party network plug-ins bring their manifests',
  title: () => words().networkTypeOther.title,
  check({ networks }, report) {
    if (/^(?:openshiftsdn|ovnkubernetes|kuryr)$/i.test(networks.type) || !/^[A-Za-z0-9]+$/.test(networks.type)) return;
    report(['networks', 'type'], {
      message: words().networkTypeOther.message(networks.type),
      fix: words().networkTypeOther.fix,
    });
  },
};

export const versionRules: readonly Rule[] = [versionKnown, networkType, networkTypeOther];

const requiresTwoControlPlaneNodes = ({ topology }: Design) => topology === 'arbiter' || topology === 'fencing';

const countNodes = ({ nodes }: Design, role: NodeRole) => nodes.filter((node) => node.role === role).length;

const topologyNodes: Rule = {
  id: 'topology-nodes',
  dependsOn: [['topology'], ['nodes']],
  severity: 'error',
  source:
    'openshift/installer pkg/asset/manifests/scheduler.go: without compute nodes the control plane is schedulable',
  title: () => words().topologyNodes.title,
  check({ nodes, topology }, report) {
    const texts = words().topologyNodes;
    const hasWorkers = nodes.some(isWorker);
    const hasCompute = nodes.some(({ role }) => role === 'compute');
    if (topology !== 'arbiter' && nodes.some(({ role }) => role === 'arbiter'))
      report(['topology'], { message: texts.arbiter(topology), fix: texts.fixArbiter });
    if (topology === 'standard' && !hasCompute)
      report(['nodes'], { message: texts.noCompute, fix: texts.fixNoCompute });
    const areAllWorkersCompute = nodes.filter(isWorker).every(({ role }) => role === 'compute');
    if (topology !== 'standard' && hasWorkers && !(canAddCompute(topology) && areAllWorkersCompute))
      report(['topology'], { message: texts.extra(topology), fix: texts.fixExtra });
  },
};

const addedCompute: Rule = {
  id: 'added-compute',
  dependsOn: [['topology'], ['nodes']],
  severity: 'warning',
  source:
    'openshift/installer pkg/asset/manifests/scheduler.go: mastersSchedulable is written once, at the installation',
  title: () => words().addedCompute.title,
  check({ nodes, topology }, report) {
    const workers = nodes.filter(isWorker);
    if (!canAddCompute(topology) || workers.length === 0 || !workers.every(({ role }) => role === 'compute')) return;
    const { message, fix } = words().addedCompute;
    report(['topology'], { message: message(topology, workers.length), fix });
  },
};

const bootstrapCount: Rule = {
  id: 'bootstrap-count',
  dependsOn: [['topology']],
  severity: 'error',
  source: MINIMUM_RESOURCES,
  title: () => words().bootstrapCount.title,
  check({ nodes, topology }, report) {
    const texts = words().bootstrapCount;
    const count = nodes.filter(({ role }) => role === 'bootstrap').length;
    if (topology === 'single-node') {
      // The rule topology-nodes already reports a single-node cluster with compute nodes.
      if (count > 0 && !nodes.some(isWorker)) report(['nodes'], { message: texts.messageSingle, fix: texts.fixSingle });
    } else if (count !== 1)
      report(['nodes'], { message: texts.message(count), fix: count === 0 ? texts.fix : texts.fixMany });
  },
};

const controlPlaneCount: Rule = {
  id: 'control-plane-count',
  dependsOn: [['openshift'], ['topology']],
  severity: 'error',
  source: `${MINIMUM_RESOURCES}; openshift/assisted-service: sufficient-masters-count, 4 and 5 from 4.18`,
  title: () => words().controlPlaneCount.title,
  check(design, report) {
    const texts = words().controlPlaneCount;
    const count = countNodes(design, 'control-plane');
    if (isSingleNode(design.topology)) {
      if (count !== 1 && !design.nodes.some(isWorker))
        report(['nodes'], { message: texts.messageSingle(count), fix: texts.fix });
      return;
    }
    if (requiresTwoControlPlaneNodes(design)) {
      const message = design.topology === 'arbiter' ? texts.messageArbiter(count) : texts.messageFencing(count);
      if (count !== 2) report(['nodes'], { message, fix: texts.fixArbiter });
      return;
    }
    const { version } = design.openshift;
    const { maxControlPlaneNodes } = getVersionProfile(version);
    const isPossible = count === 3 || count === 5 || (count === 4 && maxControlPlaneNodes >= 4);
    const message = texts.message(count, formatMinorRelease(version), maxControlPlaneNodes);
    if (!isPossible) report(['nodes'], { message, fix: texts.fix });
  },
};

const controlPlaneMany: Rule = {
  id: 'control-plane-many',
  dependsOn: [['openshift'], ['topology']],
  severity: 'warning',
  source: 'openshift-docs: failure tolerance of etcd by cluster size; 4 and 5 nodes on bare metal from 4.18',
  title: () => words().controlPlaneMany.title,
  check(design, report) {
    const texts = words().controlPlaneMany;
    const count = countNodes(design, 'control-plane');
    const { maxControlPlaneNodes, minor } = getVersionProfile(design.openshift.version);
    if (isSingleNode(design.topology) || requiresTwoControlPlaneNodes(design) || count < 4 || count > 5) return;
    if (count === 5 && maxControlPlaneNodes < 5) {
      report(['nodes'], { message: texts.unsupported(minor), fix: texts.fixUnsupported });
    } else if (count === 4 && maxControlPlaneNodes >= 4) report(['nodes'], { message: texts.even, fix: texts.fixEven });
  },
};

const arbiterCount: Rule = {
  id: 'arbiter-count',
  dependsOn: [['topology'], ['nodes']],
  severity: 'error',
  source: 'openshift/installer pkg/types/validation/installconfig.go: validateArbiter',
  title: () => words().arbiterCount.title,
  check(design, report) {
    if (design.topology !== 'arbiter' || countNodes(design, 'arbiter') > 0) return;
    report(['nodes'], { message: words().arbiterCount.message, fix: words().arbiterCount.fix });
  },
};

const arbiterMany: Rule = {
  id: 'arbiter-many',
  dependsOn: [['topology'], ['nodes']],
  severity: 'warning',
  source: 'openshift-docs modules/upi-install-config-local-arbiter-node.adoc: replicas 1; the installer accepts more',
  title: () => words().arbiterMany.title,
  check(design, report) {
    const count = countNodes(design, 'arbiter');
    if (design.topology !== 'arbiter' || count < 2) return;
    report(['nodes'], { message: words().arbiterMany.message(count), fix: words().arbiterMany.fix });
  },
};

const computeCount: Rule = {
  id: 'compute-count',
  dependsOn: [['topology']],
  severity: 'warning',
  source: MINIMUM_RESOURCES,
  title: () => words().computeCount.title,
  check({ nodes, topology }, report) {
    if (topology !== 'standard' || nodes.filter(({ role }) => role === 'compute').length !== 1) return;
    report(['nodes'], { message: words().computeCount.message, fix: words().computeCount.fix });
  },
};

const infraCount: Rule = {
  id: 'infra-count',
  severity: 'warning',
  source:
    'openshift-docs, "Recommended infrastructure practices": three infrastructure nodes; OpenShift Data Foundation',
  title: () => words().infraCount.title,
  check(design, report) {
    for (const role of ['infra', 'storage'] as const) {
      const count = countNodes(design, role);
      if (count !== 1 && count !== 2) continue;
      report(['nodes'], { message: words().infraCount.message(count, role), fix: words().infraCount.fix[role] });
    }
  },
};

const singleNodeVersion: Rule = {
  id: 'single-node-version',
  dependsOn: [['topology'], ['nodes']],
  severity: 'error',
  source: 'openshift/installer release-4.8: bootstrapInPlace',
  title: () => words().singleNodeVersion.title,
  check({ topology, openshift }, report) {
    if (!isSingleNode(topology) || parseMinorVersion(openshift.version) === null) return;
    const { hasSingleNode, minor } = getVersionProfile(openshift.version);
    if (hasSingleNode) return;
    report(['openshift', 'version'], {
      message: words().singleNodeVersion.message(minor),
      fix: words().singleNodeVersion.fix,
    });
  },
};

const singleNodeBootstrap: Rule = {
  id: 'single-node-bootstrap',
  dependsOn: [['topology'], ['nodes']],
  severity: 'warning',
  source: 'openshift/installer#9048, #9756, #9763; OpenShift 4.20 release notes: OCPBUGS-6508, OCPBUGS-58216',
  title: () => words().singleNodeBootstrap.title,
  check({ topology, openshift }, report) {
    const { singleNodeBootstrap: support } = getVersionProfile(openshift.version);
    if (topology !== 'single-node-bootstrap' || support !== 'some') return;
    const { message, fix } = words().singleNodeBootstrap;
    report(['topology'], { message: message(formatMinorRelease(openshift.version)), fix });
  },
};

const arbiterVersion: Rule = {
  id: 'arbiter-version',
  dependsOn: [['topology'], ['nodes']],
  severity: 'error',
  source: 'openshift/installer#10236: arbiter on platform none; okd-project/okd discussion 2316: refused before',
  title: () => words().arbiterVersion.title,
  check({ topology, openshift }, report) {
    if (topology !== 'arbiter' || parseMinorVersion(openshift.version) === null) return;
    if (getVersionProfile(openshift.version).hasArbiter) return;
    const { message, fix } = words().arbiterVersion;
    // Also shown at the topology: on the page, the user chooses it after the version.
    const otherPath = ['topology'];
    report(['openshift', 'version'], { message: message(formatMinorRelease(openshift.version)), fix, otherPath });
  },
};

const fencingVersion: Rule = {
  id: 'fencing-version',
  dependsOn: [['topology'], ['nodes']],
  severity: 'error',
  source: 'openshift/api#2283: before 4.20, DualReplica is in the feature set DevPreviewNoUpgrade only',
  title: () => words().fencingVersion.title,
  check({ topology, openshift }, report) {
    if (topology !== 'fencing' || parseMinorVersion(openshift.version) === null) return;
    if (getVersionProfile(openshift.version).fencing !== 'no') return;
    const { message, fix } = words().fencingVersion;
    report(['openshift', 'version'], {
      message: message(formatMinorRelease(openshift.version)),
      fix,
      otherPath: ['topology'],
    });
  },
};

const fencingPreview: Rule = {
  id: 'fencing-preview',
  dependsOn: [['topology'], ['nodes']],
  severity: 'warning',
  source: 'openshift-docs#98503: Technology Preview in 4.20 and 4.21; #108177: supported from 4.22 on',
  title: () => words().fencingPreview.title,
  check({ topology, openshift }, report) {
    if (topology !== 'fencing' || getVersionProfile(openshift.version).fencing !== 'preview') return;
    const { message, fix } = words().fencingPreview;
    report(['openshift', 'version'], { message: message(formatMinorRelease(openshift.version)), fix });
  },
};

export const topologyRules: readonly Rule[] = [
  topologyNodes,
  addedCompute,
  bootstrapCount,
  controlPlaneCount,
  controlPlaneMany,
  arbiterCount,
  arbiterMany,
  computeCount,
  infraCount,
  singleNodeVersion,
  singleNodeBootstrap,
  arbiterVersion,
  fencingVersion,
  fencingPreview,
];
