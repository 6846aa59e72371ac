import { INFRA_LABEL } from '../design/infra-placement.ts';
import type { PodView } from '../objects/pod.ts';
import { shellWord } from '../text/shell-word.ts';

/** What keeps a pod from a node, as far as the scheduler says, or on one. */
export type PendingCause =
  | 'volume'
  | 'claim'
  | 'apart'
  | 'size'
  | 'ports'
  | 'cordoned'
  | 'taint'
  /** The taint of the design, which only undoing its move takes away. */
  | 'own-taint'
  | 'selector'
  /** An infra node lacks its label, which a move sets. */
  | 'unlabelled'
  /** It runs, and may not leave: a PodDisruptionBudget allows no disruption. */
  | 'budget'
  /** Something that we do not know; its message is all there is to say. */
  | 'other';

/** A pod that no node takes, or that may not leave its node. */
export interface PendingPod {
  readonly namespace: string;
  readonly name: string;
  readonly cause: PendingCause;
  /** The key of the taint that it does not tolerate; null for another cause. */
  readonly taint: string | null;
}

/**
 * What the scheduler's message has for each cause. A message counts all nodes, each under the first filter that it failed:
 * workers that are not selected and masters with their taint are always in it. So the last filter (kube-scheduler: unschedulable,
 * taints, selector, ports, resources, volumes, spreading) tells of the nodes that came nearest, and is asked first.
 */
const SIGNS: readonly (readonly [Exclude<PendingCause, 'taint' | 'other'>, RegExp])[] = [
  // What the eviction API says (kubernetes, pkg/registry/core/pod/storage/eviction.go).
  ['budget', /disruption budget/],
  ['volume', /volume node affinity/],
  ['claim', /unbound immediate PersistentVolumeClaims|available persistent volumes|persistentvolumeclaim/],
  ['apart', /anti-affinity/],
  ['size', /Insufficient|Too many pods/],
  ['ports', /free ports/],
];
const LATE_SIGNS: typeof SIGNS = [
  ['cordoned', /were unschedulable/],
  ['selector', /node affinity\/selector|node selector/],
];

/** From 1.24 on `had untolerated taint {KEY: VALUE}`, before that `had taint {KEY: VALUE}, that the pod didn't tolerate`. */
const TAINT = /had (?:untolerated )?taint \{([^:}\s]+)/g;
/** The control plane's own taints keep off whatever goes to infra nodes, and are right to. */
const OF_CONTROL_PLANE: ReadonlySet<string> = new Set([
  'node-role.kubernetes.io/master',
  'node-role.kubernetes.io/control-plane',
]);
const CORDON = 'node.kubernetes.io/unschedulable';

/** Why no node takes a pod, by its scheduler's message. */
export function pendingPod({ namespace, name, message }: PodView): PendingPod {
  const found = (cause: PendingCause, taint: string | null = null): PendingPod => ({ namespace, name, cause, taint });
  const sign = SIGNS.find(([, text]) => text.test(message));
  if (sign) return found(sign[0]);
  const taints = [...message.matchAll(TAINT)].flatMap(([, key]) => key ?? []);
  const own = taints.filter((key) => !OF_CONTROL_PLANE.has(key));
  const [taint] = own.filter((key) => key !== CORDON);
  if (taint !== undefined) return found('taint', taint);
  const late = own.includes(CORDON) ? LATE_SIGNS[0] : LATE_SIGNS.find(([, text]) => text.test(message));
  if (late) return found(late[0]);
  const [any] = taints;
  return any === undefined ? found('other') : found('taint', any);
}

/** What a person types against a cause, whole; null where the wizard does it, or the design is to be changed. */
const COMMANDS: Readonly<Record<PendingCause, (pod: PendingPod) => string | null>> = {
  volume: () => 'oc get pv -o custom-columns=CLAIM:.spec.claimRef.name,TIED-TO:.spec.nodeAffinity.required',
  claim: ({ namespace }) => `oc describe pvc -n ${shellWord(namespace)}`,
  apart: () => null,
  size: () => null,
  ports: () => null,
  cordoned: () => `oc adm uncordon -l ${INFRA_LABEL}`,
  // A taint that Kubernetes sets tells of a node that is unwell: that is looked at, not taken away.
  taint: ({ taint }) =>
    taint === null || taint.startsWith('node.kubernetes.io/') || OF_CONTROL_PLANE.has(taint)
      ? `oc describe nodes -l ${INFRA_LABEL}`
      : `oc adm taint nodes -l ${INFRA_LABEL} ${shellWord(`${taint}-`)}`,
  'own-taint': () => null,
  selector: () => `oc get nodes -L ${INFRA_LABEL}`,
  unlabelled: () => null,
  budget: ({ namespace }) => `oc get poddisruptionbudgets -n ${shellWord(namespace)}`,
  other: ({ namespace, name }) => `oc describe pod -n ${shellWord(namespace)} ${shellWord(name)}`,
};

/** What a person types against it; null where a key does it. */
export function commandFor(pod: PendingPod): string | null {
  return COMMANDS[pod.cause](pod);
}
