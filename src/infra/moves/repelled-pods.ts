import { listInfraNodeNames } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { parseNode, type Taint } from '../../openshift/node.ts';
import { getField, getList, getNumber, type KubeObject } from '../../openshift/object.ts';
import type { ClusterReader } from '../cluster-reader.ts';
import { getTemplateTolerations, selectsNode } from '../shared/rollout.ts';
import { listPlannedTaints, tolerates } from '../shared/tolerations.ts';

const words = () => catalogue().moves.byName.taint;

/** The DaemonSet that gets its toleration from the move `dns`. */
const DNS_DAEMON_SET = 'openshift-dns/dns-default';
/**
 * The DaemonSet that tolerates a single key only (cluster-ingress-operator,
 * pkg/manifests/assets/canary/daemonset.yaml).
 */
const CANARY_DAEMON_SET = 'openshift-ingress-canary/ingress-canary';

/** Describes the DaemonSets that the taint repels from the infra nodes, in sentences; empty if it repels none. */
export async function describeRepelledDaemonSets(cluster: ClusterReader, design: Design): Promise<string[]> {
  const taints = await listPlannedTaints(cluster, design);
  const daemonSets = await listRepelledDaemonSets(cluster, listInfraNodeNames(design), taints);
  const otherDaemonSets = daemonSets.filter((name) => name !== CANARY_DAEMON_SET);
  return [
    ...(otherDaemonSets.length > 0 ? [words().daemonSets(otherDaemonSets)] : []),
    ...(otherDaemonSets.length < daemonSets.length ? [words().canary([...new Set(taints.map(({ key }) => key))])] : []),
  ];
}

/**
 * Lists the DaemonSets that select one of these nodes, have pods, and do not tolerate all of the taints. Cluster DNS is
 * left out, because the move `dns` adds its toleration.
 */
export async function listRepelledDaemonSets(
  cluster: ClusterReader,
  names: readonly string[],
  taints: readonly Taint[],
): Promise<string[]> {
  const nodes = (await cluster.list('Node')).filter(({ metadata }) => names.includes(metadata.name));
  return (await cluster.list('DaemonSet'))
    .filter(
      (set) => nodes.some((node) => selectsNode(set, node)) && getNumber(set.status, 'desiredNumberScheduled') !== 0,
    )
    .filter((set) => !taints.every((taint) => tolerates(getTemplateTolerations(set), taint)))
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
    .filter((name) => name !== DNS_DAEMON_SET)
    .sort();
}

/**
 * Lists the pods on a node that do not tolerate one of the node's NoExecute taints: they are evicted.
 * @param plannedTaints taints that the node is going to have as well
 */
export async function listPodsToEvict(
  cluster: ClusterReader,
  name: string,
  plannedTaints: readonly Taint[] = [],
): Promise<KubeObject[]> {
  const node = await cluster.get('Node', name);
  const currentTaints = node === null ? [] : parseNode(node).taints;
  const evictingTaints = [...currentTaints, ...plannedTaints].filter(({ effect }) => effect === 'NoExecute');
  if (evictingTaints.length === 0) return [];
  const pods = await cluster.list('Pod', { fieldSelector: `spec.nodeName=${name}` });
  return pods
    .filter(({ status }) => !['Succeeded', 'Failed'].includes(String(getField(status, 'phase'))))
    .filter(({ spec }) => !evictingTaints.every((taint) => tolerates(getList(spec, 'tolerations'), taint)));
}

/** Lists the pods that are not scheduled to a node. */
export async function listUnscheduledPods(cluster: ClusterReader): Promise<KubeObject[]> {
  const pods = await cluster.list('Pod', { fieldSelector: 'status.phase=Pending' });
  return pods.filter(
    ({ spec, metadata }) => getField(spec, 'nodeName') === undefined && metadata.deletionTimestamp === undefined,
  );
}

/** Formats the namespace and the name of an object: `openshift-ingress/router-default-7d4b9c-x2x9p`. */
export const formatNamespacedName = ({ metadata }: KubeObject) => `${metadata.namespace}/${metadata.name}`;
