import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts';
import { findCondition, getField, getList, getString, isRecord, type JsonRecord, type KubeObject } from './objects.ts';

/** A column that the server prints when a client requests a Table. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer';
  readonly format?: 'name';
  /** 0: always shown; 1: only in the wide output. */
  readonly priority?: 0 | 1;
  /**
   * Returns the cell of an object.
   * @param now milliseconds since the epoch, for ages
   */
  readonly getValue: (object: KubeObject, now: number) => string | number | null;
}

type ColumnSource = string | readonly [name: string, value: Column['getValue']];

/** Printed by Kubernetes for a missing value. */
const NONE = '<none>';

/**
 * Creates the columns of a table. A source is a text such as `Name | Age | Phase=status.phase`, or a name with a
 * function. In a list, a segment of the path selects the item with that type or name. The prefix `#` makes a column an
 * integer; the prefix `+` limits it to the wide output.
 */
function defineColumns(...sources: readonly ColumnSource[]): Column[] {
  const allSources = sources.flatMap<ColumnSource>((source) =>
    typeof source === 'string' ? source.split(' | ') : [source],
  );
  return allSources.map((source): Column => {
    if (source === 'Name')
      return { name: 'Name', type: 'string', format: 'name', getValue: ({ metadata }) => metadata.name };
    if (source === 'Age')
      return {
        name: 'Age',
        type: 'string',
        getValue: ({ metadata }, now) => formatAge(metadata.creationTimestamp, now),
      };
    const [label = '', path = ''] = typeof source === 'string' ? source.split('=') : [source[0]];
    const isNumber = label.startsWith('#');
    const isWide = label.startsWith('+');
    const getFieldValue = (object: KubeObject) => {
      const value = getValueAtPath(object, path);
      if (isNumber) return Number(value ?? 0);
      return typeof value === 'string' || typeof value === 'number' ? value : isWide ? NONE : '';
    };
    return {
      name: label.replace(/^[#+]/, ''),
      type: isNumber ? 'integer' : 'string',
      priority: isWide ? 1 : 0,
      getValue: typeof source === 'string' ? getFieldValue : source[1],
    };
  });
}

function getValueAtPath(object: KubeObject, path: string): unknown {
  return path.split('.').reduce<unknown>((currentValue, key) => {
    if (!Array.isArray(currentValue)) return getField(currentValue, key);
    return currentValue.find((item) => getString(item, 'type') === key || getString(item, 'name') === key);
  }, object);
}

const imageColumns: readonly ColumnSource[] = [
  ['+Containers', (object) => formatContainers(object, 'name')],
  ['+Images', (object) => formatContainers(object, 'image')],
];

/** The columns of Kubernetes (pkg/printers/internalversion) and of OpenShift's CRDs, by resource key. */
const COLUMNS_BY_RESOURCE: Readonly<Record<string, readonly Column[]>> = {
  namespaces: defineColumns('Name', 'Status=status.phase', 'Age'),
  nodes: defineColumns(
    'Name',
    ['Status', formatNodeStatus],
    ['Roles', formatNodeRoles],
    'Age | Version=status.nodeInfo.kubeletVersion | +Internal-IP=status.addresses.InternalIP.address',
    '+External-IP=status.addresses.ExternalIP.address | +OS-Image=status.nodeInfo.osImage',
    '+Kernel-Version=status.nodeInfo.kernelVersion | +Container-Runtime=status.nodeInfo.containerRuntimeVersion',
  ),
  pods: defineColumns(
    'Name',
    ['Ready', (pod) => `${countReadyContainers(pod)}/${getList(pod, 'spec', 'containers').length}`],
    ['Status', formatPodStatus],
    ['Restarts', (pod) => String(countRestarts(pod))],
    'Age | +IP=status.podIP | +Node=spec.nodeName | +Nominated Node=status.nominatedNodeName',
    ['+Readiness Gates', () => NONE],
  ),
  configmaps: defineColumns(
    'Name',
    ['Data', (map) => String(countKeys(map, 'data') + countKeys(map, 'binaryData'))],
    'Age',
  ),
  secrets: defineColumns('Name', 'Type=type', ['Data', (secret) => String(countKeys(secret, 'data'))], 'Age'),
  services: defineColumns(
    'Name | Type=spec.type',
    ['Cluster-IP', (service) => getString(service, 'spec', 'clusterIP') || NONE],
    ['External-IP', () => NONE],
    ['Port(s)', formatServicePorts],
    'Age',
    ['+Selector', (service) => formatPairs(getField(service, 'spec', 'selector'))],
  ),
  endpoints: defineColumns('Name', ['Endpoints', formatEndpoints], 'Age'),
  events: defineColumns(
    ['Last Seen', (event, now) => formatAge(getString(event, 'lastTimestamp'), now)],
    'Type=type | Reason=reason',
    [
      'Object',
      ({ involvedObject: object }) => `${getString(object, 'kind').toLowerCase()}/${getString(object, 'name')}`,
    ],
    'Message=message',
  ),
  persistentvolumeclaims: defineColumns(
    'Name | Status=status.phase | Volume=spec.volumeName | Capacity=status.capacity.storage',
    ['Access Modes', (claim) => formatAccessModes(getList(claim, 'status', 'accessModes'))],
    'StorageClass=spec.storageClassName | Age',
  ),
  persistentvolumes: defineColumns(
    'Name | Capacity=spec.capacity.storage',
    ['Access Modes', (volume) => formatAccessModes(getList(volume, 'spec', 'accessModes'))],
    'Reclaim Policy=spec.persistentVolumeReclaimPolicy | Status=status.phase',
    ['Claim', formatVolumeClaim],
    'StorageClass=spec.storageClassName | Reason=status.reason | Age',
  ),
  'deployments.apps': defineColumns(
    'Name',
    ['Ready', formatReadyReplicas],
    '#Up-to-date=status.updatedReplicas | #Available=status.availableReplicas | Age',
    ...imageColumns,
    ['+Selector', (object) => formatPairs(getField(object, 'spec', 'selector', 'matchLabels'))],
  ),
  'statefulsets.apps': defineColumns('Name', ['Ready', formatReadyReplicas], 'Age', ...imageColumns),
  'daemonsets.apps': defineColumns(
    'Name | #Desired=status.desiredNumberScheduled | #Current=status.currentNumberScheduled',
    '#Ready=status.numberReady | #Up-to-date=status.updatedNumberScheduled | #Available=status.numberAvailable',
    ['Node Selector', (set) => formatPairs(getField(set, 'spec', 'template', 'spec', 'nodeSelector'))],
    'Age',
  ),
  'certificatesigningrequests.certificates.k8s.io': defineColumns(
    'Name | Age | SignerName=spec.signerName | Requestor=spec.username',
    ['RequestedDuration', formatRequestedDuration],
    ['Condition', formatRequestCondition],
  ),
  'storageclasses.storage.k8s.io': defineColumns(
    ['Name', formatStorageClassName],
    'Provisioner=provisioner',
    ['ReclaimPolicy', (storageClass) => getString(storageClass, 'reclaimPolicy') || 'Delete'],
    ['VolumeBindingMode', (storageClass) => getString(storageClass, 'volumeBindingMode') || 'Immediate'],
    ['AllowVolumeExpansion', ({ allowVolumeExpansion }) => String(allowVolumeExpansion === true)],
    'Age',
  ),
  'apiservices.apiregistration.k8s.io': defineColumns(
    'Name',
    ['Service', formatServiceReference],
    ['Available', formatAvailability],
    'Age',
  ),
  'clusteroperators.config.openshift.io': defineColumns(
    'Name | Version=status.versions.operator.version | Available=status.conditions.Available.status',
    'Progressing=status.conditions.Progressing.status | Degraded=status.conditions.Degraded.status',
    ['Since', (operator, now) => formatSince(operator, 'Available', now)],
    ['Message', formatOperatorMessage],
  ),
  'clusterversions.config.openshift.io': defineColumns(
    'Name',
    ['Version', formatInstalledVersion],
    'Available=status.conditions.Available.status | Progressing=status.conditions.Progressing.status',
    ['Since', (version, now) => formatSince(version, 'Progressing', now)],
    'Status=status.conditions.Progressing.message',
  ),
  'machinesets.machine.openshift.io': defineColumns(
    'Name | #Desired=spec.replicas | #Current=status.replicas | #Ready=status.readyReplicas',
    '#Available=status.availableReplicas | Age',
  ),
  'machines.machine.openshift.io': defineColumns(
    'Name | Phase=status.phase | Type=spec.providerSpec.value.instanceType',
    'Region=spec.providerSpec.value.placement.region | Zone=spec.providerSpec.value.placement.availabilityZone',
    'Age',
  ),
  'machineconfigpools.machineconfiguration.openshift.io': defineColumns(
    'Name | Config=status.configuration.name | Updated=status.conditions.Updated.status',
    'Updating=status.conditions.Updating.status | Degraded=status.conditions.Degraded.status',
    '#MachineCount=status.machineCount | #ReadyMachineCount=status.readyMachineCount',
    '#UpdatedMachineCount=status.updatedMachineCount | #DegradedMachineCount=status.degradedMachineCount | Age',
  ),
  'apirequestcounts.apiserver.openshift.io': defineColumns(
    'Name | RemovedInRelease=status.removedInRelease | #RequestsInCurrentHour=status.currentHour.requestCount',
    '#RequestsInLast24h=status.requestCount',
  ),
  'machineconfigs.machineconfiguration.openshift.io': defineColumns(
    'Name',
    [
      'GeneratedByController',
      ({ metadata: { annotations = {} } }) =>
        annotations['machineconfiguration.openshift.io/generated-by-controller-version'] ?? '',
    ],
    'IgnitionVersion=spec.config.ignition.version | Age',
  ),
  'routes.route.openshift.io': defineColumns(
    'Name | Host/Port=spec.host | Path=spec.path | Services=spec.to.name',
    ['Port', (route) => String(getField(route, 'spec', 'port', 'targetPort') ?? '<all>')],
    ['Termination', formatTermination],
    ['Wildcard', (route) => getString(route, 'spec', 'wildcardPolicy') || 'None'],
  ),
};

/** Returns the columns that `kubectl get` prints for a resource: its own columns, else its name and age. */
export function getColumns(resource: string): readonly Column[] {
  return COLUMNS_BY_RESOURCE[resource] ?? defineColumns('Name', 'Age');
}

function formatNodeStatus(node: KubeObject): string {
  const readyStatus = getString(findCondition(node, 'Ready'), 'status');
  const state = readyStatus === '' ? 'Unknown' : readyStatus === 'True' ? 'Ready' : 'NotReady';
  return getField(node, 'spec', 'unschedulable') === true ? `${state},SchedulingDisabled` : state;
}

function formatNodeRoles({ metadata }: KubeObject): string {
  const roles = Object.keys(metadata.labels ?? {}).flatMap(
    (label) => /^node-role\.kubernetes\.io\/(.+)$/.exec(label)?.[1] ?? [],
  );
  return roles.sort().join(',') || NONE;
}

const listContainerStatuses = (pod: KubeObject) => getList(pod, 'status', 'containerStatuses');

function countReadyContainers(pod: KubeObject): number {
  return listContainerStatuses(pod).filter((status) => getField(status, 'ready') === true).length;
}

function countRestarts(pod: KubeObject): number {
  return listContainerStatuses(pod).reduce<number>((sum, each) => sum + Number(getField(each, 'restartCount') ?? 0), 0);
}

function formatPodStatus(pod: KubeObject): string {
  if (pod.metadata.deletionTimestamp) return 'Terminating';
  const waitingReasons = listContainerStatuses(pod).map((status) => getString(status, 'state', 'waiting', 'reason'));
  return (
    waitingReasons.find(Boolean) ??
    (getString(pod, 'status', 'reason') || getString(pod, 'status', 'phase') || 'Unknown')
  );
}

function countKeys(object: KubeObject, field: string): number {
  return Object.keys(getField(object, field) ?? {}).length;
}

function formatPairs(value: unknown): string {
  const pairs = isRecord(value) ? Object.entries(value).map(([key, item]) => `${key}=${String(item)}`) : [];
  return pairs.join(',') || NONE;
}

function formatServicePorts(service: KubeObject): string {
  const ports = getList(service, 'spec', 'ports').map((port) => {
    const node = getField(port, 'nodePort');
    return `${String(getField(port, 'port'))}${node ? `:${String(node)}` : ''}/${getString(port, 'protocol') || 'TCP'}`;
  });
  return ports.join(',') || NONE;
}

function formatEndpoints(endpoints: KubeObject): string {
  const texts = getList(endpoints, 'subsets').flatMap((subset) =>
    getList(subset, 'addresses').flatMap((address) =>
      getList(subset, 'ports').map((port) => `${getString(address, 'ip')}:${String(getField(port, 'port'))}`),
    ),
  );
  if (texts.length <= 3) return texts.join(',') || NONE;
  return `${texts.slice(0, 3).join(',')} + ${texts.length - 3} more...`;
}

const ACCESS_MODES = new Map<unknown, string>([
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
]);

function formatAccessModes(modes: readonly unknown[]): string {
  return modes.map((mode) => ACCESS_MODES.get(mode) ?? String(mode)).join(',');
}

function formatVolumeClaim(volume: KubeObject): string {
  const [namespace, name] = ['namespace', 'name'].map((field) => getString(volume, 'spec', 'claimRef', field));
  return name === '' ? '' : `${namespace}/${name}`;
}

function formatReadyReplicas(object: KubeObject): string {
  return `${String(getField(object, 'status', 'readyReplicas') ?? 0)}/${String(getField(object, 'spec', 'replicas') ?? 1)}`;
}

function formatContainers(object: KubeObject, field: string): string {
  const containers = getList(object, 'spec', 'template', 'spec', 'containers');
  return containers.map((container) => getString(container, field)).join(',');
}

function formatRequestedDuration(request: KubeObject): string {
  const seconds = getField(request, 'spec', 'expirationSeconds');
  return typeof seconds === 'number' ? formatDuration(seconds * SECOND) : NONE;
}

/** Formats the condition of a CSR: the decision, then a failure or an issued certificate, as in `Approved,Issued`. */
function formatRequestCondition(request: KubeObject): string {
  const hasCondition = (type: string) => findCondition(request, type) !== undefined;
  const decision = hasCondition('Denied') ? 'Denied' : hasCondition('Approved') ? 'Approved' : 'Pending';
  const isIssued = getString(request, 'status', 'certificate') !== '';
  return `${decision}${hasCondition('Failed') ? ',Failed' : ''}${isIssued ? ',Issued' : ''}`;
}

function formatStorageClassName({ metadata }: KubeObject): string {
  const isDefault = metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true';
  return isDefault ? `${metadata.name} (default)` : metadata.name;
}

function formatServiceReference({ spec }: KubeObject): string {
  const name = getString(spec, 'service', 'name');
  return name === '' ? 'Local' : `${getString(spec, 'service', 'namespace')}/${name}`;
}

function formatAvailability(service: KubeObject): string {
  const condition = findCondition(service, 'Available');
  const status = getString(condition, 'status') || 'Unknown';
  return status === 'True' ? status : `${status} (${getString(condition, 'reason')})`;
}

function formatSince(object: KubeObject, type: string, now: number): string {
  const time = getString(findCondition(object, type), 'lastTransitionTime');
  return time === '' ? '' : formatAge(time, now);
}

/** Formats the message of the first of these conditions: Degraded=True, Available=False, Progressing=True. */
function formatOperatorMessage(operator: KubeObject): string {
  const states = [
    ['Degraded', 'True'],
    ['Available', 'False'],
    ['Progressing', 'True'],
  ] as const;
  const candidates = states.map(([type, status]) => [findCondition(operator, type), status] as const);
  return getString(candidates.find(([condition, status]) => condition?.status === status)?.[0], 'message');
}

function formatInstalledVersion(version: KubeObject): string {
  const history = getList(version, 'status', 'history');
  return getString(
    history.find((item) => getString(item, 'state') === 'Completed'),
    'version',
  );
}

function formatTermination(route: KubeObject): string {
  const tls = getField(route, 'spec', 'tls');
  const insecurePolicy = getString(tls, 'insecureEdgeTerminationPolicy');
  return `${getString(tls, 'termination')}${insecurePolicy === '' || insecurePolicy === 'None' ? '' : `/${insecurePolicy}`}`;
}

const DAY = 24 * HOUR;

/** Formats a span as k8s.io/apimachinery/pkg/util/duration: `45s`, `5m30s`, `25m`, `3h20m`, `2d4h`. */
function formatDuration(ms: number): string {
  if (ms < 0) return ms < -SECOND ? '<invalid>' : '0s';
  if (ms < 2 * MINUTE) return `${Math.floor(ms / SECOND)}s`;
  const [minutes, hours, days] = [MINUTE, HOUR, DAY].map((unit) => Math.floor(ms / unit));
  const formatRemainder = (unit: number, smallUnit: number, name: string) => {
    const remainder = Math.floor((ms % unit) / smallUnit);
    return remainder === 0 ? '' : `${remainder}${name}`;
  };
  if (ms < 10 * MINUTE) return `${minutes}m${formatRemainder(MINUTE, SECOND, 's')}`;
  if (ms < 3 * HOUR) return `${minutes}m`;
  if (ms < 8 * HOUR) return `${hours}h${formatRemainder(HOUR, MINUTE, 'm')}`;
  if (ms < 2 * DAY) return `${hours}h`;
  return ms < 8 * DAY ? `${days}d${formatRemainder(DAY, HOUR, 'h')}` : `${days}d`;
}

/**
 * Formats the age of an object's timestamp; `<unknown>` if the object has none.
 * @param now milliseconds since the epoch
 */
function formatAge(time: string, now: number): string {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? '<unknown>' : formatDuration(now - ms);
}

/** The part of an object that its row in a Table contains (`includeObject`). */
export type IncludeObjectPolicy = 'None' | 'Metadata' | 'Object';

interface TableOptions {
  readonly includeObject: IncludeObjectPolicy;
  readonly apiVersion: string;
  /** Whether to include the column definitions, which a watch sends only once. */
  readonly hasColumns?: boolean;
  /** Milliseconds since the epoch, for ages. */
  readonly now: number;
}

/** Builds the `Table` (meta.k8s.io) that `kubectl get` prints. */
export function buildTable(
  { columns: tableColumns }: { readonly columns: readonly Column[] },
  objects: readonly KubeObject[],
  { includeObject, apiVersion, hasColumns = true, now }: TableOptions,
): JsonRecord {
  const definitions = tableColumns.map(({ name, type, format = '', priority = 0 }) => {
    return { name, type, format, description: '', priority };
  });
  const buildPartial = ({ metadata }: KubeObject) => ({ kind: 'PartialObjectMetadata', apiVersion, metadata });
  return {
    kind: 'Table',
    apiVersion,
    metadata: {},
    columnDefinitions: hasColumns ? definitions : [],
    rows: objects.map((object) => ({
      cells: tableColumns.map(({ getValue }) => getValue(object, now)),
      ...(includeObject === 'None' ? {} : { object: includeObject === 'Object' ? object : buildPartial(object) }),
    })),
  };
}
