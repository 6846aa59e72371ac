import { redact } from '../text/redact.ts';
import { type Condition, conditionsOf, isTrue, type KubeObject, linesAt, listAt, oneLine, textAt } from './object.ts';

/** The status of a ClusterOperator, and its most urgent condition. */
export interface OperatorView {
  readonly name: string;
  readonly available: boolean;
  readonly progressing: boolean;
  readonly degraded: boolean;
  /**
   * Since when it is degraded or not available, else since when it progresses, else since when it is available (as the column of
   * `oc get clusteroperators`), in milliseconds since the epoch.
   */
  readonly since: number | null;
  /** Of the condition that matters most: Degraded, then not Available, then Progressing. */
  readonly message: string;
  readonly reason: string;
  /** All conditions, the most urgent first. A status may be anything; messages end after 20,000 characters. */
  readonly conditions: readonly Condition[];
  /** Its own namespaces (relatedObjects), which hold its pods and their events. */
  readonly namespaces: readonly string[];
  /** Since when it reports that it is not progressing, in milliseconds since the epoch; null while it is, or reports nothing. */
  readonly steadySince: number | null;
}

/** The state of an operator by its conditions, the most urgent first. */
export const OPERATOR_STANDINGS = ['degraded', 'unavailable', 'progressing', 'fine'] as const;
export type OperatorStanding = (typeof OPERATOR_STANDINGS)[number];

/** The most urgent of its conditions. */
export function standingOf(operator: Pick<OperatorView, 'available' | 'progressing' | 'degraded'>): OperatorStanding {
  if (operator.degraded) return 'degraded';
  if (!operator.available) return 'unavailable';
  return operator.progressing ? 'progressing' : 'fine';
}

/** The condition behind each state. */
const MATTERS = { degraded: 'Degraded', unavailable: 'Available', progressing: 'Progressing', fine: 'Available' };

const LONGEST_MESSAGE = 20_000;
const FIRST = ['Degraded', 'Available', 'Progressing', 'Upgradeable'];
/** As many namespaces as the largest operators have, and no more. */
const MOST_NAMESPACES = 12;

/** Reads a ClusterOperator. A missing condition counts as False: without any, it is neither available nor degraded. */
export function operatorView(object: KubeObject): OperatorView {
  const conditions = conditionsOf(object, linesAt)
    .map((condition) => ({ ...condition, message: short(redact(condition.message)) }))
    .sort((a, b) => place(a.type) - place(b.type));
  const [available, progressing, degraded] = [
    isTrue(conditions, 'Available'),
    isTrue(conditions, 'Progressing'),
    isTrue(conditions, 'Degraded'),
  ];
  const matters = MATTERS[standingOf({ available, progressing, degraded })];
  const told = conditions.find(({ type }) => type === matters);
  // A condition that flips while another stays must not make the wait look short.
  const matter = [...when(degraded, 'Degraded'), ...when(!available, 'Available')];
  const since = conditions
    .filter(({ type }) => (matter.length > 0 ? matter : [matters]).includes(type))
    .flatMap((condition) => condition.since ?? []);
  const steady = conditions.find(({ type, status }) => type === 'Progressing' && status === 'False');
  return {
    name: object.metadata.name,
    available,
    progressing,
    degraded,
    since: since.length > 0 ? Math.min(...since) : null,
    message: oneLine(told?.message ?? ''),
    reason: told?.reason ?? '',
    conditions,
    namespaces: namespacesOf(object),
    steadySince: steady?.since ?? null,
  };
}

function when(isSo: boolean, type: string): string[] {
  return isSo ? [type] : [];
}

function place(type: string): number {
  const index = FIRST.indexOf(type);
  return index < 0 ? FIRST.length : index;
}

function short(message: string): string {
  return message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message;
}

/** `status.relatedObjects`: namespaces, and the namespaces of its other objects, without those that all operators share. */
function namespacesOf(object: KubeObject): string[] {
  const related = listAt(object.status, 'relatedObjects');
  const named = related.flatMap((entry) =>
    textAt(entry, 'resource') === 'namespaces' ? [textAt(entry, 'name') ?? ''] : [],
  );
  const own = [...new Set(named)].filter((name) => /^[a-z0-9][a-z0-9.-]*$/.test(name) && !SHARED.has(name));
  return own.slice(0, MOST_NAMESPACES);
}

const SHARED: ReadonlySet<string> = new Set(['openshift-config', 'openshift-config-managed', 'default', 'kube-system']);
