import { at } from '../../api/objects.ts';
import type { Operated } from '../world.ts';
import type { Placement } from './scheduler.ts';
import { LINUX, type Workload, workload } from './workload.ts';

// What somebody added to the cluster: it runs while its namespace is there, in as many pods as they say.

/** An approver of certificate requests. */
export const APPROVER = 'csr-approver';
/** The provisioner of the storage class `standard`. */
export const STORAGE = 'storage-csi';
export const PROVISIONER = `${STORAGE}/csi-provisioner`;

const ON_MASTERS: Placement = {
  nodeSelector: { 'node-role.kubernetes.io/master': '' },
  tolerations: [{ key: 'node-role.kubernetes.io/master', operator: 'Exists' }],
};
const BY_THE_STORAGE: Placement = { nodeSelector: { ...LINUX, 'example.com/storage-network': '' }, tolerations: [] };

export function added(world: Operated): Workload[] {
  return [
    ...deployment(world, `${APPROVER}/csr-approver`, ON_MASTERS),
    ...deployment(world, PROVISIONER, BY_THE_STORAGE),
  ];
}

function deployment({ store }: Operated, path: string, placement: Placement): Workload[] {
  const [namespace = '', name = ''] = path.split('/');
  if (store.get('namespaces', null, namespace)?.metadata.deletionTimestamp !== undefined) return [];
  if (store.get('namespaces', null, namespace) === undefined) return [];
  const replicas = at(store.get('deployments.apps', namespace, name), 'spec', 'replicas');
  return [workload('Deployment', 'none', path, placement, { replicas: typeof replicas === 'number' ? replicas : 1 })];
}
