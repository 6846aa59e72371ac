import { unservedGroups } from './api-services.ts';
import { isRecord, type KubeObject, listAt, textAt, timestamp } from './objects.ts';
import { registry } from './registry.ts';
import type { ResourceRequest } from './request-path.ts';
import { conflict, notFound, type Status } from './status.ts';
import type { Store } from './store.ts';
import type { WriteContext } from './write.ts';

/**
 * Deletes an object, or marks it when finalizers have to run first; a namespace goes with all that is in it.
 * @param options the DeleteOptions of the body, if any: preconditions are kept
 * @throws StatusError NotFound, Conflict
 */
export function deleteObject(context: WriteContext, request: ResourceRequest, options: unknown): Status | KubeObject {
  const { store, clock } = context;
  const { kind, resource, namespace } = request;
  const name = request.name ?? '';
  const found = store.get(resource, namespace, name);
  if (!found) throw notFound(kind, name);
  refuseOnPrecondition(request, found, options);
  const isDryRun = context.isDryRun || listAt(options, 'dryRun').includes('All');
  if ((found.metadata.finalizers ?? []).length > 0) {
    if (isDryRun) return found;
    const marked = store.mutate(resource, namespace, name, ({ metadata }) => {
      metadata.deletionTimestamp ??= timestamp(clock.now());
    });
    return marked ?? found;
  }
  if (!isDryRun && resource === 'namespaces' && !emptyNamespace(store, name, timestamp(clock.now()))) {
    return found;
  }
  if (!isDryRun) store.delete(resource, namespace, name);
  // A pod is deleted with grace and comes back; of the rest only its identity does.
  if (resource === 'pods') return found;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(kind.group === '' ? {} : { group: kind.group }), kind: kind.plural, uid: found.metadata.uid },
  };
}

function refuseOnPrecondition({ kind }: ResourceRequest, { metadata }: KubeObject, options: unknown): void {
  const preconditions = isRecord(options) ? options.preconditions : undefined;
  const [uid, version] = [textAt(preconditions, 'uid'), textAt(preconditions, 'resourceVersion')];
  if (uid !== '' && uid !== metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`;
    throw conflict(kind, metadata.name, why);
  }
  if (version !== '' && version !== metadata.resourceVersion) {
    const why = `Precondition failed: ResourceVersion in precondition: ${version}, ResourceVersion in object meta: ${metadata.resourceVersion}`;
    throw conflict(kind, metadata.name, why);
  }
}

/**
 * Deletes what is in a namespace. One in which something stays, or of which nobody can say whether it is empty, is marked
 * itself, and ends when that is over (see `endNamespaces`).
 * @returns whether it may go now
 */
function emptyNamespace(store: Store, namespace: string, now: string): boolean {
  const staying = [...registry].flatMap(([resource, { namespaced }]) => {
    if (!namespaced) return [];
    return store.list(resource, namespace).filter(({ metadata }) => {
      const stays = (metadata.finalizers ?? []).length > 0;
      if (!stays) store.delete(resource, namespace, metadata.name);
      else
        store.mutate(resource, namespace, metadata.name, (change) => {
          change.metadata.deletionTimestamp ??= now;
        });
      return stays;
    });
  });
  if (staying.length === 0 && unservedGroups(store).length === 0) return true;
  store.mutate('namespaces', null, namespace, (change) => {
    change.metadata.deletionTimestamp ??= now;
    change.status = { ...(isRecord(change.status) ? change.status : {}), phase: 'Terminating' };
  });
  return false;
}
