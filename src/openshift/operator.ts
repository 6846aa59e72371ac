import { redact } from '../platform/redact.ts';
import {
  type Condition,
  getList,
  getMultilineString,
  getString,
  isConditionTrue,
  type KubeObject,
  listConditions,
  toSingleLine,
} from './object.ts';

/** The status of a ClusterOperator, and its most urgent condition. */
export interface OperatorView {
  readonly name: string;
  readonly available: boolean;
  readonly progressing: boolean;
  readonly degraded: boolean;
  /**
   * Start of being degraded or not available, else of progressing, else of being available (the column of `oc get
   * clusteroperators`), in ms since the epoch.
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

/** The health of an operator by its conditions, the most urgent first. */
export const OPERATOR_HEALTH_STATES = ['degraded', 'unavailable', 'progressing', 'fine'] as const;
export type OperatorHealth = (typeof OPERATOR_HEALTH_STATES)[number];

/** Derives the health from the most urgent condition. */
export function deriveOperatorHealth(
  operator: Pick<OperatorView, 'available' | 'progressing' | 'degraded'>,
): OperatorHealth {
  if (operator.degraded) return 'degraded';
  if (!operator.available) return 'unavailable';
  return operator.progressing ? 'progressing' : 'fine';
}

/** The condition behind each health state. */
const HEALTH_CONDITIONS = {
  degraded: 'Degraded',
  unavailable: 'Available',
  progressing: 'Progressing',
  fine: 'Available',
};

const MAX_MESSAGE_LENGTH = 20_000;
const CONDITION_ORDER = ['Degraded', 'Available', 'Progressing', 'Upgradeable'];
/** The largest operators have this many namespaces. */
const MAX_NAMESPACES = 12;

/** Reads a ClusterOperator. A missing condition counts as False: without any, it is neither available nor degraded. */
export function operatorView(object: KubeObject): OperatorView {
  const conditions = listConditions(object, getMultilineString)
    .map((condition) => ({ ...condition, message: truncateMessage(redact(condition.message)) }))
    .sort((a, b) => conditionRank(a.type) - conditionRank(b.type));
  const [available, progressing, degraded] = [
    isConditionTrue(conditions, 'Available'),
    isConditionTrue(conditions, 'Progressing'),
    isConditionTrue(conditions, 'Degraded'),
  ];
  const healthCondition = HEALTH_CONDITIONS[deriveOperatorHealth({ available, progressing, degraded })];
  const decisive = conditions.find(({ type }) => type === healthCondition);
  // A condition that flips while another stays must not make the wait look short.
  const urgentTypes = [...listIf(degraded, 'Degraded'), ...listIf(!available, 'Available')];
  const since = conditions
    .filter(({ type }) => (urgentTypes.length > 0 ? urgentTypes : [healthCondition]).includes(type))
    .flatMap((condition) => condition.since ?? []);
  const notProgressing = conditions.find(({ type, status }) => type === 'Progressing' && status === 'False');
  return {
    name: object.metadata.name,
    available,
    progressing,
    degraded,
    since: since.length > 0 ? Math.min(...since) : null,
    message: toSingleLine(decisive?.message ?? ''),
    reason: decisive?.reason ?? '',
    conditions,
    namespaces: listNamespaces(object),
    steadySince: notProgressing?.since ?? null,
  };
}

function listIf(condition: boolean, type: string): string[] {
  return condition ? [type] : [];
}

function conditionRank(type: string): number {
  const index = CONDITION_ORDER.indexOf(type);
  return index < 0 ? CONDITION_ORDER.length : index;
}

function truncateMessage(message: string): string {
  return message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message;
}

/**
 * Its namespaces from `status.relatedObjects`, and those of its other objects, without those that all operators share.
 */
function listNamespaces(object: KubeObject): string[] {
  const related = getList(object.status, 'relatedObjects');
  const named = related.flatMap((entry) =>
    getString(entry, 'resource') === 'namespaces' ? [getString(entry, 'name') ?? ''] : [],
  );
  const own = [...new Set(named)].filter((name) => /^[a-z0-9][a-z0-9.-]*$/.test(name) && !SHARED.has(name));
  return own.slice(0, MAX_NAMESPACES);
}

const SHARED: ReadonlySet<string> = new Set(['openshift-config', 'openshift-config-managed', 'default', 'kube-system']);
