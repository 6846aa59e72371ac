import { createMonitoringVolumeClaims, INFRA_NODE_SELECTOR, listInfraNodeNames } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { formatRelease, listMonitoringPlacementKeys } from '../../design/versions.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import type { ClusterReader } from '../cluster-reader.ts';
import type { ClusterMove, Workload } from '../infra-move.ts';
import { findLabelledInfraNodes, isNotApplicable } from '../shared/nodes.ts';
import { findIncompleteRollout } from '../shared/rollout.ts';
import { listStorageClasses } from '../shared/storage-classes.ts';
import { createTolerationMerger, createTolerationReplacer, type TolerationMerger } from '../shared/tolerations.ts';
import { labelMove } from './label.ts';
import {
  CLUSTER_CONFIG_MAP,
  createPlacementEdit,
  createPlacementRemovalEdit,
  isImmutable,
  isUserWorkloadEnabled,
  type MonitoringSettings,
  mergeMonitoring,
  readPlacementKeys,
  readSettings,
  readUserWorkloadKeys,
  USER_WORKLOAD_CONFIG_MAP,
} from './monitoring-config.ts';

const words = () => catalogue().moves.byName.monitoring;

const MONITORING_NAMESPACE = CLUSTER_CONFIG_MAP.namespace;
const formatManifestComment = (version: string) =>
  ` The components of ${formatRelease(version)}; an unknown key makes the operator degraded. This replaces an existing\n ConfigMap: merge it by hand, or let the wizard do it.`;
/** Both replicas of a component run on different nodes: with one infra node, the second would stay pending. */
const MINIMUM_NODES = 2;

/** The workload of each key. The two that keep data must exist; others depend on settings of the cluster. */
const WORKLOADS: Readonly<Record<string, Workload>> = {
  prometheusK8s: { kind: 'StatefulSet', namespace: MONITORING_NAMESPACE, name: 'prometheus-k8s' },
  alertmanagerMain: { kind: 'StatefulSet', namespace: MONITORING_NAMESPACE, name: 'alertmanager-main' },
  prometheusOperator: createOptionalDeployment('prometheus-operator'),
  kubeStateMetrics: createOptionalDeployment('kube-state-metrics'),
  openshiftStateMetrics: createOptionalDeployment('openshift-state-metrics'),
  telemeterClient: createOptionalDeployment('telemeter-client'),
  thanosQuerier: createOptionalDeployment('thanos-querier'),
  grafana: createOptionalDeployment('grafana'),
  k8sPrometheusAdapter: createOptionalDeployment('prometheus-adapter'),
  monitoringPlugin: createOptionalDeployment('monitoring-plugin'),
  metricsServer: createOptionalDeployment('metrics-server'),
};

function createOptionalDeployment(name: string): Workload {
  return { kind: 'Deployment', namespace: MONITORING_NAMESPACE, name, isOptional: true };
}

/** Sets the placement, and volumes if the design names a StorageClass, in the ConfigMap of the monitoring operator. */
export const monitoringMove: ClusterMove<'monitoring'> = {
  name: 'monitoring',
  where: 'cluster',
  rolloutTarget: {
    operator: 'monitoring',
    workloads: listMonitoringWorkloads,
    storageClass: ({ infra }) => infra.monitoring.storageClass,
  },
  needs: [labelMove],
  mustPrecedeTaint: true,
  async plan(cluster, design) {
    const nodes = await findLabelledInfraNodes(cluster, design);
    if (isNotApplicable(nodes)) return nodes;
    if (nodes.length < MINIMUM_NODES) return { state: 'blocked', why: words().tooFew(nodes.length) };
    const keys = await readPlacementKeys(cluster);
    if (!keys) return { state: 'blocked', why: words().noVersion };
    const { storageClass } = design.infra.monitoring;
    if (storageClass !== null && !(await listStorageClasses(cluster)).names.includes(storageClass)) {
      return { state: 'blocked', why: catalogue().moves.reasons.classMissing(storageClass) };
    }
    const settings = buildSettings(design, keys, await createTolerationMerger(cluster, design));
    const text = await readSettings(cluster, CLUSTER_CONFIG_MAP);
    const mergeResult = mergeMonitoring(text, settings);
    if ('error' in mergeResult) {
      const why = words().unreadable(
        `${MONITORING_NAMESPACE}/${CLUSTER_CONFIG_MAP.name}`,
        sanitizeLine(mergeResult.error),
      );
      return { state: 'blocked', why };
    }
    if (mergeResult.text !== text && (await isImmutable(cluster, CLUSTER_CONFIG_MAP)))
      return { state: 'blocked', why: words().immutable(`${MONITORING_NAMESPACE}/${CLUSTER_CONFIG_MAP.name}`) };
    const notes =
      mergeResult.differingVolumeKeys.length > 0 ? [words().volumesUnchanged(mergeResult.differingVolumeKeys)] : [];
    return { state: 'edits', edits: [createPlacementEdit(CLUSTER_CONFIG_MAP, settings)], notes };
  },
  async probeRollout(cluster, design) {
    const incompleteRollout = await findIncompleteRollout(
      cluster,
      await listMonitoringWorkloads(cluster),
      design,
      'monitoring',
    );
    return incompleteRollout ?? { state: 'done', why: words().done };
  },
  findUndoBlocker: null,
  async planUndoEdits(cluster) {
    return [
      createPlacementRemovalEdit(CLUSTER_CONFIG_MAP, (await readPlacementKeys(cluster)) ?? Object.keys(WORKLOADS)),
    ];
  },
  untilPodsGone: null,
  buildManifest(design) {
    if (listInfraNodeNames(design).length < MINIMUM_NODES) return [];
    const { version } = design.openshift;
    return [
      {
        comment: formatManifestComment(version),
        edits: [
          createPlacementEdit(
            CLUSTER_CONFIG_MAP,
            buildSettings(design, listMonitoringPlacementKeys(version) ?? [], createTolerationReplacer(design)),
          ),
        ],
      },
    ];
  },
};

function buildSettings(
  design: Design,
  keys: readonly string[],
  mergeTolerations: TolerationMerger,
): MonitoringSettings {
  const volumes = createMonitoringVolumeClaims(design.infra.monitoring);
  return { keys, nodeSelector: INFRA_NODE_SELECTOR, mergeTolerations, volumes };
}

/** Lists the workloads that the running version can place. */
async function listMonitoringWorkloads(cluster: ClusterReader): Promise<Workload[]> {
  return ((await readPlacementKeys(cluster)) ?? []).flatMap((key) => WORKLOADS[key] ?? []);
}

const userWorkloadWords = () => catalogue().moves.byName['user-workload'];

const { namespace: userWorkloadNamespace } = USER_WORKLOAD_CONFIG_MAP;

/** The workloads of the monitoring of user-defined projects. Only Prometheus always runs. */
const USER_WORKLOADS: readonly Workload[] = [
  { kind: 'StatefulSet', namespace: userWorkloadNamespace, name: 'prometheus-user-workload' },
  { kind: 'StatefulSet', namespace: userWorkloadNamespace, name: 'thanos-ruler-user-workload', isOptional: true },
  { kind: 'StatefulSet', namespace: userWorkloadNamespace, name: 'alertmanager-user-workload', isOptional: true },
  { kind: 'Deployment', namespace: userWorkloadNamespace, name: 'prometheus-operator', isOptional: true },
];

/** Moves the monitoring of user-defined projects, if it is enabled. */
export const userWorkloadMove: ClusterMove<'user-workload'> = {
  name: 'user-workload',
  where: 'cluster',
  rolloutTarget: { operator: 'monitoring', workloads: async () => USER_WORKLOADS },
  needs: [labelMove],
  mustPrecedeTaint: true,
  async plan(cluster, design) {
    if (!isUserWorkloadEnabled(await readSettings(cluster, CLUSTER_CONFIG_MAP)))
      return { state: 'absent', why: userWorkloadWords().off };
    const nodes = await findLabelledInfraNodes(cluster, design);
    if (isNotApplicable(nodes)) return nodes;
    const placement = await readUserWorkloadKeys(cluster);
    if (placement === null) return { state: 'blocked', why: catalogue().moves.byName.monitoring.noVersion };
    const { keys, configMap } = placement;
    const mergeTolerations = await createTolerationMerger(cluster, design);
    const settings = { keys, nodeSelector: INFRA_NODE_SELECTOR, mergeTolerations, volumes: [] };
    const text = await readSettings(cluster, configMap);
    const mergeResult = mergeMonitoring(text, settings);
    if ('error' in mergeResult) {
      const why = catalogue().moves.byName.monitoring.unreadable(
        `${configMap.namespace}/${configMap.name}`,
        sanitizeLine(mergeResult.error),
      );
      return { state: 'blocked', why };
    }
    if (mergeResult.text !== text && (await isImmutable(cluster, configMap)))
      return {
        state: 'blocked',
        why: catalogue().moves.byName.monitoring.immutable(`${configMap.namespace}/${configMap.name}`),
      };
    return { state: 'edits', edits: [createPlacementEdit(configMap, settings)] };
  },
  async probeRollout(cluster, design) {
    const incompleteRollout = await findIncompleteRollout(cluster, USER_WORKLOADS, design, 'monitoring');
    return incompleteRollout ?? { state: 'done', why: userWorkloadWords().done };
  },
  findUndoBlocker: null,
  async planUndoEdits(cluster) {
    const placement = await readUserWorkloadKeys(cluster);
    return placement === null ? [] : [createPlacementRemovalEdit(placement.configMap, placement.keys)];
  },
  untilPodsGone: null,
  // The design does not state whether the monitoring of user-defined projects is enabled.
  buildManifest: () => [],
};
