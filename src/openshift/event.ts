import { redact } from '../platform/redact.ts';
import { getField, getMultilineString, getNumber, getString, getTime, type KubeObject } from './object.ts';

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
  readonly at: number | null;
}

/**
 * An event as core/v1 shows it. Events created through events.k8s.io have `eventTime` and perhaps a `series`, and null
 * in place of `lastTimestamp` and `count`; for older ones it is the reverse.
 */
export function eventView(object: KubeObject): EventView {
  const kind = getString(object, 'involvedObject', 'kind') ?? '';
  const name = getString(object, 'involvedObject', 'name') ?? '';
  return {
    namespace: object.metadata.namespace ?? '',
    object: [kind, name].filter(Boolean).join('/'),
    type: getString(object, 'type') ?? 'Normal',
    reason: getString(object, 'reason') ?? '',
    message: redact(getMultilineString(object, 'message') ?? getMultilineString(object, 'note') ?? '').slice(0, 2000),
    count: Math.max(1, getNumber(getField(object, 'series'), 'count') ?? getNumber(object, 'count') ?? 1),
    at:
      getTime(object, 'series', 'lastObservedTime') ??
      getTime(object, 'lastTimestamp') ??
      getTime(object, 'eventTime') ??
      getTime(object, 'firstTimestamp') ??
      getTime(object.metadata, 'creationTimestamp'),
  };
}
