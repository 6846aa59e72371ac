import { getField, getString, type NewObject } from '../../api/objects.ts';
import type { OperatorContext } from '../world.ts';
import { planAdminWorkloads } from './plan-admin-workloads.ts';
import { planMonitoring } from './plan-monitoring.ts';
import { planOptionalWorkloads } from './plan-optional-workloads.ts';
import { type Placement, parsePlacement } from './scheduler.ts';
import { createWorkload, DEFAULT_PLACEMENT, LINUX, type Workload } from './workload.ts';

const MASTER = { 'node-role.kubernetes.io/master': '' };
const WORKER = { 'node-role.kubernetes.io/worker': '' };
const ALL_NODES_PLACEMENT: Placement = { nodeSelector: LINUX, tolerations: [{ operator: 'Exists' }] };
const CONTROL_PLANE_PLACEMENT: Placement = {
  nodeSelector: MASTER,
  tolerations: [{ key: 'node-role.kubernetes.io/master', operator: 'Exists' }],
};

/** Builds the operators' settings of a new cluster, which the placement of the workloads below depends on. */
export function buildDefaultSettings(clusterDomain: string): (readonly [resource: string, object: NewObject])[] {
  return [
    [
      'ingresscontrollers.operator.openshift.io',
      {
        metadata: { name: 'default', namespace: 'openshift-ingress-operator' },
        spec: {},
        status: { domain: `apps.${clusterDomain}`, endpointPublishingStrategy: { type: 'HostNetwork' } },
      },
    ],
    [
      'configs.imageregistry.operator.openshift.io',
      {
        metadata: { name: 'cluster' },
        spec: {
          managementState: 'Removed',
          replicas: 1,
          storage: {},
          rolloutStrategy: 'RollingUpdate',
          logLevel: 'Normal',
        },
        status: {},
      },
    ],
    [
      'imagepruners.imageregistry.operator.openshift.io',
      { metadata: { name: 'cluster' }, spec: { schedule: '', suspend: false } },
    ],
    ['dnses.operator.openshift.io', { metadata: { name: 'default' }, spec: {} }],
    [
      'etcds.operator.openshift.io',
      { metadata: { name: 'cluster' }, spec: { managementState: 'Managed' }, status: { conditions: [] } },
    ],
  ];
}

/**
 * The last plan of each world, with the revision of its objects and the size of the control plane that it was made for.
 */
const planCache = new WeakMap<
  OperatorContext['saved'],
  { readonly changes: number; readonly size: number | undefined; readonly planned: readonly Workload[] }
>();

/** Plans all workloads from the current settings. Returns the same list until one of these changes. */
export function planWorkloads(world: OperatorContext): readonly Workload[] {
  const [changes, size] = [world.store.changeCount(), world.saved.cluster?.controlPlaneReplicas];
  const known = planCache.get(world.saved);
  if (known?.changes === changes && known.size === size) return known.planned;
  const planned = buildPlan(world);
  planCache.set(world.saved, { changes, size, planned });
  return planned;
}

function buildPlan(world: OperatorContext): Workload[] {
  const workloads = [
    ...planControlPlaneDeployments(),
    ...planDaemonSets(world),
    ...planRouters(world),
    ...planMonitoring(world),
    ...planOptionalWorkloads(world),
    ...planAdminWorkloads(world),
  ];
  // SingleReplica topology: one of each.
  const isSingle = world.saved.cluster?.controlPlaneReplicas === 1;
  return [...(isSingle ? workloads.map((each) => ({ ...each, replicas: 1 })) : workloads), ...planImageRegistry(world)];
}

function planControlPlaneDeployments(): Workload[] {
  return [
    createWorkload('Deployment', 'console', 'openshift-console/console', CONTROL_PLANE_PLACEMENT, { replicas: 2 }),
    createWorkload('Deployment', 'console', 'openshift-console/downloads', CONTROL_PLANE_PLACEMENT, { replicas: 2 }),
    createWorkload(
      'Deployment',
      'authentication',
      'openshift-authentication/oauth-openshift',
      CONTROL_PLANE_PLACEMENT,
      { replicas: 2 },
    ),
    createWorkload(
      'Deployment',
      'monitoring',
      'openshift-monitoring/cluster-monitoring-operator',
      CONTROL_PLANE_PLACEMENT,
    ),
  ];
}

function planDaemonSets({ store }: OperatorContext): Workload[] {
  // cluster-ingress-operator pkg/manifests/assets/canary/daemonset.yaml tolerates this key alone.
  const canary: Placement = {
    nodeSelector: LINUX,
    tolerations: [{ key: 'node-role.kubernetes.io/infra', operator: 'Exists' }],
  };
  const dns = parsePlacement(
    getField(store.get('dnses.operator.openshift.io', null, 'default'), 'spec', 'nodePlacement'),
    {
      nodeSelector: LINUX,
      tolerations: [{ key: 'node-role.kubernetes.io/master', operator: 'Exists' }],
    },
  );
  return [
    createWorkload('DaemonSet', 'ingress', 'openshift-ingress-canary/ingress-canary', canary),
    createWorkload('DaemonSet', 'dns', 'openshift-dns/dns-default', dns),
    createWorkload('DaemonSet', 'dns', 'openshift-dns/node-resolver', ALL_NODES_PLACEMENT),
    createWorkload('DaemonSet', 'monitoring', 'openshift-monitoring/node-exporter', ALL_NODES_PLACEMENT),
    createWorkload('DaemonSet', 'image-registry', 'openshift-image-registry/node-ca', ALL_NODES_PLACEMENT),
    createWorkload(
      'DaemonSet',
      'machine-config',
      'openshift-machine-config-operator/machine-config-daemon',
      ALL_NODES_PLACEMENT,
    ),
  ];
}

/**
 * Plans the routers of each IngressController, two by default. On the host network a node runs only one router for the
 * same ports.
 */
function planRouters({ store }: OperatorContext): Workload[] {
  return store.list('ingresscontrollers.operator.openshift.io').map((controller) => {
    const spec = getField(controller, 'spec');
    const replicas = getField(spec, 'replicas');
    const getPort = (name: string, defaultPort: number) =>
      Number(getField(spec, 'endpointPublishingStrategy', 'hostNetwork', name) ?? defaultPort);
    const type =
      getString(spec, 'endpointPublishingStrategy', 'type') ||
      getString(controller, 'status', 'endpointPublishingStrategy', 'type') ||
      'HostNetwork';
    const isOnHost = type === 'HostNetwork';
    return createWorkload(
      'Deployment',
      'ingress',
      `openshift-ingress/router-${controller.metadata.name}`,
      parsePlacement(getField(spec, 'nodePlacement'), { nodeSelector: { ...LINUX, ...WORKER }, tolerations: [] }),
      {
        replicas: typeof replicas === 'number' ? replicas : 2,
        isExclusive: isOnHost,
        hostPorts: isOnHost ? [getPort('httpPort', 80), getPort('httpsPort', 443), getPort('statsPort', 1936)] : [],
      },
    );
  });
}

/** Empty while the registry is Removed, as it is at first on platform none, or has no storage. */
function planImageRegistry({ store }: OperatorContext): Workload[] {
  const config = store.get('configs.imageregistry.operator.openshift.io', null, 'cluster');
  const spec = getField(config, 'spec');
  if (getString(spec, 'managementState') !== 'Managed') return [];
  const claim =
    getField(spec, 'storage', 'pvc') === undefined
      ? null
      : getString(spec, 'storage', 'pvc', 'claim') || 'image-registry-storage';
  const hasOtherStorage =
    getField(spec, 'storage', 'emptyDir') !== undefined || getField(spec, 'storage', 's3') !== undefined;
  if (claim === null && !hasOtherStorage) return [];
  const replicas = Number(getField(spec, 'replicas') ?? 1);
  return [
    createWorkload(
      'Deployment',
      'image-registry',
      'openshift-image-registry/image-registry',
      parsePlacement(spec, DEFAULT_PLACEMENT),
      {
        replicas,
        // pkg/resource/podtemplatespec.go: two replicas must be on two nodes.
        isExclusive: replicas === 2,
        volume: claim === null ? null : { claim, template: null },
      },
    ),
  ];
}
