import { isBootstrapMemberRemoved } from '../../checks/bootstrap/stages.ts';
import { deriveOperatorStates } from '../../checks/operators.ts';
import type { ObservedCluster, ObservedNode } from '../../checks/rules/evidence.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import { type Cluster, type ListOptions, listRouters } from '../../kube/api.ts';
import type { ClusterSnapshot } from '../../kube/snapshot.ts';
import type { Kind } from '../../openshift/kinds.ts';
import { isControlPlaneNode, listInternalAddresses, parseNode } from '../../openshift/node.ts';
import {
  findUnhealthy,
  getField,
  getList,
  getString,
  isConditionTrue,
  type KubeObject,
  listConditions,
  type UnhealthyObject,
} from '../../openshift/object.ts';
import type { StepContext } from '../contract.ts';
import { reviewListedRequests } from '../shared/certificate-requests.ts';
import { openCluster } from '../shared/cluster-access.ts';
import { listPendingClaims } from './pending-claims.ts';

const MAX_OBJECTS = 500;
/**
 * Kinds whose objects report their own problems. A version that lacks one of them returns an error, which is ignored.
 */
const SELF_REPORTING_KINDS = [
  'MachineConfigPool',
  'APIService',
  'Namespace',
  'ClusterVersion',
] as const satisfies readonly Kind[];
const WEBHOOK_KINDS = [
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
] as const satisfies readonly Kind[];

/** Finds the unhealthy objects of the cluster. Unreadable ones are left out. */
export async function findUnhealthyObjects(cluster: Pick<Cluster, 'list' | 'get'> | null): Promise<UnhealthyObject[]> {
  if (cluster === null) return [];
  const [unhealthyObjects, webhooks] = await Promise.all([
    Promise.all(
      SELF_REPORTING_KINDS.map(async (kind) =>
        (await listOrEmpty(cluster, kind)).flatMap((object) => findUnhealthy(object) ?? []),
      ),
    ),
    findUnservedWebhooks(cluster),
  ]);
  return [...unhealthyObjects.flat(), ...webhooks];
}

async function listOrEmpty(cluster: Pick<Cluster, 'list'>, kind: Kind): Promise<KubeObject[]> {
  try {
    return await cluster.list(kind, { limit: MAX_OBJECTS });
  } catch (error) {
    if (error instanceof UserErrorException) return [];
    throw error;
  }
}

/**
 * Finds the webhooks that refuse requests they cannot review (failurePolicy Fail) and whose service has no endpoints.
 */
async function findUnservedWebhooks(cluster: Pick<Cluster, 'list' | 'get'>): Promise<UnhealthyObject[]> {
  const configs = (await Promise.all(WEBHOOK_KINDS.map((kind) => listOrEmpty(cluster, kind)))).flat();
  const strictWebhooks = configs.flatMap((config) =>
    getList(config, 'webhooks').flatMap((hook) => {
      const [namespace, name] = [getString(hook, 'clientConfig', 'service', 'namespace'), getServiceName(hook)];
      const isStrict = getString(hook, 'failurePolicy') === 'Fail';
      return isStrict && namespace !== null && name !== null ? [{ config: config.metadata.name, namespace, name }] : [];
    }),
  );
  const services = new Map(strictWebhooks.map((webhook) => [`${webhook.namespace}/${webhook.name}`, webhook]));
  const unservedLists = await Promise.all(
    [...services].map(async ([key, { namespace, name }]) =>
      (await hasEndpoints(cluster, namespace, name)) ? [] : [key],
    ),
  );
  const unservedKeys = new Set(unservedLists.flat());
  const webhookEntries = strictWebhooks
    .filter(({ namespace, name }) => unservedKeys.has(`${namespace}/${name}`))
    .map(({ config, namespace, name }): [string, UnhealthyObject] => {
      const message = `failurePolicy Fail, Service ${namespace}/${name}: no endpoints`;
      return [`${config} ${message}`, { kind: 'Webhook', name: config, message, since: null }];
    });
  return [...new Map(webhookEntries).values()];
}

const getServiceName = (hook: unknown) => getString(hook, 'clientConfig', 'service', 'name');

/** Whether a service has endpoints; true also if that is not known. */
async function hasEndpoints(cluster: Pick<Cluster, 'get'>, namespace: string, name: string): Promise<boolean> {
  try {
    const endpoints = await cluster.get('Endpoints', name, namespace);
    return getList(endpoints, 'subsets').some((subset) => getList(subset, 'addresses').length > 0);
  } catch (error) {
    if (error instanceof UserErrorException || error instanceof RangeError) return true;
    throw error;
  }
}

const MAX_EVENTS = 200;
/**
 * Maximum number of namespaces with unbound PersistentVolumeClaims whose events are read: more would report the same.
 */
const MAX_NAMESPACES = 8;
const GIB = 1024 ** 3;

/**
 * Reads the state of the cluster from the API, beyond the snapshot; null without a kubeconfig, or while the API is
 * unavailable.
 */
export async function observeCluster(
  context: StepContext,
  snapshot: ClusterSnapshot | null,
): Promise<ObservedCluster | null> {
  if (snapshot === null || snapshot.api.state === 'away') return null;
  const { design, clock } = context;
  const cluster = await openCluster(context).catch(() => null);
  const [nodes, routers, storageClasses, claims, proxies, unhealthyObjects] = await Promise.all([
    listOrNull(cluster, 'Node'),
    cluster && listRouters(cluster),
    listOrNull(cluster, 'StorageClass'),
    listOrNull(cluster, 'PersistentVolumeClaim'),
    listOrNull(cluster, 'Proxy'),
    findUnhealthyObjects(cluster),
  ]);
  const snapshotNodes = snapshot.nodes ?? [];
  const requests =
    snapshot.requests === null
      ? null
      : reviewListedRequests(context, { requests: snapshot.requests, nodes: snapshotNodes }).reviews;
  const isEtcdBootstrapMemberRemoved = snapshot.etcdBootstrapMemberRemoved;
  return {
    bootstrapStatus: snapshot.bootstrapStatus,
    isBootstrapMemberRemoved:
      isEtcdBootstrapMemberRemoved === null
        ? null
        : isBootstrapMemberRemoved(design.openshift.version, isEtcdBootstrapMemberRemoved),
    version: snapshot.clusterVersion,
    nodes: nodes?.map(toObservedNode) ?? null,
    requests,
    operators:
      snapshot.operators === null
        ? null
        : deriveOperatorStates(design, snapshot.operators, snapshotNodes, [], routers, clock.now()),
    routers,
    proxy: toObservedProxy(proxies?.find(({ metadata }) => metadata.name === 'cluster')),
    storageClasses: storageClasses?.map(({ metadata }) => metadata.name) ?? null,
    pendingClaims: claims && listPendingClaims(claims, storageClasses, await listClaimEvents(cluster, claims)),
    unhealthyObjects,
  };
}

/** Converts the Proxy of the cluster, which every installation has; null if it is not known. */
export function toObservedProxy(proxy: KubeObject | undefined): ObservedCluster['proxy'] {
  if (proxy === undefined) return null;
  const getSpecField = (name: string) => getString(proxy.spec, name) ?? '';
  // The additions of the network operator are only in the status.
  const noProxy = [getSpecField('noProxy'), getString(proxy.status, 'noProxy') ?? '']
    .filter((text) => text !== '')
    .join(',');
  return { isUsed: getSpecField('httpProxy') + getSpecField('httpsProxy') !== '', noProxy };
}

/** Lists the events of PersistentVolumeClaims in the namespaces that have unbound ones. */
async function listClaimEvents(cluster: Cluster | null, claims: readonly KubeObject[]): Promise<KubeObject[]> {
  const pendingClaims = claims.filter(({ status }) => getString(status, 'phase') !== 'Bound');
  const namespaces = [...new Set(pendingClaims.flatMap(({ metadata }) => metadata.namespace ?? []))].slice(
    0,
    MAX_NAMESPACES,
  );
  const fieldSelector = 'involvedObject.kind=PersistentVolumeClaim';
  const eventLists = namespaces.map((namespace) =>
    listOrNull(cluster, 'Event', { namespace, fieldSelector, limit: MAX_EVENTS }),
  );
  return (await Promise.all(eventLists)).flatMap((events) => events ?? []);
}

/** Lists objects; null if they cannot be read: missing data proves nothing. */
async function listOrNull(
  cluster: Cluster | null,
  kind: Kind,
  options: ListOptions = {},
): Promise<KubeObject[] | null> {
  try {
    return (await cluster?.list(kind, options)) ?? null;
  } catch (error) {
    if (error instanceof UserErrorException) return null;
    throw error;
  }
}

/** Converts a Node to the form that rules evaluate. */
export function toObservedNode(object: KubeObject): ObservedNode {
  const { name, roles, isReady, readySince, notReadySince, addresses } = parseNode(object);
  const conditions = listConditions(object);
  return {
    name,
    isReady,
    readySince,
    notReadySince,
    message: conditions.find(({ type }) => type === 'Ready')?.message ?? '',
    addresses: listInternalAddresses({ addresses }),
    hasDiskPressure: isConditionTrue(conditions, 'DiskPressure'),
    isControlPlane: isControlPlaneNode({ roles }),
    isCordoned: getField(object.spec, 'unschedulable') === true,
    isUpdating: isUpdating(object),
    diskGiB: parseGib(getString(object.status, 'capacity', 'ephemeral-storage')),
  };
}

function isUpdating({ metadata: { annotations = {} } }: KubeObject): boolean {
  const getAnnotation = (name: string) => annotations[`machineconfiguration.openshift.io/${name}`];
  return (
    getAnnotation('currentConfig') !== getAnnotation('desiredConfig') || (getAnnotation('state') ?? 'Done') !== 'Done'
  );
}

const UNIT_FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: GIB,
  Ti: 1024 * GIB,
};

/** Parses a quantity of Kubernetes to whole GiB; null for anything else. */
function parseGib(quantity: string | null): number | null {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([kMGT]i?|Ki)?$/.exec(quantity ?? '') ?? [];
  const factor = UNIT_FACTORS[unit];
  return number === undefined || factor === undefined ? null : Math.floor((Number(number) * factor) / GIB);
}
