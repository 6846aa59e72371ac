import { type KubeObject, readOnce, timestamp } from '../api/objects.ts';
import { nameSuffix } from '../site/random.ts';
import type { Operated } from './world.ts';

/** As long as the API keeps events on OpenShift (event-ttl). */
const KEPT = 3 * 3600_000;

interface Said {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly component: string;
}

/** Notes an event of an object, once for each message: what is still so is not said again. */
export function noteEvent({ store, clock, seed }: Operated, object: KubeObject, said: Said): void {
  const { namespace = '', name, uid } = object.metadata;
  const event = `${name}.${nameSuffix(seed, 16, uid, said.reason, said.message)}`;
  if (store.get('events', namespace, event)) return;
  const now = timestamp(clock.now());
  store.create('events', {
    metadata: { name: event, namespace },
    involvedObject: { apiVersion: object.apiVersion, kind: object.kind, namespace, name, uid },
    reason: said.reason,
    message: said.message,
    source: { component: said.component },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
    type: said.type,
  });
}

const createdAt = readOnce(({ metadata }) => Date.parse(metadata.creationTimestamp));

/** Forgets events that are old. */
export function forgetEvents({ store, clock }: Operated): void {
  for (const event of store.list('events')) {
    const { namespace = '', name } = event.metadata;
    if (clock.now() > createdAt(event) + KEPT) store.delete('events', namespace, name);
  }
}
