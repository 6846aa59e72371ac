import { isAtLeast, type ReleaseFacts } from '../../site/versions.ts';

/** What an operator waits for before it is available. */
export type OperatorNeed = 'control-plane' | 'compute' | 'routes';

export interface OperatorFacts {
  readonly name: string;
  /** Minutes from the API's first answer until it begins, and from there (its needs met) until it is available. */
  readonly start: number;
  readonly duration: number;
  readonly need: OperatorNeed;
}

const fact = (name: string, start: number, duration: number, need: OperatorNeed = 'control-plane'): OperatorFacts => ({
  name,
  start,
  duration,
  need,
});

/** In the order in which they come up on bare metal; the last ones wait for routers, and so for compute nodes. */
const OPERATORS: readonly OperatorFacts[] = [
  fact('cloud-credential', 4, 1),
  fact('network', 4, 4),
  fact('config-operator', 6, 2),
  fact('etcd', 6, 6),
  fact('kube-apiserver', 6, 20),
  fact('kube-controller-manager', 6, 7),
  fact('kube-scheduler', 6, 6),
  fact('cloud-controller-manager', 5, 1),
  fact('service-ca', 7, 2),
  fact('dns', 7, 3),
  fact('machine-config', 7, 5),
  fact('operator-lifecycle-manager', 7, 3),
  fact('operator-lifecycle-manager-catalog', 7, 3),
  fact('kube-storage-version-migrator', 8, 3),
  fact('openshift-controller-manager', 8, 5),
  fact('openshift-apiserver', 8, 8),
  fact('node-tuning', 8, 3),
  fact('cluster-autoscaler', 8, 2),
  fact('control-plane-machine-set', 8, 2),
  fact('csi-snapshot-controller', 8, 3),
  fact('machine-api', 8, 2),
  fact('machine-approver', 8, 2),
  fact('baremetal', 8, 2),
  fact('marketplace', 9, 2),
  fact('storage', 9, 2),
  fact('insights', 9, 3),
  fact('olm', 9, 3),
  fact('operator-lifecycle-manager-packageserver', 10, 4),
  fact('openshift-samples', 14, 10),
  fact('image-registry', 10, 3, 'compute'),
  fact('ingress', 10, 4, 'compute'),
  fact('monitoring', 10, 10, 'compute'),
  fact('authentication', 10, 12, 'routes'),
  fact('console', 10, 8, 'routes'),
];

/** The cluster operators of a release. */
export function operatorsOf(release: ReleaseFacts): readonly OperatorFacts[] {
  const since: Readonly<Record<string, number>> = {
    olm: 18,
    'control-plane-machine-set': 12,
    baremetal: 7,
    'cloud-controller-manager': 9,
  };
  return OPERATORS.filter(({ name }) => isAtLeast(release, 4, since[name] ?? 0));
}
