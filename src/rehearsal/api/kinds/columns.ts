import {
  ageColumn,
  conditionColumn,
  formatAge,
  formatDuration,
  getCondition,
  NONE,
  nameColumn,
  numberColumn,
  pathColumn,
  textColumn,
  wideColumn,
  widePathColumn,
} from '../cells.ts';
import { getField, getList, getString, isRecord, type KubeObject } from '../objects.ts';
import type { Column } from './kinds.ts';

/** The columns of pkg/printers/internalversion, by resource key. */
const coreColumns: Readonly<Record<string, readonly Column[]>> = {
  namespaces: [nameColumn, pathColumn('Status', 'status', 'phase'), ageColumn],
  nodes: [
    nameColumn,
    textColumn('Status', nodeStatus),
    textColumn('Roles', nodeRoles),
    ageColumn,
    pathColumn('Version', 'status', 'nodeInfo', 'kubeletVersion'),
    wideColumn(textColumn('Internal-IP', (node) => nodeAddress(node, 'InternalIP'))),
    wideColumn(textColumn('External-IP', (node) => nodeAddress(node, 'ExternalIP'))),
    widePathColumn('OS-Image', 'status', 'nodeInfo', 'osImage'),
    widePathColumn('Kernel-Version', 'status', 'nodeInfo', 'kernelVersion'),
    widePathColumn('Container-Runtime', 'status', 'nodeInfo', 'containerRuntimeVersion'),
  ],
  pods: [
    nameColumn,
    textColumn('Ready', (pod) => `${readyContainers(pod).length}/${getList(pod, 'spec', 'containers').length}`),
    textColumn('Status', podStatus),
    textColumn('Restarts', (pod) => String(countRestarts(pod))),
    ageColumn,
    widePathColumn('IP', 'status', 'podIP'),
    widePathColumn('Node', 'spec', 'nodeName'),
    widePathColumn('Nominated Node', 'status', 'nominatedNodeName'),
    wideColumn(textColumn('Readiness Gates', () => NONE)),
  ],
  configmaps: [
    nameColumn,
    textColumn('Data', (map) => String(countKeys(map, 'data') + countKeys(map, 'binaryData'))),
    ageColumn,
  ],
  secrets: [
    nameColumn,
    pathColumn('Type', 'type'),
    textColumn('Data', (secret) => String(countKeys(secret, 'data'))),
    ageColumn,
  ],
  services: [
    nameColumn,
    pathColumn('Type', 'spec', 'type'),
    textColumn('Cluster-IP', (service) => getString(service, 'spec', 'clusterIP') || NONE),
    textColumn('External-IP', () => NONE),
    textColumn('Port(s)', servicePorts),
    ageColumn,
    wideColumn(textColumn('Selector', (service) => formatPairs(getField(service, 'spec', 'selector')))),
  ],
  endpoints: [nameColumn, textColumn('Endpoints', endpointAddresses), ageColumn],
  events: [
    { name: 'Last Seen', type: 'string', value: (event, now) => formatAge(getString(event, 'lastTimestamp'), now) },
    pathColumn('Type', 'type'),
    pathColumn('Reason', 'reason'),
    textColumn(
      'Object',
      (event) =>
        `${getString(event, 'involvedObject', 'kind').toLowerCase()}/${getString(event, 'involvedObject', 'name')}`,
    ),
    pathColumn('Message', 'message'),
  ],
  persistentvolumeclaims: [
    nameColumn,
    pathColumn('Status', 'status', 'phase'),
    pathColumn('Volume', 'spec', 'volumeName'),
    pathColumn('Capacity', 'status', 'capacity', 'storage'),
    textColumn('Access Modes', (claim) => formatAccessModes(getList(claim, 'status', 'accessModes'))),
    pathColumn('StorageClass', 'spec', 'storageClassName'),
    ageColumn,
  ],
  persistentvolumes: [
    nameColumn,
    pathColumn('Capacity', 'spec', 'capacity', 'storage'),
    textColumn('Access Modes', (volume) => formatAccessModes(getList(volume, 'spec', 'accessModes'))),
    pathColumn('Reclaim Policy', 'spec', 'persistentVolumeReclaimPolicy'),
    pathColumn('Status', 'status', 'phase'),
    textColumn('Claim', (volume) => {
      const name = getString(volume, 'spec', 'claimRef', 'name');
      return name === '' ? '' : `${getString(volume, 'spec', 'claimRef', 'namespace')}/${name}`;
    }),
    pathColumn('StorageClass', 'spec', 'storageClassName'),
    pathColumn('Reason', 'status', 'reason'),
    ageColumn,
  ],
  'deployments.apps': [
    nameColumn,
    textColumn('Ready', formatReadyReplicas),
    numberColumn('Up-to-date', 'status', 'updatedReplicas'),
    numberColumn('Available', 'status', 'availableReplicas'),
    ageColumn,
    wideColumn(textColumn('Containers', (object) => templateContainers(object, 'name'))),
    wideColumn(textColumn('Images', (object) => templateContainers(object, 'image'))),
    wideColumn(textColumn('Selector', (object) => formatPairs(getField(object, 'spec', 'selector', 'matchLabels')))),
  ],
  'statefulsets.apps': [
    nameColumn,
    textColumn('Ready', formatReadyReplicas),
    ageColumn,
    wideColumn(textColumn('Containers', (object) => templateContainers(object, 'name'))),
    wideColumn(textColumn('Images', (object) => templateContainers(object, 'image'))),
  ],
  'daemonsets.apps': [
    nameColumn,
    numberColumn('Desired', 'status', 'desiredNumberScheduled'),
    numberColumn('Current', 'status', 'currentNumberScheduled'),
    numberColumn('Ready', 'status', 'numberReady'),
    numberColumn('Up-to-date', 'status', 'updatedNumberScheduled'),
    numberColumn('Available', 'status', 'numberAvailable'),
    textColumn('Node Selector', (set) => formatPairs(getField(set, 'spec', 'template', 'spec', 'nodeSelector'))),
    ageColumn,
  ],
  'certificatesigningrequests.certificates.k8s.io': [
    nameColumn,
    ageColumn,
    pathColumn('SignerName', 'spec', 'signerName'),
    pathColumn('Requestor', 'spec', 'username'),
    textColumn('RequestedDuration', (request) => {
      const seconds = getField(request, 'spec', 'expirationSeconds');
      return typeof seconds === 'number' ? formatDuration(seconds * 1000) : NONE;
    }),
    textColumn('Condition', requestCondition),
  ],
  'storageclasses.storage.k8s.io': [
    textColumn('Name', storageClassName),
    pathColumn('Provisioner', 'provisioner'),
    textColumn('ReclaimPolicy', (storageClass) => getString(storageClass, 'reclaimPolicy') || 'Delete'),
    textColumn('VolumeBindingMode', (storageClass) => getString(storageClass, 'volumeBindingMode') || 'Immediate'),
    textColumn('AllowVolumeExpansion', (storageClass) =>
      String(getField(storageClass, 'allowVolumeExpansion') === true),
    ),
    ageColumn,
  ],
};

function nodeStatus(node: KubeObject): string {
  const ready = getString(getCondition(node, 'Ready'), 'status');
  const state = ready === '' ? 'Unknown' : ready === 'True' ? 'Ready' : 'NotReady';
  return getField(node, 'spec', 'unschedulable') === true ? `${state},SchedulingDisabled` : state;
}

function nodeRoles({ metadata }: KubeObject): string {
  const prefix = 'node-role.kubernetes.io/';
  const roles = Object.keys(metadata.labels ?? {}).filter((label) => label.startsWith(prefix) && label !== prefix);
  return roles.length === 0
    ? NONE
    : roles
        .map((label) => label.slice(prefix.length))
        .sort()
        .join(',');
}

function nodeAddress(node: KubeObject, type: string): string {
  const found = getList(node, 'status', 'addresses').find((item) => getString(item, 'type') === type);
  return getString(found, 'address') || NONE;
}

function readyContainers(pod: KubeObject): unknown[] {
  return getList(pod, 'status', 'containerStatuses').filter((status) => getField(status, 'ready') === true);
}

function countRestarts(pod: KubeObject): number {
  const statuses = getList(pod, 'status', 'containerStatuses');
  return statuses.reduce((sum: number, status) => sum + Number(getField(status, 'restartCount') ?? 0), 0);
}

function podStatus(pod: KubeObject): string {
  if (pod.metadata.deletionTimestamp) return 'Terminating';
  const waiting = getList(pod, 'status', 'containerStatuses').map((status) =>
    getString(status, 'state', 'waiting', 'reason'),
  );
  return (
    waiting.find(Boolean) ?? (getString(pod, 'status', 'reason') || getString(pod, 'status', 'phase') || 'Unknown')
  );
}

function countKeys(object: KubeObject, field: string): number {
  const found = getField(object, field);
  return isRecord(found) ? Object.keys(found).length : 0;
}

function formatPairs(value: unknown): string {
  const entries = isRecord(value) ? Object.entries(value) : [];
  return entries.length === 0 ? NONE : entries.map(([key, item]) => `${key}=${String(item)}`).join(',');
}

function servicePorts(service: KubeObject): string {
  const ports = getList(service, 'spec', 'ports').map((port) => {
    const node = getField(port, 'nodePort');
    return `${String(getField(port, 'port'))}${node ? `:${String(node)}` : ''}/${getString(port, 'protocol') || 'TCP'}`;
  });
  return ports.join(',') || NONE;
}

function endpointAddresses(endpoints: KubeObject): string {
  const all = getList(endpoints, 'subsets').flatMap((subset) =>
    getList(subset, 'addresses').flatMap((address) =>
      getList(subset, 'ports').map((port) => `${getString(address, 'ip')}:${String(getField(port, 'port'))}`),
    ),
  );
  if (all.length <= 3) return all.join(',') || NONE;
  return `${all.slice(0, 3).join(',')} + ${all.length - 3} more...`;
}

const ACCESS_MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

function formatAccessModes(modes: readonly unknown[]): string {
  return modes.map((mode) => ACCESS_MODES[String(mode)] ?? String(mode)).join(',');
}

function formatReadyReplicas(object: KubeObject): string {
  return `${String(getField(object, 'status', 'readyReplicas') ?? 0)}/${String(getField(object, 'spec', 'replicas') ?? 1)}`;
}

function templateContainers(object: KubeObject, field: string): string {
  return getList(object, 'spec', 'template', 'spec', 'containers')
    .map((container) => getString(container, field))
    .join(',');
}

/** `Approved,Issued`: the decision, then whether a certificate was issued. */
function requestCondition(request: KubeObject): string {
  const has = (type: string) => getCondition(request, type).type !== undefined;
  const decision = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  const failed = has('Failed') ? ',Failed' : '';
  return `${decision}${failed}${getString(request, 'status', 'certificate') === '' ? '' : ',Issued'}`;
}

function storageClassName({ metadata }: KubeObject): string {
  const isDefault = metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true';
  return isDefault ? `${metadata.name} (default)` : metadata.name;
}

/** Returns a column that shows the time since the last transition of a condition. */
function sinceColumn(name: string, type: string): Column {
  return {
    name,
    type: 'date',
    value: (object, now) => {
      const time = getString(getCondition(object, type), 'lastTransitionTime');
      return time === '' ? '' : formatAge(time, now);
    },
  };
}

const ageDateColumn: Column = { ...ageColumn, type: 'date' };

/** The printer columns of the custom resource definitions of OpenShift, by resource key. */
const openshiftColumns: Readonly<Record<string, readonly Column[]>> = {
  'clusteroperators.config.openshift.io': [
    nameColumn,
    textColumn('Version', (operator) => {
      const version = getList(operator, 'status', 'versions').find((item) => getString(item, 'name') === 'operator');
      return getString(version, 'version');
    }),
    conditionColumn('Available', 'Available'),
    conditionColumn('Progressing', 'Progressing'),
    conditionColumn('Degraded', 'Degraded'),
    sinceColumn('Since', 'Available'),
    textColumn('Message', operatorMessage),
  ],
  'clusterversions.config.openshift.io': [
    nameColumn,
    textColumn('Version', (version) => {
      const completed = getList(version, 'status', 'history').find((item) => getString(item, 'state') === 'Completed');
      return getString(completed, 'version');
    }),
    conditionColumn('Available', 'Available'),
    conditionColumn('Progressing', 'Progressing'),
    sinceColumn('Since', 'Progressing'),
    conditionColumn('Status', 'Progressing', 'message'),
  ],
  'machinesets.machine.openshift.io': [
    nameColumn,
    numberColumn('Desired', 'spec', 'replicas'),
    numberColumn('Current', 'status', 'replicas'),
    numberColumn('Ready', 'status', 'readyReplicas'),
    numberColumn('Available', 'status', 'availableReplicas'),
    ageDateColumn,
  ],
  'machines.machine.openshift.io': [
    nameColumn,
    pathColumn('Phase', 'status', 'phase'),
    pathColumn('Type', 'spec', 'providerSpec', 'value', 'instanceType'),
    pathColumn('Region', 'spec', 'providerSpec', 'value', 'placement', 'region'),
    pathColumn('Zone', 'spec', 'providerSpec', 'value', 'placement', 'availabilityZone'),
    ageDateColumn,
  ],
  'machineconfigpools.machineconfiguration.openshift.io': [
    nameColumn,
    pathColumn('Config', 'status', 'configuration', 'name'),
    conditionColumn('Updated', 'Updated'),
    conditionColumn('Updating', 'Updating'),
    conditionColumn('Degraded', 'Degraded'),
    numberColumn('MachineCount', 'status', 'machineCount'),
    numberColumn('ReadyMachineCount', 'status', 'readyMachineCount'),
    numberColumn('UpdatedMachineCount', 'status', 'updatedMachineCount'),
    numberColumn('DegradedMachineCount', 'status', 'degradedMachineCount'),
    ageDateColumn,
  ],
  'machineconfigs.machineconfiguration.openshift.io': [
    nameColumn,
    textColumn(
      'GeneratedByController',
      ({ metadata }) =>
        metadata.annotations?.['machineconfiguration.openshift.io/generated-by-controller-version'] ?? '',
    ),
    pathColumn('IgnitionVersion', 'spec', 'config', 'ignition', 'version'),
    ageDateColumn,
  ],
  'routes.route.openshift.io': [
    nameColumn,
    pathColumn('Host/Port', 'spec', 'host'),
    pathColumn('Path', 'spec', 'path'),
    pathColumn('Services', 'spec', 'to', 'name'),
    textColumn('Port', (route) => String(getField(route, 'spec', 'port', 'targetPort') ?? '<all>')),
    textColumn('Termination', routeTermination),
    textColumn('Wildcard', (route) => getString(route, 'spec', 'wildcardPolicy') || 'None'),
  ],
};

/** Returns the message that explains an operator's state: of Degraded, else of not Available, else of Progressing. */
function operatorMessage(operator: KubeObject): string {
  const priorities: readonly [string, string][] = [
    ['Degraded', 'True'],
    ['Available', 'False'],
    ['Progressing', 'True'],
  ];
  const found = priorities.find(([type, status]) => getCondition(operator, type).status === status);
  return found ? getString(getCondition(operator, found[0]), 'message') : '';
}

function routeTermination(route: KubeObject): string {
  const tls = getField(route, 'spec', 'tls');
  if (!isRecord(tls)) return '';
  const insecure = getString(tls, 'insecureEdgeTerminationPolicy');
  return `${getString(tls, 'termination')}${insecure === '' || insecure === 'None' ? '' : `/${insecure}`}`;
}

/** Returns the columns that `kubectl get` prints for a resource: its own columns, else its name and age. */
export function getColumns(resource: string): readonly Column[] {
  return coreColumns[resource] ?? openshiftColumns[resource] ?? [nameColumn, ageColumn];
}
