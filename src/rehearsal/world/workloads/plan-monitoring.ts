import { getField, getString } from '../../api/objects.ts';
import { isAtLeast } from '../../site/versions.ts';
import type { OperatorContext } from '../world.ts';
import { readMonitoringConfig } from './monitoring-config.ts';
import { parsePlacement } from './scheduler.ts';
import { createWorkload, DEFAULT_PLACEMENT, type VolumeRequest, type Workload } from './workload.ts';
import { parseCachedYaml } from './yaml-cache.ts';

type WorkloadFactory = (
  kind: Workload['kind'],
  key: string,
  name: string,
  replicas: number,
  rest?: Partial<Workload>,
) => Workload;

/** Creates a factory for the workloads of cluster-monitoring-operator in a namespace, placed by these settings. */
function createFactory(namespace: string, config: unknown): WorkloadFactory {
  return (kind, key, name, replicas, rest = {}) => {
    const template = getField(config, key, 'volumeClaimTemplate');
    const volume: VolumeRequest | null =
      template === undefined || kind !== 'StatefulSet'
        ? null
        : { claim: getString(template, 'metadata', 'name') || `${name}-db`, template };
    const placement = parsePlacement(getField(config, key), DEFAULT_PLACEMENT);
    return createWorkload(kind, 'monitoring', `${namespace}/${name}`, placement, { replicas, volume, ...rest });
  };
}

/** Plans the monitoring of the cluster, and that of user-defined projects if it is enabled. */
export function planMonitoring(world: OperatorContext): Workload[] {
  const config = readMonitoringConfig(world).accepted;
  const { release } = world;
  const make = createFactory('openshift-monitoring', config);
  return [
    make('StatefulSet', 'prometheusK8s', 'prometheus-k8s', 2, { isExclusive: true }),
    make('StatefulSet', 'alertmanagerMain', 'alertmanager-main', isAtLeast(release, 4, 10) ? 2 : 3, {
      isExclusive: isAtLeast(release, 4, 10),
    }),
    make('Deployment', 'thanosQuerier', 'thanos-querier', 2, { isExclusive: true }),
    make('Deployment', 'kubeStateMetrics', 'kube-state-metrics', 1),
    make('Deployment', 'openshiftStateMetrics', 'openshift-state-metrics', 1),
    make('Deployment', 'telemeterClient', 'telemeter-client', 1),
    make('Deployment', 'prometheusOperator', 'prometheus-operator', 1),
    isAtLeast(release, 4, 16)
      ? make('Deployment', 'metricsServer', 'metrics-server', 2, { isExclusive: true })
      : make('Deployment', 'k8sPrometheusAdapter', 'prometheus-adapter', 2, { isExclusive: true }),
    ...(isAtLeast(release, 4, 14) ? [make('Deployment', 'monitoringPlugin', 'monitoring-plugin', 2)] : []),
    ...(isAtLeast(release, 4, 11)
      ? [
          make('Deployment', '', 'prometheus-operator-admission-webhook', 2, {
            isExclusive: true,
            placement: DEFAULT_PLACEMENT,
          }),
        ]
      : []),
    ...(isAtLeast(release, 4, 11) ? [] : [make('Deployment', 'grafana', 'grafana', 1)]),
    ...planUserWorkloadMonitoring(world, config),
  ];
}

function planUserWorkloadMonitoring(world: OperatorContext, config: unknown): Workload[] {
  const isPreview = !isAtLeast(world.release, 4, 6);
  const isOn = isPreview
    ? getField(config, 'techPreviewUserWorkload', 'enabled') === true
    : getField(config, 'enableUserWorkload') === true;
  if (!isOn) return [];
  const namespace = 'openshift-user-workload-monitoring';
  const settings = isPreview ? config : readUserWorkloadSettings(world, namespace);
  const [prometheus, operator] = isPreview
    ? ['prometheusUserWorkload', 'prometheusOperatorUserWorkload']
    : ['prometheus', 'prometheusOperator'];
  const make = createFactory(namespace, settings);
  const hasAlertmanager = isAtLeast(world.release, 4, 11) && getField(settings, 'alertmanager', 'enabled') === true;
  return [
    make('StatefulSet', prometheus, 'prometheus-user-workload', 2, { isExclusive: true }),
    make('StatefulSet', 'thanosRuler', 'thanos-ruler-user-workload', 2, { isExclusive: true }),
    make('Deployment', operator, 'prometheus-operator', 1),
    ...(hasAlertmanager
      ? [make('StatefulSet', 'alertmanager', 'alertmanager-user-workload', 2, { isExclusive: true })]
      : []),
  ];
}

/** Reads the settings for user-defined projects. Invalid YAML counts as none. */
function readUserWorkloadSettings({ store }: OperatorContext, namespace: string): unknown {
  const map = store.get('configmaps', namespace, 'user-workload-monitoring-config');
  try {
    return parseCachedYaml(getString(map, 'data', 'config.yaml'));
  } catch {
    return null;
  }
}
