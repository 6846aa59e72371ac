import { judgeAll } from '../../cluster/csr/judge-all.ts';
import { judgeAlone } from '../../cluster/csr/judge-alone.ts';
import { readRequest } from '../../cluster/csr/request.ts';
import { memberRemoved } from '../../cluster/views/bootstrap.ts';
import { clusterVersionView } from '../../cluster/views/cluster-version.ts';
import type { Design } from '../../design/model.ts';
import { hasLeftEtcd } from '../../diagnosis/bootstrap/etcd.ts';
import type { ClusterSeen, Line } from '../../diagnosis/causes/evidence.ts';
import { operatorStates } from '../../diagnosis/operators/states.ts';
import { nodeView } from '../../objects/node.ts';
import { type KubeObject, listAt, textAt, timeAt } from '../../objects/object.ts';
import { operatorView } from '../../objects/operator.ts';
import { podView } from '../../objects/pod.ts';
import { unwellOf } from '../../objects/unwell.ts';
import { redact } from '../../text/redact.ts';
import type { BundleObject } from './bundle-objects.ts';
import { claimsSeen } from './claims.ts';
import { nodeSeen, proxySeen } from './cluster.ts';

/** Whether an object tells something: of the kinds that a bundle has by the thousand, few do. */
export function isTelling({ kind, metadata: { namespace, name }, involvedObject }: KubeObject): boolean {
  if (kind === 'Event') return textAt(involvedObject, 'kind') === 'PersistentVolumeClaim';
  if (kind === 'Pod') return namespace === 'openshift-ingress' && name.startsWith('router-');
  if (kind === 'ConfigMap') return namespace === 'kube-system' && name === 'bootstrap';
  return true;
}

const of = (objects: readonly KubeObject[], wanted: string) => objects.filter(({ kind }) => kind === wanted);

/** What operators that are not well say, as lines: the same patterns fit them. */
export function operatorLines(objects: readonly KubeObject[]): Line[] {
  const operators = of(objects, 'ClusterOperator').map(operatorView);
  return operators
    .filter(({ available, degraded }) => !available || degraded)
    .map(({ name, message }) => ({
      source: `clusteroperators/${name}`,
      host: null,
      text: redact(message).slice(0, 2000),
      at: null,
    }));
}

/** When the kubelets reported last, ms: not long before a bundle was gathered; null: no Node says. */
export function lastHeartbeat(objects: readonly KubeObject[]): number | null {
  const beats = of(objects, 'Node').flatMap(({ status }) =>
    listAt(status, 'conditions').flatMap((each) => timeAt(each, 'lastHeartbeatTime') ?? []),
  );
  return beats.length === 0 ? null : beats.reduce((last, beat) => Math.max(last, beat));
}

/**
 * The cluster at the moment of a bundle, as far as its objects tell.
 * @param design null: what is planned is not known, and nothing is judged by it
 * @param isRunning it was gathered by a pod of the cluster: its control plane works by itself
 * @param now the moment of the bundle, ms
 */
export function clusterOf(
  design: Design | null,
  found: readonly BundleObject[],
  { now, isRunning }: { readonly now: number; readonly isRunning: boolean },
): ClusterSeen {
  const objects = found.map(({ object }) => object);
  const all = of(objects, 'Node');
  const nodes = all.map(nodeView);
  const operators = of(objects, 'ClusterOperator').map(operatorView);
  const [versionObject] = of(objects, 'ClusterVersion');
  const version = versionObject === undefined ? null : clusterVersionView(versionObject);
  const requests = of(objects, 'CertificateSigningRequest').map(readRequest);
  const classes = of(objects, 'StorageClass');
  // One CSINode stands for each node: where they were gathered, the classes were as well.
  const areClassesKnown = classes.length > 0 || of(objects, 'CSINode').length > 0;
  const told = of(objects, 'ConfigMap').find(({ metadata }) => metadata.name === 'bootstrap');
  const isComplete = isRunning || version?.available === true || told?.data?.status === 'complete';
  const etcd = of(objects, 'Etcd')[0];
  const removed = etcd === undefined ? null : memberRemoved(etcd);
  const release = version?.version || (design?.openshift.version ?? '');
  return {
    bootstrapStatus: isComplete ? 'complete' : told === undefined ? null : 'progress',
    isEtcdAlone: version?.available === true ? true : removed === null ? null : hasLeftEtcd(release, removed),
    routers: routersOf(objects),
    proxy: proxySeen(of(objects, 'Proxy').find(({ metadata }) => metadata.name === 'cluster')),
    version,
    requests: requests.length === 0 ? null : judged(design, requests, nodes, now),
    storageClasses: areClassesKnown ? classes.map(({ metadata }) => metadata.name) : null,
    pendingClaims: claimsSeen(of(objects, 'PersistentVolumeClaim'), classes, of(objects, 'Event')),
    nodes: all.length === 0 ? null : all.map(nodeSeen),
    operators: operators.length === 0 ? null : operatorStates(design, operators, nodes, [], now),
    unwell: objects.flatMap((object) => unwellOf(object) ?? []),
  };
}

function judged(
  design: Design | null,
  requests: readonly ReturnType<typeof readRequest>[],
  nodes: readonly ReturnType<typeof nodeView>[],
  now: number,
) {
  return design === null ? requests.map(judgeAlone) : judgeAll(requests, { design, nodes, now, bootedSince: null });
}

/** Each once: a must-gather has the pods of a namespace alone, and in a list as well. */
function routersOf(objects: readonly KubeObject[]): ClusterSeen['routers'] {
  const pods = of(objects, 'Pod').map(podView);
  const isKnown = pods.length > 0;
  return isKnown ? [...new Map(pods.map((pod) => [pod.name, pod])).values()] : null;
}
