import { catalogue } from '../../i18n/catalogue.ts';
import type { Design, NodeRole } from '../model.ts';
import { isWorker } from '../names.ts';
import { parseMinorVersion, versionProfile } from '../versions.ts';
import type { Rule } from './rule.ts';
import { MINIMUM_RESOURCES } from './rule-sources.ts';

const words = () => catalogue().designRules;

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
    if (topology === 'standard' && !hasCompute)
      report(['nodes'], { message: texts.noCompute, fix: texts.fixNoCompute });
    if (topology !== 'standard' && hasWorkers)
      report(['topology'], { message: texts.extra(topology), fix: texts.fixExtra });
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
      // topology-nodes already reports a single node among a whole cluster.
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
    if (design.topology === 'single-node') {
      if (count !== 1 && !design.nodes.some(isWorker))
        report(['nodes'], { message: texts.messageSingle(count), fix: texts.fix });
      return;
    }
    const { maxControlPlaneNodes, minor } = versionProfile(design.openshift.version);
    const isPossible = count === 3 || count === 5 || (count === 4 && maxControlPlaneNodes >= 4);
    if (!isPossible) report(['nodes'], { message: texts.message(count, minor, maxControlPlaneNodes), fix: texts.fix });
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
    const { maxControlPlaneNodes, minor } = versionProfile(design.openshift.version);
    if (design.topology === 'single-node' || count < 4 || count > 5) return;
    if (count === 5 && maxControlPlaneNodes < 5) {
      report(['nodes'], { message: texts.unsupported(minor), fix: texts.fixUnsupported });
    } else if (count === 4 && maxControlPlaneNodes >= 4) report(['nodes'], { message: texts.even, fix: texts.fixEven });
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
    if (topology !== 'single-node' || parseMinorVersion(openshift.version) === null) return;
    const { hasSingleNode, minor } = versionProfile(openshift.version);
    if (hasSingleNode) return;
    report(['openshift', 'version'], {
      message: words().singleNodeVersion.message(minor),
      fix: words().singleNodeVersion.fix,
    });
  },
};

export const topologyRules: readonly Rule[] = [
  topologyNodes,
  bootstrapCount,
  controlPlaneCount,
  controlPlaneMany,
  computeCount,
  infraCount,
  singleNodeVersion,
];
