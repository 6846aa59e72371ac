import {
  ageColumn,
  conditionOf,
  humanDuration,
  NONE,
  nameColumn,
  number,
  path,
  since,
  text,
  wide,
  widePath,
} from '../cells.ts';
import { at, isRecord, type KubeObject, listAt, textAt } from '../objects.ts';
import type { Column } from './kind.ts';

/** The columns of pkg/printers/internalversion, by resource key. */
export const coreColumns: Readonly<Record<string, readonly Column[]>> = {
  namespaces: [nameColumn, path('Status', 'status', 'phase'), ageColumn],
  nodes: [
    nameColumn,
    text('Status', nodeStatus),
    text('Roles', nodeRoles),
    ageColumn,
    path('Version', 'status', 'nodeInfo', 'kubeletVersion'),
    wide(text('Internal-IP', (node) => nodeAddress(node, 'InternalIP'))),
    wide(text('External-IP', (node) => nodeAddress(node, 'ExternalIP'))),
    widePath('OS-Image', 'status', 'nodeInfo', 'osImage'),
    widePath('Kernel-Version', 'status', 'nodeInfo', 'kernelVersion'),
    widePath('Container-Runtime', 'status', 'nodeInfo', 'containerRuntimeVersion'),
  ],
  pods: [
    nameColumn,
    text('Ready', (pod) => `${readyContainers(pod).length}/${listAt(pod, 'spec', 'containers').length}`),
    text('Status', podStatus),
    text('Restarts', (pod) => String(restarts(pod))),
    ageColumn,
    widePath('IP', 'status', 'podIP'),
    widePath('Node', 'spec', 'nodeName'),
    widePath('Nominated Node', 'status', 'nominatedNodeName'),
    wide(text('Readiness Gates', () => NONE)),
  ],
  configmaps: [nameColumn, text('Data', (map) => String(keys(map, 'data') + keys(map, 'binaryData'))), ageColumn],
  secrets: [nameColumn, path('Type', 'type'), text('Data', (secret) => String(keys(secret, 'data'))), ageColumn],
  services: [
    nameColumn,
    path('Type', 'spec', 'type'),
    text('Cluster-IP', (service) => textAt(service, 'spec', 'clusterIP') || NONE),
    text('External-IP', () => NONE),
    text('Port(s)', servicePorts),
    ageColumn,
    wide(text('Selector', (service) => pairs(at(service, 'spec', 'selector')))),
  ],
  endpoints: [nameColumn, text('Endpoints', endpointAddresses), ageColumn],
  events: [
    { name: 'Last Seen', type: 'string', value: (event, now) => since(textAt(event, 'lastTimestamp'), now) },
    path('Type', 'type'),
    path('Reason', 'reason'),
    text(
      'Object',
      (event) => `${textAt(event, 'involvedObject', 'kind').toLowerCase()}/${textAt(event, 'involvedObject', 'name')}`,
    ),
    path('Message', 'message'),
  ],
  persistentvolumeclaims: [
    nameColumn,
    path('Status', 'status', 'phase'),
    path('Volume', 'spec', 'volumeName'),
    path('Capacity', 'status', 'capacity', 'storage'),
    text('Access Modes', (claim) => accessModes(listAt(claim, 'status', 'accessModes'))),
    path('StorageClass', 'spec', 'storageClassName'),
    ageColumn,
  ],
  persistentvolumes: [
    nameColumn,
    path('Capacity', 'spec', 'capacity', 'storage'),
    text('Access Modes', (volume) => accessModes(listAt(volume, 'spec', 'accessModes'))),
    path('Reclaim Policy', 'spec', 'persistentVolumeReclaimPolicy'),
    path('Status', 'status', 'phase'),
    text('Claim', (volume) => {
      const name = textAt(volume, 'spec', 'claimRef', 'name');
      return name === '' ? '' : `${textAt(volume, 'spec', 'claimRef', 'namespace')}/${name}`;
    }),
    path('StorageClass', 'spec', 'storageClassName'),
    path('Reason', 'status', 'reason'),
    ageColumn,
  ],
  'deployments.apps': [
    nameColumn,
    text('Ready', readyOfWanted),
    number('Up-to-date', 'status', 'updatedReplicas'),
    number('Available', 'status', 'availableReplicas'),
    ageColumn,
    wide(text('Containers', (object) => templateContainers(object, 'name'))),
    wide(text('Images', (object) => templateContainers(object, 'image'))),
    wide(text('Selector', (object) => pairs(at(object, 'spec', 'selector', 'matchLabels')))),
  ],
  'statefulsets.apps': [
    nameColumn,
    text('Ready', readyOfWanted),
    ageColumn,
    wide(text('Containers', (object) => templateContainers(object, 'name'))),
    wide(text('Images', (object) => templateContainers(object, 'image'))),
  ],
  'daemonsets.apps': [
    nameColumn,
    number('Desired', 'status', 'desiredNumberScheduled'),
    number('Current', 'status', 'currentNumberScheduled'),
    number('Ready', 'status', 'numberReady'),
    number('Up-to-date', 'status', 'updatedNumberScheduled'),
    number('Available', 'status', 'numberAvailable'),
    text('Node Selector', (set) => pairs(at(set, 'spec', 'template', 'spec', 'nodeSelector'))),
    ageColumn,
  ],
  'certificatesigningrequests.certificates.k8s.io': [
    nameColumn,
    ageColumn,
    path('SignerName', 'spec', 'signerName'),
    path('Requestor', 'spec', 'username'),
    text('RequestedDuration', (request) => {
      const seconds = at(request, 'spec', 'expirationSeconds');
      return typeof seconds === 'number' ? humanDuration(seconds * 1000) : NONE;
    }),
    text('Condition', requestCondition),
  ],
  'storageclasses.storage.k8s.io': [
    text('Name', storageClassName),
    path('Provisioner', 'provisioner'),
    text('ReclaimPolicy', (storageClass) => textAt(storageClass, 'reclaimPolicy') || 'Delete'),
    text('VolumeBindingMode', (storageClass) => textAt(storageClass, 'volumeBindingMode') || 'Immediate'),
    text('AllowVolumeExpansion', (storageClass) => String(at(storageClass, 'allowVolumeExpansion') === true)),
    ageColumn,
  ],
};

function nodeStatus(node: KubeObject): string {
  const ready = textAt(conditionOf(node, 'Ready'), 'status');
  const state = ready === '' ? 'Unknown' : ready === 'True' ? 'Ready' : 'NotReady';
  return at(node, 'spec', 'unschedulable') === true ? `${state},SchedulingDisabled` : state;
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
  const found = listAt(node, 'status', 'addresses').find((item) => textAt(item, 'type') === type);
  return textAt(found, 'address') || NONE;
}

function readyContainers(pod: KubeObject): unknown[] {
  return listAt(pod, 'status', 'containerStatuses').filter((status) => at(status, 'ready') === true);
}

function restarts(pod: KubeObject): number {
  const statuses = listAt(pod, 'status', 'containerStatuses');
  return statuses.reduce((sum: number, status) => sum + Number(at(status, 'restartCount') ?? 0), 0);
}

function podStatus(pod: KubeObject): string {
  if (pod.metadata.deletionTimestamp) return 'Terminating';
  const waiting = listAt(pod, 'status', 'containerStatuses').map((status) =>
    textAt(status, 'state', 'waiting', 'reason'),
  );
  return waiting.find(Boolean) ?? (textAt(pod, 'status', 'reason') || textAt(pod, 'status', 'phase') || 'Unknown');
}

function keys(object: KubeObject, field: string): number {
  const found = at(object, field);
  return isRecord(found) ? Object.keys(found).length : 0;
}

function pairs(value: unknown): string {
  const entries = isRecord(value) ? Object.entries(value) : [];
  return entries.length === 0 ? NONE : entries.map(([key, item]) => `${key}=${String(item)}`).join(',');
}

function servicePorts(service: KubeObject): string {
  const ports = listAt(service, 'spec', 'ports').map((port) => {
    const node = at(port, 'nodePort');
    return `${String(at(port, 'port'))}${node ? `:${String(node)}` : ''}/${textAt(port, 'protocol') || 'TCP'}`;
  });
  return ports.join(',') || NONE;
}

function endpointAddresses(endpoints: KubeObject): string {
  const all = listAt(endpoints, 'subsets').flatMap((subset) =>
    listAt(subset, 'addresses').flatMap((address) =>
      listAt(subset, 'ports').map((port) => `${textAt(address, 'ip')}:${String(at(port, 'port'))}`),
    ),
  );
  if (all.length <= 3) return all.join(',') || NONE;
  return `${all.slice(0, 3).join(',')} + ${all.length - 3} more...`;
}

const MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

function accessModes(modes: readonly unknown[]): string {
  return modes.map((mode) => MODES[String(mode)] ?? String(mode)).join(',');
}

function readyOfWanted(object: KubeObject): string {
  return `${String(at(object, 'status', 'readyReplicas') ?? 0)}/${String(at(object, 'spec', 'replicas') ?? 1)}`;
}

function templateContainers(object: KubeObject, field: string): string {
  return listAt(object, 'spec', 'template', 'spec', 'containers')
    .map((container) => textAt(container, field))
    .join(',');
}

/** `Approved,Issued`: the decision, then whether a certificate came of it. */
function requestCondition(request: KubeObject): string {
  const has = (type: string) => conditionOf(request, type).type !== undefined;
  const decision = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  const failed = has('Failed') ? ',Failed' : '';
  return `${decision}${failed}${textAt(request, 'status', 'certificate') === '' ? '' : ',Issued'}`;
}

function storageClassName({ metadata }: KubeObject): string {
  const isDefault = metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true';
  return isDefault ? `${metadata.name} (default)` : metadata.name;
}
