import { redact } from '../platform/secrets.ts';
import {
  type Condition,
  getList,
  getMultilineString,
  getNumber,
  getString,
  isConditionTrue,
  type KubeObject,
  listConditions,
  toSingleLine,
} from './object.ts';

/** The status of a ClusterOperator, and its most urgent condition. */
export interface OperatorView {
  readonly name: string;
  /** The version that all its components have (`status.versions`, name "operator"); empty until it reports one. */
  readonly version: string;
  readonly available: boolean;
  readonly progressing: boolean;
  readonly degraded: boolean;
  /**
   * The time since which it is degraded or not available, else progressing, else available, as `oc get
   * clusteroperators` shows it, in ms since the epoch.
   */
  readonly since: number | null;
  /** Message and reason of the condition that matters most: Degraded, then not Available, then Progressing. */
  readonly message: string;
  readonly reason: string;
  /**
   * All conditions, whatever their status: Degraded, Available, Progressing, Upgradeable, then the others. Messages are
   * cut after 20,000 characters.
   */
  readonly conditions: readonly Condition[];
  /** Its own namespaces (relatedObjects), which hold its pods and their events. */
  readonly namespaces: readonly string[];
  /** Since when it is not progressing, in ms since the epoch; null while it progresses or does not report it. */
  readonly steadySince: number | null;
}

/** The health states of an operator, the most urgent first. */
export const OPERATOR_HEALTH_STATES = ['degraded', 'unavailable', 'progressing', 'fine'] as const;
type OperatorHealth = (typeof OPERATOR_HEALTH_STATES)[number];

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

/** Parses a ClusterOperator. A missing condition counts as False: without any, it is neither available nor degraded. */
export function parseClusterOperator(object: KubeObject): OperatorView {
  const conditions = listConditions(object, getMultilineString)
    .map((condition) => ({ ...condition, message: truncateMessage(redact(condition.message)) }))
    .sort((a, b) => getConditionRank(a.type) - getConditionRank(b.type));
  const [available, progressing, degraded] = [
    isConditionTrue(conditions, 'Available'),
    isConditionTrue(conditions, 'Progressing'),
    isConditionTrue(conditions, 'Degraded'),
  ];
  const healthCondition = HEALTH_CONDITIONS[deriveOperatorHealth({ available, progressing, degraded })];
  const decisiveCondition = conditions.find(({ type }) => type === healthCondition);
  // If it is both degraded and not available, the older condition counts: a flip of the other one must not shorten the
  // duration.
  const urgentTypes = [...(degraded ? ['Degraded'] : []), ...(available ? [] : ['Available'])];
  const startTimes = conditions
    .filter(({ type }) => (urgentTypes.length > 0 ? urgentTypes : [healthCondition]).includes(type))
    .flatMap((condition) => condition.since ?? []);
  const notProgressingCondition = conditions.find(({ type, status }) => type === 'Progressing' && status === 'False');
  return {
    name: object.metadata.name,
    version: getOperatorVersion(object),
    available,
    progressing,
    degraded,
    since: startTimes.length > 0 ? Math.min(...startTimes) : null,
    message: toSingleLine(decisiveCondition?.message ?? ''),
    reason: decisiveCondition?.reason ?? '',
    conditions,
    namespaces: listNamespaces(object),
    steadySince: notProgressingCondition?.since ?? null,
  };
}

function getOperatorVersion(object: KubeObject): string {
  const entry = getList(object.status, 'versions').find((version) => getString(version, 'name') === 'operator');
  return entry === undefined ? '' : toSingleLine(getString(entry, 'version') ?? '');
}

function getConditionRank(type: string): number {
  const index = CONDITION_ORDER.indexOf(type);
  return index < 0 ? CONDITION_ORDER.length : index;
}

function truncateMessage(message: string): string {
  return message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message;
}

/** Lists the namespaces that `status.relatedObjects` of the operator names, without those that all operators share. */
function listNamespaces(object: KubeObject): string[] {
  const relatedObjects = getList(object.status, 'relatedObjects');
  const namespaceNames = relatedObjects.flatMap((entry) =>
    getString(entry, 'resource') === 'namespaces' ? [getString(entry, 'name') ?? ''] : [],
  );
  const operatorNamespaces = [...new Set(namespaceNames)].filter(
    (name) => /^[a-z0-9][a-z0-9.-]*$/.test(name) && !SHARED_NAMESPACES.has(name),
  );
  return operatorNamespaces.slice(0, MAX_NAMESPACES);
}

const SHARED_NAMESPACES: ReadonlySet<string> = new Set([
  'openshift-config',
  'openshift-config-managed',
  'default',
  'kube-system',
]);

/** Whether a Deployment or StatefulSet is rolled out: generation observed, all replicas updated and available. */
export function isWorkloadRolledOut(object: KubeObject): boolean {
  const desiredReplicas = getNumber(object.spec, 'replicas') ?? 1;
  return (
    (getNumber(object.status, 'observedGeneration') ?? 0) >= (object.metadata.generation ?? 0) &&
    (getNumber(object.status, 'updatedReplicas') ?? 0) === desiredReplicas &&
    (getNumber(object.status, 'replicas') ?? 0) === desiredReplicas &&
    (getNumber(object.status, 'availableReplicas') ?? getNumber(object.status, 'readyReplicas') ?? 0) ===
      desiredReplicas
  );
}
