import { redact } from '../text/redact.ts';
import { at, type KubeObject, linesAt, numberAt, textAt, timeAt } from './object.ts';

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
  /** When it was last seen, in milliseconds since the epoch. */
  readonly at: number | null;
}

/**
 * An event as core/v1 shows it. Those made through events.k8s.io have `eventTime` and perhaps a `series`, and null in place of
 * `lastTimestamp` and `count`; the older ones have it the other way round.
 */
export function eventView(object: KubeObject): EventView {
  const kind = textAt(object, 'involvedObject', 'kind') ?? '';
  const name = textAt(object, 'involvedObject', 'name') ?? '';
  return {
    namespace: object.metadata.namespace ?? '',
    object: [kind, name].filter(Boolean).join('/'),
    type: textAt(object, 'type') ?? 'Normal',
    reason: textAt(object, 'reason') ?? '',
    message: redact(linesAt(object, 'message') ?? linesAt(object, 'note') ?? '').slice(0, 2000),
    count: Math.max(1, numberAt(at(object, 'series'), 'count') ?? numberAt(object, 'count') ?? 1),
    at:
      timeAt(object, 'series', 'lastObservedTime') ??
      timeAt(object, 'lastTimestamp') ??
      timeAt(object, 'eventTime') ??
      timeAt(object, 'firstTimestamp') ??
      timeAt(object.metadata, 'creationTimestamp'),
  };
}
