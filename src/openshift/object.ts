import { redact } from '../platform/secrets.ts';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** A validated object of the API, with a checked identity and sanitized strings. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
  readonly data?: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The managers of its fields; only if the object was read with them. */
  readonly managers?: readonly FieldManager[];
}

/** A program or user that wrote fields of an object, from `metadata.managedFields` of the API. */
export interface FieldManager {
  readonly name: string;
  /** Time of its last write, in milliseconds since the epoch; null where the API does not report it. */
  readonly lastWriteAt: number | null;
  /** The fields, as a tree of `f:name`. */
  readonly fields: unknown;
}

/** An object to create, with its kind and version. */
export interface NewObject {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Record<string, string> };
  readonly [key: string]: unknown;
}

/** An object as the API sends it: the items of a list of a built-in kind have no `apiVersion` and `kind`. */
export type RawObject = Omit<KubeObject, 'apiVersion' | 'kind'> & Partial<Pick<KubeObject, 'apiVersion' | 'kind'>>;

/** Returns the value at a path of keys; undefined where any of them is missing. */
export function getField(value: unknown, ...path: readonly string[]): unknown {
  let current: unknown = value;
  for (const key of path) {
    if (current === null || typeof current !== 'object' || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<string, unknown>)[key];
  }
  return current;
}

/**
 * Returns the text at a path of keys as one line, because a newline in it could forge a line of the wizard. Null where
 * there is no text, or another type.
 */
export function getString(value: unknown, ...path: readonly string[]): string | null {
  const text = getMultilineString(value, ...path);
  return text === null ? null : toSingleLine(text);
}

/** Returns the text at a path of keys with its line breaks, for callers that show the lines separately. */
export function getMultilineString(value: unknown, ...path: readonly string[]): string | null {
  const field = getField(value, ...path);
  return typeof field === 'string' ? field : null;
}

/** Replaces line breaks and tabs, so that a text of the API fits in a line of the wizard. */
export function toSingleLine(text: string): string {
  return /[\n\t]/.test(text) ? text.replace(/[\n\t]+/g, ' ') : text;
}

/** Returns the finite number at a path of keys; null where there is no value, or another type. */
export function getNumber(value: unknown, ...path: readonly string[]): number | null {
  const field = getField(value, ...path);
  return typeof field === 'number' && Number.isFinite(field) ? field : null;
}

/** Returns the list at a path of keys; empty where there is none, or another type. */
export function getList(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const field = getField(value, ...path);
  return Array.isArray(field) ? field : [];
}

/** Returns the RFC 3339 time at a path of keys, in milliseconds since the epoch; null when it is missing or invalid. */
export function getTime(value: unknown, ...path: readonly string[]): number | null {
  const text = getString(value, ...path);
  const ms = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}

/** One entry of `status.conditions`. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly since: number | null;
}

/**
 * Lists `status.conditions` of any object, without entries that have no type. `since` is `lastTransitionTime`, ms since
 * the epoch.
 * @param getMessage `getMultilineString` keeps the line breaks of messages
 */
export function listConditions(object: KubeObject, getMessage: typeof getString = getString): Condition[] {
  return getList(object.status, 'conditions').flatMap((entry) => {
    const type = getString(entry, 'type');
    if (type === null) return [];
    return {
      type,
      // Before Kubernetes 1.19 the conditions of a CertificateSigningRequest have no status: present means True.
      status: getString(entry, 'status') ?? 'True',
      reason: getString(entry, 'reason') ?? '',
      message: getMessage(entry, 'message') ?? '',
      since: getTime(entry, 'lastTransitionTime'),
    };
  });
}

/** Whether a condition is True; Unknown or missing is not. */
export function isConditionTrue(conditions: readonly Condition[], type: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === 'True');
}

/**
 * Whether a LabelSelector selects these labels (apimachinery, LabelSelectorAsSelector). A missing selector selects
 * nothing, an empty one everything. An unknown operator selects nothing.
 */
export function matchesLabelSelector(selector: unknown, labels: Readonly<Record<string, string>>): boolean {
  if (selector === null || typeof selector !== 'object' || Array.isArray(selector)) return false;
  const requiredLabels = Object.entries(Object(getField(selector, 'matchLabels') ?? {}));
  return (
    requiredLabels.every(([key, value]) => labels[key] === value) &&
    getList(selector, 'matchExpressions').every((expression) => {
      const labelValue = labels[getString(expression, 'key') ?? ''];
      const isIn = labelValue !== undefined && getList(expression, 'values').includes(labelValue);
      switch (getString(expression, 'operator')) {
        case 'In':
          return isIn;
        case 'NotIn':
          return !isIn;
        case 'Exists':
          return labelValue !== undefined;
        case 'DoesNotExist':
          return labelValue === undefined;
        default:
          return false;
      }
    })
  );
}

/** An event of an object, and how often it happened. */
export interface EventView {
  readonly namespace: string;
  /** `Pod/router-default-5d4f`. */
  readonly object: string;
  /** `Normal` or `Warning`. */
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  /** Time of the last occurrence, in milliseconds since the epoch. */
  readonly lastSeenAt: number | null;
}

/**
 * Parses an event of core/v1. Events created through events.k8s.io have `eventTime` and perhaps a `series`, and a null
 * `lastTimestamp` and `count`. Older events have `lastTimestamp` and `count`, and a null `eventTime`.
 */
export function parseEvent(object: KubeObject): EventView {
  const kind = getString(object, 'involvedObject', 'kind') ?? '';
  const name = getString(object, 'involvedObject', 'name') ?? '';
  return {
    namespace: object.metadata.namespace ?? '',
    object: [kind, name].filter(Boolean).join('/'),
    type: getString(object, 'type') ?? 'Normal',
    reason: getString(object, 'reason') ?? '',
    message: redact(getMultilineString(object, 'message') ?? getMultilineString(object, 'note') ?? '').slice(0, 2000),
    count: Math.max(1, getNumber(getField(object, 'series'), 'count') ?? getNumber(object, 'count') ?? 1),
    lastSeenAt:
      getTime(object, 'series', 'lastObservedTime') ??
      getTime(object, 'lastTimestamp') ??
      getTime(object, 'eventTime') ??
      getTime(object, 'firstTimestamp') ??
      getTime(object.metadata, 'creationTimestamp'),
  };
}

/** An object of the cluster whose own status reports a problem. */
export interface UnhealthyObject {
  readonly kind: 'MachineConfigPool' | 'APIService' | 'Namespace' | 'ClusterVersion' | 'Webhook';
  readonly name: string;
  /** The conditions that report the problem, with their reasons, in one line. */
  readonly message: string;
  /** Start of the problem, in ms since the epoch; null where the object does not report it. */
  readonly since: number | null;
}

const MAX_REASON_LENGTH = 2000;

/** Finds the problem that an object reports; null for a healthy object, and for an object of another kind. */
export function findUnhealthy(object: KubeObject): UnhealthyObject | null {
  const { kind, metadata } = object;
  const { name } = metadata;
  const conditions = listConditions(object);
  switch (kind) {
    case 'MachineConfigPool': {
      // Degraded summarizes NodeDegraded and RenderDegraded, which name the node and the reason.
      const failingConditions = conditions.filter(
        ({ type, status }) => /^(?:Node|Render)?Degraded$/.test(type) && status === 'True',
      );
      return createUnhealthyObject(kind, name, failingConditions);
    }
    case 'APIService': {
      // Without a service the API server serves the group itself.
      if (getField(object.spec, 'service') == null) return null;
      return createUnhealthyObject(kind, name, listFalseConditions(conditions, 'Available'));
    }
    case 'ClusterVersion':
      return createUnhealthyObject(kind, name, listFalseConditions(conditions, 'ReleaseAccepted'));
    case 'Namespace': {
      const since = getTime(metadata, 'deletionTimestamp');
      if (since === null) return null;
      const failingConditions = conditions.filter(
        ({ type, status }) => type.startsWith('Namespace') && status === 'True',
      );
      return {
        kind,
        name,
        message: formatConditions(failingConditions) || (getString(object.status, 'phase') ?? ''),
        since,
      };
    }
    default:
      return null;
  }
}

/** Lists the conditions that are False. Unknown or missing does not count: a new condition means nothing yet. */
const listFalseConditions = (conditions: readonly Condition[], conditionType: string) =>
  conditions.filter(({ type, status }) => type === conditionType && status === 'False');

function createUnhealthyObject(
  kind: UnhealthyObject['kind'],
  name: string,
  failingConditions: readonly Condition[],
): UnhealthyObject | null {
  const times = failingConditions.flatMap(({ since }) => since ?? []);
  if (failingConditions.length === 0) return null;
  return {
    kind,
    name,
    message: formatConditions(failingConditions),
    since: times.length === 0 ? null : Math.min(...times),
  };
}

function formatConditions(conditions: readonly Condition[]): string {
  const conditionsWithMessage = conditions.filter(({ message }) => message !== '');
  const lines = (conditionsWithMessage.length > 0 ? conditionsWithMessage : conditions).map(
    ({ type, status, reason, message }) => {
      const head = [`${type}=${status}`, reason].filter((text) => text !== '').join(' ');
      return message === '' ? head : `${head}: ${message}`;
    },
  );
  return redact([...new Set(lines)].join('; ')).slice(0, MAX_REASON_LENGTH);
}
