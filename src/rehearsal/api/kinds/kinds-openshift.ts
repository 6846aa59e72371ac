import type { KindDefinition } from './kinds-core.ts';
import {
  anything,
  type Fields,
  flag,
  integer,
  list,
  object,
  opaque,
  type Schema,
  text,
  textEnum,
  textList,
} from './schema.ts';
import { clusterAutoscaler, machine, machineAutoscaler, machineHealthCheck, machineSet } from './schemas-machine.ts';
import {
  clusterOperator,
  clusterVersion,
  imagePruner,
  ingressController,
  machineConfigPool,
  operatorStatus,
  placement,
  registryConfig,
  route,
} from './schemas-openshift.ts';
import {
  cephDriver,
  clusterLogForwarder,
  clusterLogging,
  clusterServiceVersion,
  lokiStack,
} from './schemas-operatorhub.ts';

interface Options {
  readonly version?: string;
  readonly shortNames?: readonly string[];
  readonly namespaced?: boolean;
  readonly operatorNamespace?: string;
  readonly hasScale?: boolean;
}

function custom(group: string, plural: string, kind: string, fields: Fields, options: Options = {}): KindDefinition {
  return {
    group,
    version: options.version ?? 'v1',
    plural,
    singular: kind.toLowerCase(),
    kind,
    shortNames: options.shortNames ?? [],
    categories: [],
    namespaced: options.namespaced ?? false,
    ...(options.operatorNamespace === undefined ? {} : { operatorNamespace: options.operatorNamespace }),
    isCustom: true,
    subresources: options.hasScale ? ['status', 'scale'] : ['status'],
    hasGeneration: true,
    fields,
  };
}

const CONFIG = 'config.openshift.io';
const OPERATOR = 'operator.openshift.io';
const REGISTRY = 'imageregistry.operator.openshift.io';
const MACHINE_CONFIG = 'machineconfiguration.openshift.io';
const AUTOSCALING = 'autoscaling.openshift.io';
const MACHINE_API = 'machine.openshift.io';

/** The logging operators install these kinds, and are installed into this namespace. */
const LOGGING: Options = { namespaced: true, operatorNamespace: 'openshift-logging' };

/** Returns an operator kind whose specification the rehearsal does not read. */
function operator(plural: string, kind: string): KindDefinition {
  const free: Schema = anything;
  return custom(OPERATOR, plural, kind, {
    spec: free,
    status: object({ ...operatorStatus, ...opaque('controlPlaneTopology', 'clusterIP', 'clusterDomain') }),
  });
}

/** The kinds that OpenShift adds, all of them custom resources. */
export const openshiftKinds: readonly KindDefinition[] = [
  custom(CONFIG, 'clusterversions', 'ClusterVersion', clusterVersion),
  custom(CONFIG, 'clusteroperators', 'ClusterOperator', clusterOperator, { shortNames: ['co'] }),
  custom(CONFIG, 'infrastructures', 'Infrastructure', { spec: anything, status: anything }),
  custom(CONFIG, 'schedulers', 'Scheduler', {
    spec: object({
      mastersSchedulable: flag,
      defaultNodeSelector: text,
      policy: object({ name: text }),
      profile: textEnum('', 'LowNodeUtilization', 'HighNodeUtilization', 'NoScoring'),
      profileCustomizations: anything,
    }),
    status: object({}),
  }),
  custom(CONFIG, 'ingresses', 'Ingress', { spec: anything, status: anything }),
  custom(CONFIG, 'proxies', 'Proxy', {
    spec: object({
      httpProxy: text,
      httpsProxy: text,
      noProxy: text,
      readinessEndpoints: textList,
      trustedCA: object({ name: text }),
    }),
    status: object({ httpProxy: text, httpsProxy: text, noProxy: text }),
  }),
  custom(CONFIG, 'networks', 'Network', {
    spec: object({
      clusterNetwork: list(object({ cidr: text, hostPrefix: integer })),
      serviceNetwork: textList,
      networkType: text,
      externalIP: anything,
      serviceNodePortRange: text,
      networkDiagnostics: object({ mode: text, sourcePlacement: placement, targetPlacement: placement }),
    }),
    status: anything,
  }),
  custom(OPERATOR, 'ingresscontrollers', 'IngressController', ingressController, { namespaced: true, hasScale: true }),
  operator('etcds', 'Etcd'),
  operator('dnses', 'DNS'),
  operator('kubeapiservers', 'KubeAPIServer'),
  operator('kubecontrollermanagers', 'KubeControllerManager'),
  operator('kubeschedulers', 'KubeScheduler'),
  operator('openshiftapiservers', 'OpenShiftAPIServer'),
  operator('authentications', 'Authentication'),
  operator('consoles', 'Console'),
  operator('networks', 'Network'),
  operator('storages', 'Storage'),
  custom(REGISTRY, 'configs', 'Config', registryConfig),
  custom(REGISTRY, 'imagepruners', 'ImagePruner', imagePruner),
  custom(MACHINE_CONFIG, 'machineconfigpools', 'MachineConfigPool', machineConfigPool, { shortNames: ['mcp'] }),
  custom(
    MACHINE_CONFIG,
    'machineconfigs',
    'MachineConfig',
    {
      spec: object({
        config: anything,
        kernelArguments: anything,
        kernelType: text,
        fips: flag,
        osImageURL: text,
        baseOSExtensionsContainerImage: text,
        extensions: textList,
      }),
    },
    { shortNames: ['mc'] },
  ),
  custom(MACHINE_API, 'machinesets', 'MachineSet', machineSet, {
    namespaced: true,
    version: 'v1beta1',
    hasScale: true,
  }),
  custom(AUTOSCALING, 'machineautoscalers', 'MachineAutoscaler', machineAutoscaler, {
    namespaced: true,
    version: 'v1beta1',
  }),
  custom(AUTOSCALING, 'clusterautoscalers', 'ClusterAutoscaler', clusterAutoscaler),
  custom(MACHINE_API, 'machinehealthchecks', 'MachineHealthCheck', machineHealthCheck, {
    shortNames: ['mhc', 'mhcs'],
    namespaced: true,
    version: 'v1beta1',
  }),
  custom(MACHINE_API, 'machines', 'Machine', machine, { namespaced: true, version: 'v1beta1' }),
  custom('route.openshift.io', 'routes', 'Route', route, { namespaced: true }),
  custom('logging.openshift.io', 'clusterloggings', 'ClusterLogging', clusterLogging, LOGGING),
  custom('observability.openshift.io', 'clusterlogforwarders', 'ClusterLogForwarder', clusterLogForwarder, LOGGING),
  custom('loki.grafana.com', 'lokistacks', 'LokiStack', lokiStack, LOGGING),
  custom('operators.coreos.com', 'clusterserviceversions', 'ClusterServiceVersion', clusterServiceVersion, {
    shortNames: ['csv', 'csvs'],
    namespaced: true,
    version: 'v1alpha1',
  }),
  custom('csi.ceph.io', 'drivers', 'Driver', cephDriver, { namespaced: true, operatorNamespace: 'openshift-storage' }),
];
