import { isAtLeast, type ReleaseFacts } from '../../site/config.ts';

/** Prerequisite of an operator before it becomes available. */
type OperatorPrerequisite = 'control-plane' | 'compute' | 'routes';

export interface OperatorFacts {
  readonly name: string;
  /**
   * Minutes from the API's first answer until it starts, and from there (with its prerequisite met) until it is
   * available.
   */
  readonly startMinutes: number;
  readonly durationMinutes: number;
  readonly prerequisite: OperatorPrerequisite;
}

const defineOperator = (
  name: string,
  startMinutes: number,
  durationMinutes: number,
  prerequisite: OperatorPrerequisite = 'control-plane',
): OperatorFacts => ({
  name,
  startMinutes,
  durationMinutes,
  prerequisite,
});

/**
 * In the order in which they become available on bare metal. The last ones wait for routers, and so for compute nodes.
 */
const OPERATORS: readonly OperatorFacts[] = [
  defineOperator('cloud-credential', 4, 1),
  defineOperator('network', 4, 4),
  defineOperator('config-operator', 6, 2),
  defineOperator('etcd', 6, 6),
  defineOperator('kube-apiserver', 6, 20),
  defineOperator('kube-controller-manager', 6, 7),
  defineOperator('kube-scheduler', 6, 6),
  defineOperator('cloud-controller-manager', 5, 1),
  defineOperator('service-ca', 7, 2),
  defineOperator('dns', 7, 3),
  defineOperator('machine-config', 7, 5),
  defineOperator('operator-lifecycle-manager', 7, 3),
  defineOperator('operator-lifecycle-manager-catalog', 7, 3),
  defineOperator('kube-storage-version-migrator', 8, 3),
  defineOperator('openshift-controller-manager', 8, 5),
  defineOperator('openshift-apiserver', 8, 8),
  defineOperator('node-tuning', 8, 3),
  defineOperator('cluster-autoscaler', 8, 2),
  defineOperator('control-plane-machine-set', 8, 2),
  defineOperator('csi-snapshot-controller', 8, 3),
  defineOperator('machine-api', 8, 2),
  defineOperator('machine-approver', 8, 2),
  defineOperator('baremetal', 8, 2),
  defineOperator('marketplace', 9, 2),
  defineOperator('storage', 9, 2),
  defineOperator('insights', 9, 3),
  defineOperator('olm', 9, 3),
  defineOperator('operator-lifecycle-manager-packageserver', 10, 4),
  defineOperator('openshift-samples', 14, 10),
  defineOperator('image-registry', 10, 3, 'compute'),
  defineOperator('ingress', 10, 4, 'compute'),
  defineOperator('monitoring', 10, 10, 'compute'),
  defineOperator('authentication', 10, 12, 'routes'),
  defineOperator('console', 10, 8, 'routes'),
];

/** Lists the cluster Operators of a release. */
export function listOperators(release: ReleaseFacts): readonly OperatorFacts[] {
  const firstMinor: Readonly<Record<string, number>> = {
    olm: 18,
    'control-plane-machine-set': 12,
    baremetal: 7,
    'cloud-controller-manager': 9,
  };
  return OPERATORS.filter(({ name }) => isAtLeast(release, 4, firstMinor[name] ?? 0));
}
