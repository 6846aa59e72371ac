import { INFRA_SELECTOR, infraNames, monitoringVolumes, placementKeys } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import type { Workload } from '../carried.ts';
import type { ClusterMove, Sight } from '../move.ts';
import { label } from '../nodes/label.ts';
import { isStopped, labelledInfraNodes } from '../shared/nodes.ts';
import { unsettled } from '../shared/rollout.ts';
import { type Tolerate, tolerateAs, tolerateOn } from '../shared/tolerations.ts';
import { storageClasses } from '../storage/storage-class.ts';
import { type MonitoringWish, mergeMonitoring } from './monitoring-config.ts';
import { areImmutable, CLUSTER_MAP, placementIn, placementOut, runningKeys, settingsIn } from './monitoring-map.ts';

const words = () => catalogue().moves.each.monitoring;

const NAMESPACE = CLUSTER_MAP.namespace;
const comment = (version: string) =>
  ` The components that OpenShift ${version} knows; a key too many makes the operator degraded. A ConfigMap that is there\n already is replaced: merge by hand, or let the wizard do it.`;
/** Both replicas of a component run on different nodes: with one infra node, the second would stay pending. */
const LEAST_NODES = 2;

/** The workload of each key. The two that keep data must exist; others depend on settings of the cluster. */
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
export const monitoring: ClusterMove<'monitoring'> = {
  name: 'monitoring',
  where: 'cluster',
  carried: {
    operator: 'monitoring',
    workloads: monitoringWorkloads,
    storageClass: ({ infra }) => infra.monitoring.storageClass,
  },
  needs: [label],
  taintWaits: true,
  async plan(sight, design) {
    const nodes = await labelledInfraNodes(sight, design);
    if (isStopped(nodes)) return nodes;
    if (nodes.length < LEAST_NODES) return { state: 'blocked', why: words().tooFew(nodes.length) };
    const keys = await runningKeys(sight);
    if (!keys) return { state: 'blocked', why: words().noVersion };
    const { storageClass } = design.infra.monitoring;
    if (storageClass !== null && !(await storageClasses(sight)).names.includes(storageClass)) {
      return { state: 'blocked', why: catalogue().moves.why.classMissing(storageClass) };
    }
    const wish = wishOf(design, keys, await tolerateOn(sight, design));
    const text = await settingsIn(sight, CLUSTER_MAP);
    const merged = mergeMonitoring(text, wish);
    if ('error' in merged) {
      const why = words().unreadable(`${NAMESPACE}/${CLUSTER_MAP.name}`, sanitizeLine(merged.error));
      return { state: 'blocked', why };
    }
    if (merged.text !== text && (await areImmutable(sight, CLUSTER_MAP)))
      return { state: 'blocked', why: words().immutable(`${NAMESPACE}/${CLUSTER_MAP.name}`) };
    const says = merged.kept.length > 0 ? [words().volumesKept(merged.kept)] : [];
    return { state: 'edits', edits: [placementIn(CLUSTER_MAP, wish)], says };
  },
  async settled(sight, design) {
    const open = await unsettled(sight, await monitoringWorkloads(sight), design, 'monitoring');
    return open ?? { state: 'done', why: words().done };
  },
  undoWaits: null,
  async undoEdits(sight) {
    return [placementOut(CLUSTER_MAP, (await runningKeys(sight)) ?? Object.keys(WORKLOADS))];
  },
  left: null,
  manifest(design) {
    if (infraNames(design).length < LEAST_NODES) return [];
    const { version } = design.openshift;
    return [
      {
        comment: comment(version),
        edits: [placementIn(CLUSTER_MAP, wishOf(design, placementKeys(version) ?? [], tolerateAs(design)))],
      },
    ];
  },
};

function wishOf(design: Design, keys: readonly string[], tolerate: Tolerate): MonitoringWish {
  const volumes = monitoringVolumes(design.infra.monitoring);
  return { keys, nodeSelector: INFRA_SELECTOR, tolerate, volumes };
}

/** The workloads that the running version can place. */
export async function monitoringWorkloads(sight: Sight): Promise<Workload[]> {
  return ((await runningKeys(sight)) ?? []).flatMap((key) => WORKLOADS[key] ?? []);
}
