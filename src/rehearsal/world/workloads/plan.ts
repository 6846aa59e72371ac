import { at, type NewObject, textAt } from '../../api/objects.ts';
import type { Operated } from '../world.ts';
import { added } from './plan-added.ts';
import { installed } from './plan-installed.ts';
import { monitoring } from './plan-monitoring.ts';
import { type Placement, placementAt } from './scheduler.ts';
import { ANYWHERE, LINUX, type Workload, workload } from './workload.ts';

const MASTER = { 'node-role.kubernetes.io/master': '' };
const WORKER = { 'node-role.kubernetes.io/worker': '' };
const EVERYWHERE: Placement = { nodeSelector: LINUX, tolerations: [{ operator: 'Exists' }] };
const ON_MASTERS: Placement = {
  nodeSelector: MASTER,
  tolerations: [{ key: 'node-role.kubernetes.io/master', operator: 'Exists' }],
};

/** The settings of operators as a fresh cluster has them: what places the workloads below is read from there. */
export function freshSettings(clusterDomain: string): (readonly [resource: string, object: NewObject])[] {
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

/** What was planned last for each world, from which state of its objects and for how large a control plane. */
const plans = new WeakMap<
  Operated['saved'],
  { readonly changes: number; readonly size: number | undefined; readonly planned: readonly Workload[] }
>();

/** Everything that should run, from the specifications as they are now; the same list until one of these changes. */
export function plannedWorkloads(world: Operated): readonly Workload[] {
  const [changes, size] = [world.store.changes(), world.saved.cluster?.controlPlaneReplicas];
  const known = plans.get(world.saved);
  if (known?.changes === changes && known.size === size) return known.planned;
  const planned = planAnew(world);
  plans.set(world.saved, { changes, size, planned });
  return planned;
}

function planAnew(world: Operated): Workload[] {
  const own = [
    ...placedByMasters(),
    ...daemonSets(world),
    ...routers(world),
    ...monitoring(world),
    ...installed(world),
    ...added(world),
  ];
  // SingleReplica topology: one of each.
  const isSingle = world.saved.cluster?.controlPlaneReplicas === 1;
  return [...(isSingle ? own.map((each) => ({ ...each, replicas: 1 })) : own), ...imageRegistry(world)];
}

function placedByMasters(): Workload[] {
  return [
    workload('Deployment', 'console', 'openshift-console/console', ON_MASTERS, { replicas: 2 }),
    workload('Deployment', 'console', 'openshift-console/downloads', ON_MASTERS, { replicas: 2 }),
    workload('Deployment', 'authentication', 'openshift-authentication/oauth-openshift', ON_MASTERS, { replicas: 2 }),
    workload('Deployment', 'monitoring', 'openshift-monitoring/cluster-monitoring-operator', ON_MASTERS),
  ];
}

function daemonSets({ store }: Operated): Workload[] {
  // cluster-ingress-operator pkg/manifests/assets/canary/daemonset.yaml tolerates this key alone.
  const canary: Placement = {
    nodeSelector: LINUX,
    tolerations: [{ key: 'node-role.kubernetes.io/infra', operator: 'Exists' }],
  };
  const dns = placementAt(at(store.get('dnses.operator.openshift.io', null, 'default'), 'spec', 'nodePlacement'), {
    nodeSelector: LINUX,
    tolerations: [{ key: 'node-role.kubernetes.io/master', operator: 'Exists' }],
  });
  return [
    workload('DaemonSet', 'ingress', 'openshift-ingress-canary/ingress-canary', canary),
    workload('DaemonSet', 'dns', 'openshift-dns/dns-default', dns),
    workload('DaemonSet', 'dns', 'openshift-dns/node-resolver', EVERYWHERE),
    workload('DaemonSet', 'monitoring', 'openshift-monitoring/node-exporter', EVERYWHERE),
    workload('DaemonSet', 'image-registry', 'openshift-image-registry/node-ca', EVERYWHERE),
    workload('DaemonSet', 'machine-config', 'openshift-machine-config-operator/machine-config-daemon', EVERYWHERE),
  ];
}

/** The routers of each controller. Host network: one router for its ports on a node; two unless told otherwise. */
function routers({ store }: Operated): Workload[] {
  return store.list('ingresscontrollers.operator.openshift.io').map((controller) => {
    const spec = at(controller, 'spec');
    const replicas = at(spec, 'replicas');
    const ownPort = (name: string, usual: number) =>
      Number(at(spec, 'endpointPublishingStrategy', 'hostNetwork', name) ?? usual);
    const type =
      textAt(spec, 'endpointPublishingStrategy', 'type') ||
      textAt(controller, 'status', 'endpointPublishingStrategy', 'type') ||
      'HostNetwork';
    const isOnHost = type === 'HostNetwork';
    return workload(
      'Deployment',
      'ingress',
      `openshift-ingress/router-${controller.metadata.name}`,
      placementAt(at(spec, 'nodePlacement'), { nodeSelector: { ...LINUX, ...WORKER }, tolerations: [] }),
      {
        replicas: typeof replicas === 'number' ? replicas : 2,
        isExclusive: isOnHost,
        hostPorts: isOnHost ? [ownPort('httpPort', 80), ownPort('httpsPort', 443), ownPort('statsPort', 1936)] : [],
      },
    );
  });
}

/** Nothing while the registry is Removed, as it is at first on platform none, or has no storage. */
function imageRegistry({ store }: Operated): Workload[] {
  const config = store.get('configs.imageregistry.operator.openshift.io', null, 'cluster');
  const spec = at(config, 'spec');
  if (textAt(spec, 'managementState') !== 'Managed') return [];
  const claim =
    at(spec, 'storage', 'pvc') === undefined
      ? null
      : textAt(spec, 'storage', 'pvc', 'claim') || 'image-registry-storage';
  const isElsewhere = at(spec, 'storage', 'emptyDir') !== undefined || at(spec, 'storage', 's3') !== undefined;
  if (claim === null && !isElsewhere) return [];
  const replicas = Number(at(spec, 'replicas') ?? 1);
  return [
    workload('Deployment', 'image-registry', 'openshift-image-registry/image-registry', placementAt(spec, ANYWHERE), {
      replicas,
      // pkg/resource/podtemplatespec.go: two replicas must be on two nodes.
      isExclusive: replicas === 2,
      volume: claim === null ? null : { claim, template: null },
    }),
  ];
}
