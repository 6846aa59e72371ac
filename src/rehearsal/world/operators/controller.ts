import { MINUTE } from '../../../platform/clock.ts';
import {
  buildCondition,
  formatTimestamp,
  getField,
  getString,
  isDeepEqual,
  isRecord,
  type KubeObject,
} from '../../api/objects.ts';
import { type Canary, createCanary } from '../network/endpoints.ts';
import { describeBootImageSkew, reconcilePools } from '../nodes/pools.ts';
import { isRolledOut } from '../workloads/controller.ts';
import { planWorkloads } from '../workloads/plan.ts';
import type { Workload } from '../workloads/workload.ts';
import { mergeStatus, type World } from '../world.ts';
import { updateClusterVersionStatus } from './cluster-version.ts';
import { advanceOperatorState, listOperators, type OperatorDefinition, type OperatorState } from './state.ts';

const OPERATOR_RESOURCE = 'clusteroperators.config.openshift.io';
/** Delay from the API's first answer until the routes of the console and of other operators exist. */
const ROUTES_DELAY = 9 * MINUTE;

/** Creates the operators of a cluster, with the state that they keep between two reconciliations. */
export function createOperatorController(world: World, canary = createCanary(world)): { reconcile(): void } {
  const definitions = listOperators(world.release);
  return {
    reconcile() {
      const { cluster } = world.saved;
      if (cluster === null) return;
      const workloads = planWorkloads(world);
      if (world.clock.now() >= cluster.apiSince + ROUTES_DELAY) {
        createRoutes(world, cluster.clusterDomain, cluster.ingressAuthority.certPem);
        canary.checkIfDue();
      }
      reconcilePools(world);
      for (const definition of definitions)
        updateOperator(world, definition, advanceOperatorState(world, definition, workloads, canary));
      updateIngressControllerStatus(world, workloads, canary);
      updateRegistryStatus(world, workloads);
      updateClusterVersionStatus(world, definitions);
    },
  };
}

/** The state and version that each ClusterOperator object reports: an unchanged state is not written again. */
const reportedStateByObject = new WeakMap<
  KubeObject,
  OperatorState & { readonly version: string; readonly skew: string | null }
>();

function updateOperator(world: World, { name }: OperatorDefinition, state: OperatorState | null): void {
  if (state === null) return;
  const { store } = world;
  const skew = name === 'machine-config' ? describeBootImageSkew(world) : null;
  const newState = { ...state, version: world.saved.cluster?.version ?? '', skew };
  const object = store.ensure(OPERATOR_RESOURCE, { metadata: { name }, spec: {}, status: {} });
  if (isDeepEqual(reportedStateByObject.get(object), newState)) return;
  const now = world.clock.now();
  const createCondition = (type: string, isTrue: boolean, usesState: boolean) => {
    const { reason, message } = usesState ? state : { reason: 'AsExpected', message: '' };
    return buildCondition(now, object, type, isTrue, reason, message);
  };
  const conditions = [
    createCondition('Degraded', state.isDegraded, state.isDegraded),
    createCondition('Progressing', state.isProgressing, state.isProgressing),
    createCondition('Available', state.isAvailable, !state.isAvailable),
    skew === null
      ? createCondition('Upgradeable', true, false)
      : buildCondition(now, object, 'Upgradeable', false, 'ClusterBootImageSkewError', skew),
  ];
  const versions = state.isAvailable ? [{ name: 'operator', version: newState.version }] : [];
  const status = { conditions, versions, relatedObjects: listRelatedObjects(name) };
  const updatedObject = store.mutate(OPERATOR_RESOURCE, null, name, (operator) => {
    operator.status = status;
  });
  if (updatedObject !== undefined) reportedStateByObject.set(updatedObject, newState);
}

/** Lists the namespaces that `oc adm inspect` follows: the operator's, its operands', the configuration. */
function listRelatedObjects(name: string): Record<string, string>[] {
  const ownNamespaces = OPERATOR_NAMESPACES[name] ?? [`openshift-${name}`, `openshift-${name}-operator`];
  const namespaces = ['openshift-config', 'openshift-config-managed', ...ownNamespaces];
  return namespaces.map((namespace) => ({ group: '', resource: 'namespaces', name: namespace }));
}

const OPERATOR_NAMESPACES: Readonly<Record<string, readonly string[]>> = {
  authentication: ['openshift-authentication', 'openshift-oauth-apiserver', 'openshift-authentication-operator'],
  ingress: ['openshift-ingress-operator', 'openshift-ingress', 'openshift-ingress-canary'],
  insights: ['openshift-insights'],
  'image-registry': ['openshift-image-registry'],
  'machine-config': ['openshift-machine-config-operator'],
  monitoring: ['openshift-monitoring', 'openshift-user-workload-monitoring'],
  network: ['openshift-ovn-kubernetes', 'openshift-multus', 'openshift-network-operator'],
  'openshift-samples': ['openshift-cluster-samples-operator'],
};

/**
 * Creates the routes that users and operators access. Stores the CA of the routers in a Secret, and in the ConfigMap
 * that the installer reads.
 */
function createRoutes(world: World, clusterDomain: string, caPem: string): void {
  const { store, clock } = world;
  const routes: readonly [string, string][] = [
    ['openshift-console', 'console'],
    ['openshift-console', 'downloads'],
    ['openshift-ingress-canary', 'canary'],
    ['openshift-authentication', 'oauth-openshift'],
  ];
  const domain = `apps.${clusterDomain}`;
  const router = { routerCanonicalHostname: `router-default.${domain}`, routerName: 'default' };
  const conditions = [{ type: 'Admitted', status: 'True', lastTransitionTime: formatTimestamp(clock.now()) }];
  for (const [namespace, name] of routes) {
    const isOauth = name === 'oauth-openshift';
    const host = `${isOauth ? name : `${name}-${namespace}`}.${domain}`;
    store.ensure('routes.route.openshift.io', {
      metadata: { name, namespace },
      spec: {
        host,
        to: { kind: 'Service', name, weight: 100 },
        tls: { termination: isOauth ? 'passthrough' : 'reencrypt' },
        wildcardPolicy: 'None',
      },
      status: { ingress: [{ host, ...router, conditions }] },
    });
  }
  store.ensure('configmaps', {
    metadata: { name: 'default-ingress-cert', namespace: 'openshift-config-managed' },
    data: { 'ca-bundle.crt': caPem },
  });
  store.ensure('secrets', {
    metadata: { name: 'router-ca', namespace: 'openshift-ingress-operator' },
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': Buffer.from(caPem).toString('base64') },
  });
}

function updateIngressControllerStatus(world: World, workloads: readonly Workload[], canary: Canary): void {
  const resource = 'ingresscontrollers.operator.openshift.io';
  const controller = world.store.get(resource, 'openshift-ingress-operator', 'default');
  const router = workloads.find(({ name }) => name === 'router-default');
  if (!controller || !router) return;
  const deployment = world.store.get('deployments.apps', router.namespace, router.name);
  const availableCount = Number(getField(deployment, 'status', 'availableReplicas') ?? 0);
  const createCondition = (type: string, isTrue: boolean, reason: string, message: string) =>
    buildCondition(world.clock.now(), controller, type, isTrue, isTrue ? '' : reason, isTrue ? '' : message);
  const isComplete = isRolledOut(world, router);
  const replicasMessage = `${availableCount}/${router.replicas} of replicas are available`;
  mergeStatus(world, resource, controller, {
    availableReplicas: availableCount,
    selector: 'ingresscontroller.operator.openshift.io/deployment-ingresscontroller=default',
    observedGeneration: controller.metadata.generation ?? 1,
    conditions: [
      createCondition('Available', availableCount > 0, 'IngressControllerUnavailable', 'DeploymentAvailable=False'),
      createCondition('DeploymentAvailable', availableCount > 0, 'DeploymentUnavailable', replicasMessage),
      createCondition('DeploymentReplicasAllAvailable', isComplete, 'DeploymentReplicasNotAvailable', replicasMessage),
      createCondition(
        'CanaryChecksSucceeding',
        canary.isReachable(),
        'CanaryChecksRepetitiveFailures',
        canary.getLastError(),
      ),
      createCondition('Degraded', canary.isFailing(), '', ''),
    ],
  });
}

/** Creates the registry operator's PersistentVolumeClaim, with the default StorageClass, if the claim name is empty. */
function ensureRegistryClaim(world: World, config: KubeObject): void {
  const name = 'image-registry-storage';
  const storage = getField(config, 'spec', 'storage', 'pvc');
  if (getString(config, 'spec', 'managementState') !== 'Managed' || storage === undefined) return;
  if (getString(storage, 'claim') !== '') return;
  world.store.ensure('persistentvolumeclaims', {
    metadata: { name, namespace: 'openshift-image-registry' },
    spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '100Gi' } } },
    status: {},
  });
}

function updateRegistryStatus(world: World, workloads: readonly Workload[]): void {
  const resource = 'configs.imageregistry.operator.openshift.io';
  const config = world.store.get(resource, null, 'cluster');
  if (!config) return;
  ensureRegistryClaim(world, config);
  const workload = workloads.find(({ name }) => name === 'image-registry');
  const now = world.clock.now();
  const isRemoved = getString(config, 'spec', 'managementState') === 'Removed';
  const isUp = workload !== undefined && isRolledOut(world, workload);
  const [reason, message] = isRemoved
    ? ['Removed', 'The registry is removed']
    : isUp
      ? ['Ready', 'The registry is ready']
      : ['NoReplicasAvailable', 'The deployment does not have available replicas'];
  const deployment = world.store.get('deployments.apps', 'openshift-image-registry', 'image-registry');
  const storage = getField(config, 'spec', 'storage');
  mergeStatus(world, resource, config, {
    observedGeneration: config.metadata.generation ?? 1,
    readyReplicas: Number(getField(deployment, 'status', 'readyReplicas') ?? 0),
    storage: isRecord(storage) ? storage : {},
    conditions: [
      buildCondition(now, config, 'Available', isRemoved || isUp, reason, message),
      buildCondition(now, config, 'Progressing', !isRemoved && !isUp, reason, message),
      buildCondition(now, config, 'Removed', isRemoved, reason, message),
    ],
  });
}
