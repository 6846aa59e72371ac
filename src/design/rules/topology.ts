import { catalogue } from '../../text/catalogue.ts';
import type { Design, NodeRole } from '../model.ts';
import { isWorker } from '../names.ts';
import { minorOf, versionProfile } from '../versions.ts';
import { MINIMUM } from './origins.ts';
import type { Rule } from './rule.ts';

const words = () => catalogue().designRules;

const countOf = ({ nodes }: Design, role: NodeRole) => nodes.filter((node) => node.role === role).length;

const topologyNodes: Rule = {
  id: 'topology-nodes',
  restsOn: [['topology'], ['nodes']],
  severity: 'error',
  source:
    'openshift/installer pkg/asset/manifests/scheduler.go: without compute nodes the control plane is schedulable',
  title: () => words().topologyNodes.title,
  check({ nodes, topology }, report) {
    const said = words().topologyNodes;
    const hasWorkers = nodes.some(isWorker);
    const hasCompute = nodes.some(({ role }) => role === 'compute');
    if (topology === 'standard' && !hasCompute) report(['nodes'], { message: said.noCompute, fix: said.fixNoCompute });
    if (topology !== 'standard' && hasWorkers)
      report(['topology'], { message: said.extra(topology), fix: said.fixExtra });
  },
};

const bootstrapCount: Rule = {
  id: 'bootstrap-count',
  restsOn: [['topology']],
  severity: 'error',
  source: MINIMUM,
  title: () => words().bootstrapCount.title,
  check({ nodes, topology }, report) {
    const said = words().bootstrapCount;
    const count = nodes.filter(({ role }) => role === 'bootstrap').length;
    if (topology === 'single-node') {
      // topology-nodes already reports a single node among a whole cluster.
      if (count > 0 && !nodes.some(isWorker)) report(['nodes'], { message: said.messageSingle, fix: said.fixSingle });
    } else if (count !== 1)
      report(['nodes'], { message: said.message(count), fix: count === 0 ? said.fix : said.fixMany });
  },
};

const controlPlaneCount: Rule = {
  id: 'control-plane-count',
  restsOn: [['openshift'], ['topology']],
  severity: 'error',
  source: `${MINIMUM}; openshift/assisted-service: sufficient-masters-count, 4 and 5 from 4.18`,
  title: () => words().controlPlaneCount.title,
  check(design, report) {
    const said = words().controlPlaneCount;
    const count = countOf(design, 'control-plane');
    if (design.topology === 'single-node') {
      if (count !== 1 && !design.nodes.some(isWorker))
        report(['nodes'], { message: said.messageSingle(count), fix: said.fix });
      return;
    }
    const { mostControlPlaneNodes, minor } = versionProfile(design.openshift.version);
    const isPossible = count === 3 || count === 5 || (count === 4 && mostControlPlaneNodes >= 4);
    if (!isPossible) report(['nodes'], { message: said.message(count, minor, mostControlPlaneNodes), fix: said.fix });
  },
};

const controlPlaneMany: Rule = {
  id: 'control-plane-many',
  restsOn: [['openshift'], ['topology']],
  severity: 'warning',
  source: 'openshift-docs: failure tolerance of etcd by cluster size; 4 and 5 nodes on bare metal from 4.18',
  title: () => words().controlPlaneMany.title,
  check(design, report) {
    const said = words().controlPlaneMany;
    const count = countOf(design, 'control-plane');
    const { mostControlPlaneNodes, minor } = versionProfile(design.openshift.version);
    if (design.topology === 'single-node' || count < 4 || count > 5) return;
    if (count === 5 && mostControlPlaneNodes < 5) {
      report(['nodes'], { message: said.unsupported(minor), fix: said.fixUnsupported });
    } else if (count === 4 && mostControlPlaneNodes >= 4) report(['nodes'], { message: said.even, fix: said.fixEven });
  },
};

const computeCount: Rule = {
  id: 'compute-count',
  restsOn: [['topology']],
  severity: 'warning',
  source: MINIMUM,
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
      const count = countOf(design, role);
      if (count !== 1 && count !== 2) continue;
      report(['nodes'], { message: words().infraCount.message(count, role), fix: words().infraCount.fix[role] });
    }
  },
};

const singleNodeVersion: Rule = {
  id: 'single-node-version',
  restsOn: [['topology'], ['nodes']],
  severity: 'error',
  source: 'openshift/installer release-4.8: bootstrapInPlace',
  title: () => words().singleNodeVersion.title,
  check({ topology, openshift }, report) {
    if (topology !== 'single-node' || minorOf(openshift.version) === null) return;
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
