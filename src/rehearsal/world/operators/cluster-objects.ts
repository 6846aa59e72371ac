import { formatTimestamp, getField, getString, isRecord, type NewObject } from '../../api/objects.ts';
import { findKind, registry } from '../../api/registry.ts';
import type { Store } from '../../api/store.ts';
import type { ClusterState } from '../saved.ts';
import { buildDefaultSettings } from '../workloads/plan.ts';
import type { World } from '../world.ts';

const NAMESPACES = [
  'default',
  'kube-system',
  'kube-public',
  'kube-node-lease',
  'openshift-apiserver',
  'openshift-authentication',
  'openshift-cluster-version',
  'openshift-config',
  'openshift-config-managed',
  'openshift-console',
  'openshift-dns',
  'openshift-dns-operator',
  'openshift-etcd',
  'openshift-image-registry',
  'openshift-ingress',
  'openshift-ingress-canary',
  'openshift-ingress-operator',
  'openshift-kube-apiserver',
  'openshift-machine-api',
  'openshift-machine-config-operator',
  'openshift-monitoring',
  'openshift-network-diagnostics',
  'openshift-user-workload-monitoring',
];

/**
 * Creates the objects that a cluster has from the start: namespaces, its manifests, and the settings that operators
 * read.
 */
export function seedCluster(world: World, cluster: ClusterState, manifests: readonly Record<string, unknown>[]): void {
  const { store } = world;
  for (const name of NAMESPACES) {
    ensureObject(store, 'namespaces', {
      metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  }
  for (const document of manifests) ensureManifest(store, document);
  const { clusterDomain, version } = cluster;
  const startedTime = formatTimestamp(cluster.apiSince);
  const image = `quay.io/openshift-release-dev/ocp-release:${version}-${world.design.openshift.architecture}`;
  ensureObject(store, 'configmaps', {
    metadata: { name: 'bootstrap', namespace: 'kube-system' },
    data: { status: 'progress' },
  });
  ensureObject(store, 'clusterversions.config.openshift.io', {
    metadata: { name: 'version' },
    spec: {
      clusterID: 'f6d0d9b1-5f0c-4b4e-9d8c-0f4f7d9b6a11',
      channel: `stable-${world.release.minor.join('.')}`,
    },
    status: {
      desired: { version, image },
      history: [{ state: 'Partial', startedTime, completionTime: null, version, image, verified: false }],
      observedGeneration: 1,
      versionHash: 'rehearsal',
      conditions: [],
      availableUpdates: null,
    },
  });
  for (const [resource, object] of buildDefaultSettings(clusterDomain)) ensureObject(store, resource, object);
  for (const name of ['master', 'worker']) {
    ensureObject(store, 'machineconfigpools.machineconfiguration.openshift.io', {
      metadata: { name, labels: { [`pools.operator.machineconfiguration.openshift.io/${name}`]: '' } },
      spec: {
        machineConfigSelector: { matchLabels: { 'machineconfiguration.openshift.io/role': name } },
        nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } },
        paused: false,
      },
    });
  }
  if (world.faults.has('storage-class-missing')) return;
  ensureObject(store, 'storageclasses.storage.k8s.io', {
    metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'csi.storage.example.com',
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
    allowVolumeExpansion: true,
  });
}

/** Creates the object of a manifest from the installer or the user. Kinds that the API does not serve are ignored. */
function ensureManifest(store: Store, document: Record<string, unknown>): void {
  const [version = '', group = ''] = String(document.apiVersion ?? '')
    .split('/')
    .reverse();
  const found = [...registry].find(
    ([, kind]) => kind.group === group && kind.version === version && kind.kind === document.kind,
  );
  if (!found || !isRecord(getField(document, 'metadata')) || getString(document, 'metadata', 'name') === '') return;
  ensureObject(store, found[0], document as NewObject);
}

/** Creates an object unless it exists. */
export function ensureObject(store: Store, resource: string, object: NewObject): void {
  const { name = '', namespace } = object.metadata;
  const objectNamespace = findKind(resource).namespaced ? (namespace ?? 'default') : null;
  if (!store.get(resource, objectNamespace, name)) store.create(resource, object);
}
