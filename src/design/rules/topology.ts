import { designRules as words } from '../../text/en/design-rules.ts';
import type { DesignNode } from '../model.ts';
import { minorOf, versionProfile } from '../versions.ts';
import { MINIMUM } from './origins.ts';
import type { Rule } from './rule.ts';

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

export const topologyRules: readonly Rule[] = [
  topologyNodes,
  bootstrapCount,
  controlPlaneCount,
  computeCount,
  singleNodeVersion,
];
