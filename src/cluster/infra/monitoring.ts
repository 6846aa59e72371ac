import { INFRA_SELECTOR, infraNames, infraTolerations, placementKeys } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { textAt } from '../../objects/object.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import type { Cluster } from '../client.ts';
import type { Edit } from './edit.ts';
import { type MonitoringWish, mergeMonitoring, withoutPlacement } from './monitoring-config.ts';
import { makeMove } from './move.ts';
import { isStopped, labelledInfraNodes } from './nodes.ts';
import { unsettled, type Workload } from './rollout.ts';
import { storageClasses } from './storage.ts';

const words = () => catalogue().moves;

const NAMESPACE = 'openshift-monitoring';
const NAME = 'cluster-monitoring-config';
const FILE = 'config.yaml';

/** What runs for each key. The two that keep data have to be there; others depend on settings of the cluster. */
const WORKLOADS: Readonly<Record<string, Workload>> = {
  prometheusK8s: { kind: 'StatefulSet', namespace: NAMESPACE, name: 'prometheus-k8s' },
  alertmanagerMain: { kind: 'StatefulSet', namespace: NAMESPACE, name: 'alertmanager-main' },
  prometheusOperator: deployment('prometheus-operator'),
  kubeStateMetrics: deployment('kube-state-metrics'),
  openshiftStateMetrics: deployment('openshift-state-metrics'),
  telemeterClient: deployment('telemeter-client'),
  thanosQuerier: deployment('thanos-querier'),
  grafana: deployment('grafana'),
  k8sPrometheusAdapter: deployment('prometheus-adapter'),
  monitoringPlugin: deployment('monitoring-plugin'),
  metricsServer: deployment('metrics-server'),
};

function deployment(name: string): Workload {
  return { kind: 'Deployment', namespace: NAMESPACE, name, isOptional: true };
}

/** Placement (and volumes, if the design has a class) in the ConfigMap of the monitoring operator. */
export const monitoring = makeMove({
  name: 'monitoring',
  async plan(cluster, design) {
    const nodes = await labelledInfraNodes(cluster, design);
    if (isStopped(nodes)) return nodes;
    if (nodes.length < 2) return { state: 'blocked', why: words().why.monitoring.tooFew(nodes.length) };
    const keys = await keysOf(cluster);
    if (!keys) return { state: 'blocked', why: words().why.monitoring.noVersion };
    const volumes = design.infra.monitoring;
    const { storageClass } = volumes;
    if (storageClass !== null && !(await storageClasses(cluster)).names.includes(storageClass)) {
      return { state: 'blocked', why: words().why.monitoring.classMissing(storageClass) };
    }
    const wish: MonitoringWish = { keys, nodeSelector: INFRA_SELECTOR, tolerations: infraTolerations(design), volumes };
    const current = await cluster.get('ConfigMap', NAME, NAMESPACE);
    const merged = mergeMonitoring(current?.data?.[FILE] ?? '', wish);
    if ('error' in merged) {
      return { state: 'blocked', why: words().why.monitoring.unreadable(sanitizeLine(merged.error)) };
    }
    return { state: 'edits', edits: [configEdit((text) => textOf(mergeMonitoring(text, wish), text))] };
  },
  async settled(cluster, design) {
    const open = await unsettled(cluster, await workloadsOf(cluster), infraNames(design), 'monitoring');
    return open ?? { state: 'done', why: words().why.monitoring.done };
  },
  async undoEdits(cluster, _design: Design) {
    const keys = (await keysOf(cluster)) ?? Object.keys(WORKLOADS);
    const { create: _create, ...edit } = configEdit((text) => withoutPlacement(text, keys));
    return [edit];
  },
});

function configEdit(rewrite: (text: string) => string): Edit {
  return {
    kind: 'ConfigMap',
    name: NAME,
    namespace: NAMESPACE,
    patch: (current) => ({ data: { [FILE]: rewrite(current.data?.[FILE] ?? '') } }),
    create: () => ({ metadata: { name: NAME, namespace: NAMESPACE }, data: { [FILE]: rewrite('') } }),
  };
}

/** Text that became unreadable between the plan and the write is left as it is. */
function textOf(merged: { text: string } | { error: string }, before: string): string {
  return 'text' in merged ? merged.text : before;
}

async function keysOf(cluster: Cluster): Promise<string[] | null> {
  const version = await cluster.get('ClusterVersion', 'version');
  return placementKeys(textAt(version?.status, 'desired', 'version') ?? '');
}

async function workloadsOf(cluster: Cluster): Promise<Workload[]> {
  return ((await keysOf(cluster)) ?? []).flatMap((key) => WORKLOADS[key] ?? []);
}
