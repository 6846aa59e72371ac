import { infraNames } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { nodeView, type Taint } from '../../objects/node.ts';
import { at, type KubeObject, listAt, numberAt } from '../../objects/object.ts';
import { catalogue } from '../../text/catalogue.ts';
import { isFields } from '../edit.ts';
import type { Sight } from '../move.ts';
import { templateTolerations } from '../shared/rollout.ts';
import { doTolerate, taintsToBe } from '../shared/tolerations.ts';

const words = () => catalogue().moves.each.taint;

/** The move `dns` gives it its toleration. */
const DNS = 'openshift-dns/dns-default';
/** Tolerates one key alone (cluster-ingress-operator, pkg/manifests/assets/canary/daemonset.yaml). */
const CANARY = 'openshift-ingress-canary/ingress-canary';

/** What the taint keeps off the infra nodes that runs on every node: the DaemonSets as they are, in sentences. */
export async function keptOff(sight: Sight, design: Design): Promise<string[]> {
  const taints = await taintsToBe(sight, design);
  const found = await daemonSetsOff(sight, infraNames(design), taints);
  const others = found.filter((name) => name !== CANARY);
  return [
    ...(others.length > 0 ? [words().daemonSets(others)] : []),
    ...(others.length < found.length ? [words().canary([...new Set(taints.map(({ key }) => key))])] : []),
  ];
}

/** The DaemonSets that run on these nodes, or would, and do not tolerate all of the taints; cluster DNS is given its toleration. */
export async function daemonSetsOff(
  sight: Sight,
  names: readonly string[],
  taints: readonly Taint[],
): Promise<string[]> {
  const nodes = (await sight.list('Node')).filter(({ metadata }) => names.includes(metadata.name));
  return (await sight.list('DaemonSet'))
    .filter((set) => nodes.some((node) => selects(set, node)) && numberAt(set.status, 'desiredNumberScheduled') !== 0)
    .filter((set) => !taints.every((taint) => doTolerate(templateTolerations(set), taint)))
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
    .filter((name) => name !== DNS)
    .sort();
}

function selects({ spec }: KubeObject, { metadata }: KubeObject): boolean {
  const selector = at(spec, 'template', 'spec', 'nodeSelector');
  return Object.entries(isFields(selector) ? selector : {}).every(([key, value]) => metadata.labels?.[key] === value);
}

/**
 * The pods on a node that do not tolerate one of its taints NoExecute: they have to leave.
 * @param coming taints that it is going to have as well
 */
export async function leavingPods(sight: Sight, name: string, coming: readonly Taint[] = []): Promise<KubeObject[]> {
  const node = await sight.get('Node', name);
  const has = node === null ? [] : nodeView(node).taints;
  const evicting = [...has, ...coming].filter(({ effect }) => effect === 'NoExecute');
  if (evicting.length === 0) return [];
  const pods = await sight.list('Pod', { fieldSelector: `spec.nodeName=${name}` });
  return pods
    .filter(({ status }) => !['Succeeded', 'Failed'].includes(String(at(status, 'phase'))))
    .filter(({ spec }) => !evicting.every((taint) => doTolerate(listAt(spec, 'tolerations'), taint)));
}

/** The pods that no node has taken. */
export async function homelessPods(sight: Sight): Promise<KubeObject[]> {
  const pods = await sight.list('Pod', { fieldSelector: 'status.phase=Pending' });
  return pods.filter(
    ({ spec, metadata }) => at(spec, 'nodeName') === undefined && metadata.deletionTimestamp === undefined,
  );
}

/** `openshift-ingress/router-default-7d4b9c-x2x9p`. */
export const podName = ({ metadata }: KubeObject) => `${metadata.namespace}/${metadata.name}`;
