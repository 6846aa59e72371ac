import { toMinorVersion } from '../../../design/versions.ts';
import { type ConditionReason, findCondition, getField, getString } from '../../api/objects.ts';
import type { Store } from '../../api/store.ts';
import type { World } from '../world.ts';

/** APIs that Kubernetes removed, with the version without them (kubernetes.io, deprecated API migration guide). */
const REMOVED_APIS: readonly (readonly [name: string, version: string])[] = [
  ['poddisruptionbudgets.v1beta1.policy', '1.25'],
  ['horizontalpodautoscalers.v2beta2.autoscaling', '1.26'],
  ['csistoragecapacities.v1beta1.storage.k8s.io', '1.27'],
  ['flowschemas.v1beta2.flowcontrol.apiserver.k8s.io', '1.29'],
  ['flowschemas.v1beta3.flowcontrol.apiserver.k8s.io', '1.32'],
];

/** Gates of a minor version that the administrator acknowledges (openshift-docs, preparing to update a cluster). */
const GATE_BY_MINOR_VERSION: Readonly<Record<string, readonly [gate: string, kubernetes: string, next: string]>> = {
  '4.12': ['ack-4.12-kube-1.26-api-removals-in-4.13', '1.26', '4.13'],
  '4.13': ['ack-4.13-kube-1.27-api-removals-in-4.14', '1.27', '4.14'],
  '4.15': ['ack-4.15-kube-1.29-api-removals-in-4.16', '1.29', '4.16'],
  '4.18': ['ack-4.18-kube-1.32-api-removals-in-4.19', '1.32', '4.19'],
};

/** Creates the objects to check before an update: the FeatureGate, admin gates and acks, and APIRequestCounts. */
export function createUpdateObjects({ store, release }: Pick<World, 'store' | 'release'>): void {
  store.ensure('featuregates.config.openshift.io', { metadata: { name: 'cluster' }, spec: {} });
  const gate = GATE_BY_MINOR_VERSION[toMinorVersion(release.version)];
  store.ensure('configmaps', {
    metadata: { name: 'admin-gates', namespace: 'openshift-config-managed' },
    data:
      gate === undefined
        ? {}
        : {
            [gate[0]]: `Kubernetes ${gate[1]} and therefore OpenShift ${gate[2]} remove several APIs which require admin consideration.`,
          },
  });
  store.ensure('configmaps', { metadata: { name: 'admin-acks', namespace: 'openshift-config' }, data: {} });
  const minor = Number(release.kubernetesVersion.split('.')[1]);
  const servedApis = REMOVED_APIS.filter(([, version]) => Number(version.split('.')[1]) > minor);
  for (const [name, removedInRelease] of [...servedApis, ['pods.v1', ''] as const])
    store.ensure('apirequestcounts.apiserver.openshift.io', {
      metadata: { name },
      spec: { numberOfUsersToReport: 10 },
      status: buildRequestCounts(removedInRelease, removedInRelease === '' ? 'system:admin' : GARBAGE_COLLECTOR),
    });
}

/** The garbage collector requests every API that is served. */
const GARBAGE_COLLECTOR = 'system:serviceaccount:kube-system:generic-garbage-collector';

function buildRequestCounts(removedInRelease: string, username: string) {
  const byUser = [{ username, userAgent: 'kube-controller-manager', requestCount: 4, byVerb: [] }];
  const hour = { requestCount: 4, byNode: [{ nodeName: '172.16.0.21', requestCount: 4, byUser }] };
  return {
    ...(removedInRelease === '' ? {} : { removedInRelease }),
    requestCount: 4,
    currentHour: hour,
    last24h: [hour],
  };
}

/**
 * Finds why the cluster-version-operator refuses an update to the next minor version: operators that are not
 * upgradeable, and gates without an acknowledgment (pkg/cvo/upgradeable.go). Null: the update is allowed.
 */
export function findUpdateRefusal(store: Store, version: string): ConditionReason | null {
  const operators = store.list('clusteroperators.config.openshift.io').flatMap((operator) => {
    const condition = findCondition(operator, 'Upgradeable');
    if (condition?.status !== 'False') return [];
    const [reason, message] = [getString(condition, 'reason'), getString(condition, 'message')];
    return [{ name: operator.metadata.name, reason, message }];
  });
  const operatorRefusal = describeOperatorRefusals(operators);
  const gates = getField(store.get('configmaps', 'openshift-config-managed', 'admin-gates'), 'data');
  const acks = getField(store.get('configmaps', 'openshift-config', 'admin-acks'), 'data');
  const openGates = Object.entries(Object(gates ?? {})).filter(
    ([gate]) => gate.startsWith(`ack-${toMinorVersion(version)}-`) && getField(acks, gate) !== 'true',
  );
  if (openGates.length === 0) return operatorRefusal;
  const gateMessage = openGates.map(([, text]) => String(text)).join(' ');
  return operatorRefusal === null
    ? { reason: 'AdminAckRequired', message: gateMessage }
    : { reason: 'MultipleReasons', message: `${gateMessage} ${operatorRefusal.message}` };
}

function describeOperatorRefusals(
  operators: readonly (ConditionReason & { readonly name: string })[],
): ConditionReason | null {
  const [firstOperator] = operators;
  if (firstOperator === undefined) return null;
  const formatRefusalPrefix = (name: string) =>
    `Cluster operator ${name} should not be upgraded between minor versions`;
  if (operators.length === 1)
    return {
      reason: firstOperator.reason,
      message: `${formatRefusalPrefix(firstOperator.name)}: ${firstOperator.message}`,
    };
  const lines = operators.map(({ name, reason, message }) => `* ${formatRefusalPrefix(name)}: ${reason}: ${message}`);
  const message = `Multiple cluster operators should not be upgraded between minor versions:\n${lines.join('\n')}`;
  return { reason: 'ClusterOperatorsNotUpgradeable', message };
}
