import { catalogue } from '../../i18n/catalogue.ts';
import { canAddCompute, isSingleNode, type NodeRole } from '../choices.ts';
import { isWorker } from '../derived-facts.ts';
import type { Design } from '../model.ts';
import { formatMinorRelease, getVersionProfile, parseMinorVersion } from '../versions.ts';
import { type DesignRule, MINIMUM_RESOURCES_DOCS } from './rule.ts';

const words = () => catalogue().designRules;

const requiresTwoControlPlaneNodes = ({ topology }: Design) => topology === 'arbiter' || topology === 'fencing';

const countNodes = ({ nodes }: Design, role: NodeRole) => nodes.filter((node) => node.role === role).length;

const topologyNodes: DesignRule = {
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

const addedCompute: DesignRule = {
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

const bootstrapCount: DesignRule = {
  id: 'bootstrap-count',
  dependsOn: [['topology']],
  severity: 'error',
  source: MINIMUM_RESOURCES_DOCS,
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

const controlPlaneCount: DesignRule = {
  id: 'control-plane-count',
  dependsOn: [['openshift'], ['topology']],
  severity: 'error',
  source: `${MINIMUM_RESOURCES_DOCS}; openshift/assisted-service: sufficient-masters-count, 4 and 5 from 4.18`,
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
    const isSupportedCount = count === 3 || count === 5 || (count === 4 && maxControlPlaneNodes >= 4);
    const message = texts.message(count, formatMinorRelease(version), maxControlPlaneNodes);
    if (!isSupportedCount) report(['nodes'], { message, fix: texts.fix });
  },
};

const controlPlaneMany: DesignRule = {
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

const arbiterCount: DesignRule = {
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

const arbiterMany: DesignRule = {
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

const computeCount: DesignRule = {
  id: 'compute-count',
  dependsOn: [['topology']],
  severity: 'warning',
  source: MINIMUM_RESOURCES_DOCS,
  title: () => words().computeCount.title,
  check({ nodes, topology }, report) {
    if (topology !== 'standard' || nodes.filter(({ role }) => role === 'compute').length !== 1) return;
    report(['nodes'], { message: words().computeCount.message, fix: words().computeCount.fix });
  },
};

const infraCount: DesignRule = {
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

const singleNodeVersion: DesignRule = {
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

const singleNodeBootstrap: DesignRule = {
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

const arbiterVersion: DesignRule = {
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

const fencingVersion: DesignRule = {
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

const fencingPreview: DesignRule = {
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

export const topologyRules: readonly DesignRule[] = [
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
