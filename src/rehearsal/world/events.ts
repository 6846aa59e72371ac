import { formatTimestamp, type KubeObject, memoizeByObject } from '../api/objects.ts';
import { generateNameSuffix } from '../site/seeded-random.ts';
import type { OperatorContext } from './world.ts';

/** How long the API keeps events on OpenShift (event-ttl). */
const EVENT_TTL = 3 * 3600_000;

interface EventInput {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly component: string;
}

/** Records an event of an object, once per message: an unchanged state is not reported again. */
export function recordEvent({ store, clock, seed }: OperatorContext, object: KubeObject, input: EventInput): void {
  const { namespace = '', name, uid } = object.metadata;
  const event = `${name}.${generateNameSuffix(seed, 16, uid, input.reason, input.message)}`;
  if (store.get('events', namespace, event)) return;
  const now = formatTimestamp(clock.now());
  store.create('events', {
    metadata: { name: event, namespace },
    involvedObject: { apiVersion: object.apiVersion, kind: object.kind, namespace, name, uid },
    reason: input.reason,
    message: input.message,
    source: { component: input.component },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
    type: input.type,
  });
}

const getCreationTime = memoizeByObject(({ metadata }) => Date.parse(metadata.creationTimestamp));

/** Deletes events that are older than `EVENT_TTL`. */
export function deleteOldEvents({ store, clock }: OperatorContext): void {
  for (const event of store.list('events')) {
    const { namespace = '', name } = event.metadata;
    if (clock.now() > getCreationTime(event) + EVENT_TTL) store.delete('events', namespace, name);
  }
}
