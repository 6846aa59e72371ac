import { getField } from '../../api/objects.ts';
import type { OperatorContext } from '../world.ts';
import type { Placement } from './scheduler.ts';
import { createWorkload, LINUX, type Workload } from './workload.ts';

// Workloads that an administrator added. They run while their namespace exists, with the replicas of their Deployment.

/** Namespace of an approver of certificate requests. */
export const APPROVER_NAMESPACE = 'csr-approver';
/** Namespace of the provisioner of the storage class `standard`. */
export const STORAGE_NAMESPACE = 'storage-csi';
export const PROVISIONER_PATH = `${STORAGE_NAMESPACE}/csi-provisioner`;

const CONTROL_PLANE_PLACEMENT: Placement = {
  nodeSelector: { 'node-role.kubernetes.io/master': '' },
  tolerations: [{ key: 'node-role.kubernetes.io/master', operator: 'Exists' }],
};
const STORAGE_NETWORK_PLACEMENT: Placement = {
  nodeSelector: { ...LINUX, 'example.com/storage-network': '' },
  tolerations: [],
};

/** Plans the workloads that an administrator added. */
export function planAdminWorkloads(world: OperatorContext): Workload[] {
  return [
    ...planDeployment(world, `${APPROVER_NAMESPACE}/csr-approver`, CONTROL_PLANE_PLACEMENT),
    ...planDeployment(world, PROVISIONER_PATH, STORAGE_NETWORK_PLACEMENT),
  ];
}

function planDeployment({ store }: OperatorContext, path: string, placement: Placement): Workload[] {
  const [namespace = '', name = ''] = path.split('/');
  if (store.get('namespaces', null, namespace)?.metadata.deletionTimestamp !== undefined) return [];
  if (store.get('namespaces', null, namespace) === undefined) return [];
  const replicas = getField(store.get('deployments.apps', namespace, name), 'spec', 'replicas');
  return [
    createWorkload('Deployment', 'none', path, placement, { replicas: typeof replicas === 'number' ? replicas : 1 }),
  ];
}
