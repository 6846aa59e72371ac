import type { Cluster, ListOptions } from '../../cluster/api.ts';
import { judgeAll } from '../../cluster/csr/judge-all.ts';
import type { Snapshot } from '../../cluster/snapshot.ts';
import { hasLeftEtcd } from '../../diagnosis/bootstrap/etcd.ts';
import type { ClusterSeen, NodeSeen } from '../../diagnosis/causes/evidence.ts';
import { operatorStates } from '../../diagnosis/operators/states.ts';
import type { Kind } from '../../objects/kinds.ts';
import { nodeView } from '../../objects/node.ts';
import { at, conditionsOf, isTrue, type KubeObject, textAt } from '../../objects/object.ts';
import { podView } from '../../objects/pod.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { StepContext } from '../contract.ts';
import { openCluster } from '../shared/access.ts';
import { bootedSince } from '../shared/machines/later-nodes.ts';
import { claimsSeen } from './claims.ts';
import { unwellIn } from './unwell.ts';

const MOST_PODS = 200;
const MOST_EVENTS = 200;
/** In which claims wait: more of them would say the same. */
const MOST_NAMESPACES = 8;
const GIB = 1024 ** 3;

/** What the API says, beyond the snapshot too; null while it is away. */
export async function clusterSeen(context: StepContext, snapshot: Snapshot | null): Promise<ClusterSeen | null> {
  if (snapshot === null || snapshot.api.state === 'away') return null;
  const { design, clock } = context;
  const cluster = await openCluster(context).catch(() => null);
  const [nodes, routers, classes, claims, proxies, unwell] = await Promise.all([
    listed(cluster, 'Node'),
    listed(cluster, 'Pod', { namespace: 'openshift-ingress', limit: MOST_PODS }),
    listed(cluster, 'StorageClass'),
    listed(cluster, 'PersistentVolumeClaim'),
    listed(cluster, 'Proxy'),
    unwellIn(cluster),
  ]);
  const known = snapshot.nodes ?? [];
  const requests =
    snapshot.requests === null
      ? null
      : judgeAll(snapshot.requests, { design, nodes: known, now: clock.now(), bootedSince: bootedSince(context) });
  const removed = snapshot.etcdBootstrapMemberRemoved;
  return {
    bootstrapStatus: snapshot.bootstrapStatus,
    isEtcdAlone: removed === null ? null : hasLeftEtcd(design.openshift.version, removed),
    version: snapshot.clusterVersion,
    nodes: nodes?.map(nodeSeen) ?? null,
    requests,
    operators: snapshot.operators === null ? null : operatorStates(design, snapshot.operators, known, [], clock.now()),
    routers: routers?.map(podView).filter(({ name }) => name.startsWith('router-')) ?? null,
    proxy: proxySeen(proxies?.find(({ metadata }) => metadata.name === 'cluster')),
    storageClasses: classes?.map(({ metadata }) => metadata.name) ?? null,
    pendingClaims: claims && claimsSeen(claims, classes, await eventsOf(cluster, claims)),
    unwell,
  };
}

/** The Proxy of the cluster, which has one on every installation; null: not known. */
export function proxySeen(proxy: KubeObject | undefined): ClusterSeen['proxy'] {
  if (proxy === undefined) return null;
  const spec = (name: string) => textAt(proxy.spec, name) ?? '';
  // What the network operator adds stands in the status alone.
  const noProxy = [spec('noProxy'), textAt(proxy.status, 'noProxy') ?? ''].filter((text) => text !== '').join(',');
  return { isUsed: spec('httpProxy') + spec('httpsProxy') !== '', noProxy };
}

/** Events of the claims that have no volume, by namespace. */
async function eventsOf(cluster: Cluster | null, claims: readonly KubeObject[]): Promise<KubeObject[]> {
  const pending = claims.filter(({ status }) => textAt(status, 'phase') !== 'Bound');
  const namespaces = [...new Set(pending.flatMap(({ metadata }) => metadata.namespace ?? []))].slice(
    0,
    MOST_NAMESPACES,
  );
  const fieldSelector = 'involvedObject.kind=PersistentVolumeClaim';
  const found = namespaces.map((namespace) =>
    listed(cluster, 'Event', { namespace, fieldSelector, limit: MOST_EVENTS }),
  );
  return (await Promise.all(found)).flatMap((events) => events ?? []);
}

/** Null where it cannot be read: what nobody knows proves nothing. */
async function listed(cluster: Cluster | null, kind: Kind, options: ListOptions = {}): Promise<KubeObject[] | null> {
  try {
    return (await cluster?.list(kind, options)) ?? null;
  } catch (error) {
    if (error instanceof TroubleError) return null;
    throw error;
  }
}

/** A Node as rules judge it. */
export function nodeSeen(object: KubeObject): NodeSeen {
  const { name, isReady, readySince, goneSince, addresses } = nodeView(object);
  const conditions = conditionsOf(object);
  return {
    name,
    isReady,
    readySince,
    goneSince,
    message: conditions.find(({ type }) => type === 'Ready')?.message ?? '',
    addresses: addresses.filter(({ type }) => type === 'InternalIP').map(({ address }) => address),
    hasDiskPressure: isTrue(conditions, 'DiskPressure'),
    isCordoned: at(object.spec, 'unschedulable') === true,
    isChanging: isChanging(object),
    diskGiB: gibOf(textAt(object.status, 'capacity', 'ephemeral-storage')),
  };
}

function isChanging({ metadata: { annotations = {} } }: KubeObject): boolean {
  const own = (name: string) => annotations[`machineconfiguration.openshift.io/${name}`];
  return own('currentConfig') !== own('desiredConfig') || (own('state') ?? 'Done') !== 'Done';
}

const UNITS: Readonly<Record<string, number>> = {
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

/** A quantity of Kubernetes in whole GiB; null for what is none. */
function gibOf(quantity: string | null): number | null {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([kMGT]i?|Ki)?$/.exec(quantity ?? '') ?? [];
  const factor = UNITS[unit];
  return number === undefined || factor === undefined ? null : Math.floor((Number(number) * factor) / GIB);
}
