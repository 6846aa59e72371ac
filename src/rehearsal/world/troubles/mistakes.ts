import { isRecord, textAt } from '../../api/objects.ts';
import { chance } from '../../site/random.ts';
import { ensure } from '../operators/cluster-objects.ts';
import { APPROVER, STORAGE } from '../workloads/plan-added.ts';
import { schedulableNode } from '../workloads/scheduler.ts';
import type { World } from '../world.ts';

// What a person, or something that a person installed, does in a cluster that runs.

/** Somebody installs an approver that knows other host names, and denies the rest. */
export function installApprover({ store }: World): boolean {
  addNamespace(store, APPROVER);
  return true;
}

/** Somebody takes a compute node out of scheduling, and forgets it. */
export function cordonNode(world: World): boolean {
  const { store, seed } = world;
  const nodes = store
    .list('nodes')
    .map(schedulableNode)
    .filter(({ isReady, labels }) => isReady && 'node-role.kubernetes.io/worker' in labels);
  const node = nodes[Math.floor(chance(seed, 'node-cordoned') * nodes.length)];
  if (node === undefined) return false;
  store.mutate('nodes', null, node.name, (change) => {
    change.spec = { ...(isRecord(change.spec) ? change.spec : {}), unschedulable: true };
  });
  return true;
}

/** Somebody adds a MachineConfig that was made for a newer release. */
export function addMachineConfig({ store }: World): boolean {
  ensure(store, 'machineconfigs.machineconfiguration.openshift.io', {
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

/** Somebody begins an update by the digest of an image that nothing vouches for. */
export function beginUpdate({ store }: World): boolean {
  const version = store.get('clusterversions.config.openshift.io', null, 'version');
  const [major, minor, patch] = textAt(version, 'status', 'desired', 'version').split('.');
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

/** Somebody wants the routers to be gone for a moment. */
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

/** The provisioner of the storage class was installed for nodes that are not labelled, and somebody asks for a volume. */
export function askForVolume({ store }: World): boolean {
  addNamespace(store, STORAGE);
  addNamespace(store, 'shop');
  ensure(store, 'persistentvolumeclaims', {
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
  ensure(store, 'namespaces', {
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  });
}
