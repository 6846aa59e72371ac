import { LOKI_PARTS } from '../../api/kinds/schemas-installed.ts';
import { at, isRecord, type KubeObject, textAt } from '../../api/objects.ts';
import { isAtLeast } from '../../site/versions.ts';
import type { Operated } from '../world.ts';
import { type Placement, placementAt, type Toleration } from './scheduler.ts';
import { settingsIn } from './settings-text.ts';
import { ANYWHERE, LINUX, type Workload, workload } from './workload.ts';

// What runs for settings that a cluster need not have. No ClusterOperator waits for any of it.

const DIAGNOSTICS = 'openshift-network-diagnostics';
const STORAGE = 'openshift-storage';
const ALL: Placement = { nodeSelector: LINUX, tolerations: [{ operator: 'Exists' }] };
/** What rook and the CSI operator of OpenShift Data Foundation tolerate by themselves. */
const STORAGE_TAINT: Toleration = {
  key: 'node.ocs.openshift.io/storage',
  operator: 'Equal',
  value: 'true',
  effect: 'NoSchedule',
};

/** The checks between nodes, logging and the CSI plugins of Ceph, where they are configured. */
export function installed(world: Operated): Workload[] {
  return [...networkChecks(world), ...logging(world), ...cephPlugins(world)];
}

/** openshift/cluster-network-operator, bindata/network-diagnostics: who asks, and who is asked on every node. */
function networkChecks({ store, release }: Operated): Workload[] {
  const network = store.get('networks.config.openshift.io', null, 'cluster');
  if (network === undefined) return [];
  const own = at(network, 'spec', 'networkDiagnostics');
  const isSet = isRecord(own) && Object.keys(own).length > 0;
  const operator = store.get('networks.operator.openshift.io', null, 'cluster');
  const isOff = isSet ? textAt(own, 'mode') === 'Disabled' : at(operator, 'spec', 'disableNetworkDiagnostics') === true;
  if (isOff) return [];
  const placed = isAtLeast(release, 4, 16) ? own : undefined;
  const source = placementAt(at(placed, 'sourcePlacement'), ANYWHERE);
  const target = placementAt(at(placed, 'targetPlacement'), ALL);
  return [
    workload('Deployment', 'network-diagnostics', `${DIAGNOSTICS}/network-check-source`, source),
    workload('DaemonSet', 'network-diagnostics', `${DIAGNOSTICS}/network-check-target`, target),
  ];
}

function logging({ store }: Operated): Workload[] {
  const of = (resource: string) => store.list(resource);
  return [
    ...of('clusterloggings.logging.openshift.io').flatMap(clusterLogging),
    ...of('clusterlogforwarders.observability.openshift.io').map((one) =>
      collector(one, one.metadata.name, at(one, 'spec', 'collector')),
    ),
    ...of('lokistacks.loki.grafana.com').flatMap(loki),
  ];
}

function clusterLogging(one: KubeObject): Workload[] {
  const { namespace } = one.metadata;
  const collection = at(one, 'spec', 'collection');
  const store = at(one, 'spec', 'logStore', 'elasticsearch');
  const kibana = at(one, 'spec', 'visualization', 'kibana');
  return [
    ...(isRecord(collection) ? [collector(one, 'collector', at(collection, 'logs', 'fluentd') ?? collection)] : []),
    ...(isRecord(store)
      ? [
          workload('StatefulSet', 'logging', `${namespace}/elasticsearch`, placementAt(store, ANYWHERE), {
            replicas: Number(store.nodeCount ?? 3),
            isExclusive: true,
            labels: { component: 'elasticsearch' },
          }),
        ]
      : []),
    ...(isRecord(kibana)
      ? [
          workload('Deployment', 'logging', `${namespace}/kibana`, placementAt(kibana, ANYWHERE), {
            labels: { component: 'kibana' },
          }),
        ]
      : []),
  ];
}

/** It reads the logs of each node: it tolerates the control plane by itself, and what it is told beside that. */
function collector({ metadata }: KubeObject, name: string, settings: unknown): Workload {
  const { nodeSelector, tolerations } = placementAt(settings, { nodeSelector: LINUX, tolerations: [] });
  const own = ['node-role.kubernetes.io/master', 'node.kubernetes.io/disk-pressure'].map((key) => ({
    key,
    operator: 'Exists',
    effect: 'NoSchedule',
  }));
  const placement = { nodeSelector, tolerations: [...own, ...tolerations] };
  return workload('DaemonSet', 'logging', `${metadata.namespace}/${name}`, placement);
}

/** grafana/loki operator, internal/manifests: what keeps data is a StatefulSet. */
function loki({ metadata, spec }: KubeObject): Workload[] {
  return LOKI_PARTS.map((part) => {
    const isStore = ['compactor', 'indexGateway', 'ingester', 'ruler'].includes(part);
    const name = `${metadata.name}-${part.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const settings = at(spec, 'template', part);
    return workload(
      isStore ? 'StatefulSet' : 'Deployment',
      'logging',
      `${metadata.namespace}/${name}`,
      placementAt(settings, ANYWHERE),
      {
        replicas: Number(at(settings, 'replicas') ?? 1),
        labels: { 'app.kubernetes.io/managed-by': 'lokistack-controller' },
      },
    );
  });
}

/** By Drivers of the CSI operator where there are any, else by the ConfigMap of Rook. */
function cephPlugins({ store }: Operated): Workload[] {
  const drivers = store.list('drivers.csi.ceph.io', STORAGE);
  if (drivers.length > 0)
    return drivers.flatMap(({ metadata, spec }) => [
      plugin(`${metadata.name}-nodeplugin`, placementAt(at(spec, 'nodePlugin'), ALL_OF_STORAGE)),
      provisioner(`${metadata.name}-ctrlplugin`, placementAt(at(spec, 'controllerPlugin'), ALL_OF_STORAGE)),
    ]);
  const map = store.get('configmaps', STORAGE, 'rook-ceph-operator-config');
  if (map === undefined) return [];
  const placed = (key: string): Placement => ({
    nodeSelector: LINUX,
    tolerations: listIn(textAt(map, 'data', key)) ?? [STORAGE_TAINT],
  });
  return ['csi-rbdplugin', 'csi-cephfsplugin'].flatMap((name) => [
    plugin(name, placed('CSI_PLUGIN_TOLERATIONS')),
    provisioner(`${name}-provisioner`, placed('CSI_PROVISIONER_TOLERATIONS')),
  ]);
}

const ALL_OF_STORAGE: Placement = { nodeSelector: LINUX, tolerations: [STORAGE_TAINT] };

const plugin = (name: string, placement: Placement) =>
  workload('DaemonSet', 'storage', `${STORAGE}/${name}`, placement);

const provisioner = (name: string, placement: Placement) =>
  workload('Deployment', 'storage', `${STORAGE}/${name}`, placement, { replicas: 2, isExclusive: true });

/** The list that a text says; null where it says none. */
function listIn(text: string): Toleration[] | null {
  try {
    const found: unknown = settingsIn(text);
    return Array.isArray(found) ? found : null;
  } catch {
    return null;
  }
}
