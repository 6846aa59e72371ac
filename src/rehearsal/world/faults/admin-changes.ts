import { getString, isRecord } from '../../api/objects.ts';
import { deriveRandom } from '../../site/seeded-random.ts';
import { ensureObject } from '../operators/cluster-objects.ts';
import { APPROVER_NAMESPACE, STORAGE_NAMESPACE } from '../workloads/plan-admin-workloads.ts';
import { toSchedulableNode } from '../workloads/scheduler.ts';
import type { World } from '../world.ts';

// Changes in a running cluster by an administrator, or by something that an administrator installed.

/** Installs an approver that accepts only other host names and denies the rest. */
export function installApprover({ store }: World): boolean {
  addNamespace(store, APPROVER_NAMESPACE);
  return true;
}

/** Cordons a compute node, which nothing uncordons afterwards. */
export function cordonNode(world: World): boolean {
  const { store, seed } = world;
  const nodes = store
    .list('nodes')
    .map(toSchedulableNode)
    .filter(({ isReady, labels }) => isReady && 'node-role.kubernetes.io/worker' in labels);
  const node = nodes[Math.floor(deriveRandom(seed, 'node-cordoned') * nodes.length)];
  if (node === undefined) return false;
  store.mutate('nodes', null, node.name, (change) => {
    change.spec = { ...(isRecord(change.spec) ? change.spec : {}), unschedulable: true };
  });
  return true;
}

/** Adds a MachineConfig that was made for a newer release. */
export function addMachineConfig({ store }: World): boolean {
  ensureObject(store, 'machineconfigs.machineconfiguration.openshift.io', {
    metadata: { name: '99-worker-sysctl', labels: { 'machineconfiguration.openshift.io/role': 'worker' } },
    spec: {
      config: {
        ignition: { version: '3.6.0' },
        storage: {
          files: [
            {
              path: '/etc/sysctl.d/99-net.conf',
              mode: 420,
              overwrite: true,
              contents: { source: 'data:,net.core.somaxconn%3D1024' },
            },
          ],
        },
      },
    },
  });
  return true;
}

/** Starts an update by the digest of an unsigned image. */
export function startUpdate({ store }: World): boolean {
  const version = store.get('clusterversions.config.openshift.io', null, 'version');
  const [major, minor, patch] = getString(version, 'status', 'desired', 'version').split('.');
  const digest = 'b1f0f64a5d6a0c0b7e9d27d1b3d9a5b4f3c1f0e2d4c6b8a09182736455463728';
  const update = {
    version: `${major}.${minor}.${Number.parseInt(patch ?? '0', 10) + 1}`,
    image: `quay.io/openshift-release-dev/ocp-release@sha256:${digest}`,
    force: false,
  };
  store.mutate('clusterversions.config.openshift.io', null, 'version', (change) => {
    change.spec = { ...(isRecord(change.spec) ? change.spec : {}), desiredUpdate: update };
  });
  return true;
}

/** Scales the routers down to zero. */
export function scaleRoutersDown({ store }: World): boolean {
  const found = store.mutate(
    'ingresscontrollers.operator.openshift.io',
    'openshift-ingress-operator',
    'default',
    (change) => {
      change.spec = { ...(isRecord(change.spec) ? change.spec : {}), replicas: 0 };
    },
  );
  return found !== undefined;
}

/** Requests a volume from a provisioner whose node selector matches no node. */
export function requestVolume({ store }: World): boolean {
  addNamespace(store, STORAGE_NAMESPACE);
  addNamespace(store, 'shop');
  ensureObject(store, 'persistentvolumeclaims', {
    metadata: {
      name: 'orders',
      namespace: 'shop',
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '10Gi' } },
      storageClassName: 'standard',
      volumeMode: 'Filesystem',
    },
    status: {},
  });
  return true;
}

function addNamespace(store: World['store'], name: string): void {
  ensureObject(store, 'namespaces', {
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  });
}
