import { MINUTE } from '../../../ports/clock.ts';
import { isSame } from '../../api/json.ts';
import { at, isRecord, type KubeObject, listAt, textAt, timestamp } from '../../api/objects.ts';
import { changeStatus, withTransition } from '../conditions.ts';
import { type Canary, createCanary } from '../network/canary.ts';
import { reconcilePools } from '../nodes/pools.ts';
import { plannedWorkloads } from '../workloads/plan.ts';
import { isRolledOut } from '../workloads/status.ts';
import type { Workload } from '../workloads/workload.ts';
import type { World } from '../world.ts';
import { ensure } from './cluster-objects.ts';
import { reportClusterVersion } from './cluster-version.ts';
import { type OperatorState, operatorState } from './state.ts';
import { type OperatorFacts, operatorsOf } from './table.ts';

const OPERATORS = 'clusteroperators.config.openshift.io';
/** From the API's first answer to the routes of the console and the like. */
const ROUTES = 9 * MINUTE;

/** The operators of a cluster, with what they remember between two looks. */
export function createOperators(world: World, canary = createCanary(world)): { look(): void } {
  const facts = operatorsOf(world.release);
  return {
    look() {
      const { cluster } = world.saved;
      if (cluster === null) return;
      const workloads = plannedWorkloads(world);
      if (world.clock.now() >= cluster.apiSince + ROUTES) {
        makeRoutes(world, cluster.clusterDomain, cluster.ingressAuthority.certPem);
        canary.look();
      }
      reconcilePools(world);
      for (const each of facts) report(world, each, operatorState(world, each, workloads, canary));
      reportIngressController(world, workloads, canary);
      reportRegistry(world, workloads);
      reportClusterVersion(world, facts);
    },
  };
}

/** The objects that say all of a state, as an operator of this version says it. */
const told = new WeakMap<KubeObject, OperatorState & { readonly version: string }>();

function report(world: World, { name }: OperatorFacts, state: OperatorState | null): void {
  if (state === null) return;
  const { store } = world;
  const said = { ...state, version: world.saved.cluster?.version ?? '' };
  const before = store.get(OPERATORS, null, name);
  if (before !== undefined && isSame(told.get(before), said)) return;
  ensure(store, OPERATORS, { metadata: { name }, spec: {}, status: {} });
  const known = listAt(store.get(OPERATORS, null, name), 'status', 'conditions');
  const condition = (type: string, isTrue: boolean, isTold: boolean) =>
    withTransition(world, known, {
      type,
      status: isTrue ? 'True' : 'False',
      reason: isTold ? state.reason : 'AsExpected',
      message: isTold ? state.message : '',
    });
  const conditions = [
    condition('Degraded', state.isDegraded, state.isDegraded),
    condition('Progressing', state.isProgressing, state.isProgressing),
    condition('Available', state.isAvailable, !state.isAvailable),
    condition('Upgradeable', true, false),
  ];
  const versions = state.isAvailable ? [{ name: 'operator', version: said.version }] : [];
  const status = { conditions, versions, relatedObjects: relatedObjects(name) };
  const after = store.mutate(OPERATORS, null, name, (change) => {
    change.status = status;
  });
  if (after !== undefined) told.set(after, said);
}

/** What `oc adm inspect` follows from the operator: its object, its own namespace, and those of what it runs. */
function relatedObjects(name: string): Record<string, string>[] {
  const own = OPERANDS[name] ?? [`openshift-${name}`, `openshift-${name}-operator`];
  const namespaces = ['openshift-config', 'openshift-config-managed', ...own];
  return namespaces.map((namespace) => ({ group: '', resource: 'namespaces', name: namespace }));
}

const OPERANDS: Readonly<Record<string, readonly string[]>> = {
  authentication: ['openshift-authentication', 'openshift-oauth-apiserver', 'openshift-authentication-operator'],
  ingress: ['openshift-ingress-operator', 'openshift-ingress', 'openshift-ingress-canary'],
  insights: ['openshift-insights'],
  'image-registry': ['openshift-image-registry'],
  'machine-config': ['openshift-machine-config-operator'],
  monitoring: ['openshift-monitoring', 'openshift-user-workload-monitoring'],
  network: ['openshift-ovn-kubernetes', 'openshift-multus', 'openshift-network-operator'],
  'openshift-samples': ['openshift-cluster-samples-operator'],
};

/** The routes that people and operators ask for, the authority behind them, and where the installer looks for it. */
function makeRoutes(world: World, clusterDomain: string, authority: string): void {
  const { store, clock } = world;
  const routes: readonly [string, string][] = [
    ['openshift-console', 'console'],
    ['openshift-console', 'downloads'],
    ['openshift-ingress-canary', 'canary'],
    ['openshift-authentication', 'oauth-openshift'],
  ];
  for (const [namespace, name] of routes) {
    const host = name === 'oauth-openshift' ? name : `${name}-${namespace}`;
    if (store.get('routes.route.openshift.io', namespace, name)) continue;
    const domain = `apps.${clusterDomain}`;
    const admitted = { type: 'Admitted', status: 'True', lastTransitionTime: timestamp(clock.now()) };
    store.create('routes.route.openshift.io', {
      metadata: { name, namespace },
      spec: {
        host: `${host}.${domain}`,
        to: { kind: 'Service', name, weight: 100 },
        tls: { termination: name === 'oauth-openshift' ? 'passthrough' : 'reencrypt' },
        wildcardPolicy: 'None',
      },
      status: {
        ingress: [
          {
            host: `${host}.${domain}`,
            routerCanonicalHostname: `router-default.${domain}`,
            routerName: 'default',
            conditions: [admitted],
          },
        ],
      },
    });
  }
  ensure(store, 'configmaps', {
    metadata: { name: 'default-ingress-cert', namespace: 'openshift-config-managed' },
    data: { 'ca-bundle.crt': authority },
  });
  ensure(store, 'secrets', {
    metadata: { name: 'router-ca', namespace: 'openshift-ingress-operator' },
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': Buffer.from(authority).toString('base64') },
  });
}

function reportIngressController(world: World, workloads: readonly Workload[], canary: Canary): void {
  const resource = 'ingresscontrollers.operator.openshift.io';
  const controller = world.store.get(resource, 'openshift-ingress-operator', 'default');
  const router = workloads.find(({ name }) => name === 'router-default');
  if (!controller || !router) return;
  const known = listAt(controller, 'status', 'conditions');
  const deployment = world.store.get('deployments.apps', router.namespace, router.name);
  const available = Number(at(deployment, 'status', 'availableReplicas') ?? 0);
  const condition = (type: string, isTrue: boolean, reason: string, message: string) =>
    withTransition(world, known, {
      type,
      status: isTrue ? 'True' : 'False',
      reason: isTrue ? '' : reason,
      message: isTrue ? '' : message,
    });
  const isComplete = isRolledOut(world, router);
  const replicas = `${available}/${router.replicas} of replicas are available`;
  changeStatus(world, resource, controller, {
    availableReplicas: available,
    selector: 'ingresscontroller.operator.openshift.io/deployment-ingresscontroller=default',
    observedGeneration: controller.metadata.generation ?? 1,
    conditions: [
      condition('Available', available > 0, 'IngressControllerUnavailable', 'DeploymentAvailable=False'),
      condition('DeploymentAvailable', available > 0, 'DeploymentUnavailable', replicas),
      condition('DeploymentReplicasAllAvailable', isComplete, 'DeploymentReplicasNotAvailable', replicas),
      condition('CanaryChecksSucceeding', canary.isReachable(), 'CanaryChecksRepetitiveFailures', canary.error()),
      condition('Degraded', canary.isFailing(), '', ''),
    ],
  });
}

/** An empty claim name means: the registry operator makes its own, with the default class. */
function makeRegistryClaim(world: World, config: KubeObject): void {
  const name = 'image-registry-storage';
  const storage = at(config, 'spec', 'storage', 'pvc');
  if (textAt(config, 'spec', 'managementState') !== 'Managed' || storage === undefined) return;
  if (textAt(storage, 'claim') !== '') return;
  ensure(world.store, 'persistentvolumeclaims', {
    metadata: { name, namespace: 'openshift-image-registry' },
    spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '100Gi' } } },
    status: {},
  });
}

function reportRegistry(world: World, workloads: readonly Workload[]): void {
  const resource = 'configs.imageregistry.operator.openshift.io';
  const config = world.store.get(resource, null, 'cluster');
  if (!config) return;
  makeRegistryClaim(world, config);
  const workload = workloads.find(({ name }) => name === 'image-registry');
  const known = listAt(config, 'status', 'conditions');
  const isRemoved = textAt(config, 'spec', 'managementState') === 'Removed';
  const isUp = workload !== undefined && isRolledOut(world, workload);
  const reason = isRemoved ? 'Removed' : isUp ? 'Ready' : 'NoReplicasAvailable';
  const message = isRemoved
    ? 'The registry is removed'
    : isUp
      ? 'The registry is ready'
      : 'The deployment does not have available replicas';
  const deployment = world.store.get('deployments.apps', 'openshift-image-registry', 'image-registry');
  const storage = at(config, 'spec', 'storage');
  changeStatus(world, resource, config, {
    observedGeneration: config.metadata.generation ?? 1,
    readyReplicas: Number(at(deployment, 'status', 'readyReplicas') ?? 0),
    storage: isRecord(storage) ? storage : {},
    conditions: [
      withTransition(world, known, {
        type: 'Available',
        status: isRemoved || isUp ? 'True' : 'False',
        reason,
        message,
      }),
      withTransition(world, known, {
        type: 'Progressing',
        status: isRemoved || isUp ? 'False' : 'True',
        reason,
        message,
      }),
      withTransition(world, known, { type: 'Removed', status: isRemoved ? 'True' : 'False', reason, message }),
    ],
  });
}
