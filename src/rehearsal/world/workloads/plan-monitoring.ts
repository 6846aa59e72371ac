import { at, textAt } from '../../api/objects.ts';
import { isAtLeast } from '../../site/versions.ts';
import type { Operated } from '../world.ts';
import { monitoringConfig } from './monitoring-config.ts';
import { placementAt } from './scheduler.ts';
import { settingsIn } from './settings-text.ts';
import { ANYWHERE, type VolumeNeed, type Workload, workload } from './workload.ts';

type Make = (kind: Workload['kind'], key: string, name: string, replicas: number, rest?: Partial<Workload>) => Workload;

/** What cluster-monitoring-operator runs in a namespace, placed by these settings. */
function makeIn(namespace: string, config: unknown): Make {
  return (kind, key, name, replicas, rest = {}) => {
    const template = at(config, key, 'volumeClaimTemplate');
    const volume: VolumeNeed | null =
      template === undefined || kind !== 'StatefulSet'
        ? null
        : { claim: textAt(template, 'metadata', 'name') || `${name}-db`, template };
    const placement = placementAt(at(config, key), ANYWHERE);
    return workload(kind, 'monitoring', `${namespace}/${name}`, placement, { replicas, volume, ...rest });
  };
}

/** The monitoring of the cluster, and that of users' projects once it is turned on. */
export function monitoring(world: Operated): Workload[] {
  const config = monitoringConfig(world).accepted;
  const { release } = world;
  const make = makeIn('openshift-monitoring', config);
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
      ? [make('Deployment', '', 'prometheus-operator-admission-webhook', 2, { isExclusive: true, placement: ANYWHERE })]
      : []),
    ...(isAtLeast(release, 4, 11) ? [] : [make('Deployment', 'grafana', 'grafana', 1)]),
    ...userWorkload(world, config),
  ];
}

function userWorkload(world: Operated, config: unknown): Workload[] {
  const isPreview = !isAtLeast(world.release, 4, 6);
  const isOn = isPreview
    ? at(config, 'techPreviewUserWorkload', 'enabled') === true
    : at(config, 'enableUserWorkload') === true;
  if (!isOn) return [];
  const namespace = 'openshift-user-workload-monitoring';
  const own = isPreview ? config : ownSettings(world, namespace);
  const [prometheus, operator] = isPreview
    ? ['prometheusUserWorkload', 'prometheusOperatorUserWorkload']
    : ['prometheus', 'prometheusOperator'];
  const make = makeIn(namespace, own);
  const hasAlertmanager = isAtLeast(world.release, 4, 11) && at(own, 'alertmanager', 'enabled') === true;
  return [
    make('StatefulSet', prometheus, 'prometheus-user-workload', 2, { isExclusive: true }),
    make('StatefulSet', 'thanosRuler', 'thanos-ruler-user-workload', 2, { isExclusive: true }),
    make('Deployment', operator, 'prometheus-operator', 1),
    ...(hasAlertmanager
      ? [make('StatefulSet', 'alertmanager', 'alertmanager-user-workload', 2, { isExclusive: true })]
      : []),
  ];
}

/** The settings of users' projects; what is no YAML counts as none. */
function ownSettings({ store }: Operated, namespace: string): unknown {
  const map = store.get('configmaps', namespace, 'user-workload-monitoring-config');
  try {
    return settingsIn(textAt(map, 'data', 'config.yaml'));
  } catch {
    return null;
  }
}
