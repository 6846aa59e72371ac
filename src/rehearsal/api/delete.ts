import { listUnavailableGroups } from './api-services.ts';
import { formatTimestamp, getList, getString, isRecord, type KubeObject } from './objects.ts';
import { registry } from './registry.ts';
import type { ResourceRequest } from './request-path.ts';
import { conflictError, notFoundError, type Status } from './status.ts';
import type { Store } from './store.ts';
import type { WriteContext } from './write.ts';

/**
 * Deletes an object, or marks it if finalizers have to run first. A namespace is deleted with all its objects.
 * @param options the DeleteOptions of the body, if any: their preconditions apply
 * @throws StatusError NotFound, Conflict
 */
export function deleteObject(context: WriteContext, request: ResourceRequest, options: unknown): Status | KubeObject {
  const { store, clock } = context;
  const { kind, resource, namespace } = request;
  const name = request.name ?? '';
  const found = store.get(resource, namespace, name);
  if (!found) throw notFoundError(kind, name);
  checkPreconditions(request, found, options);
  const isDryRun = context.isDryRun || getList(options, 'dryRun').includes('All');
  if ((found.metadata.finalizers ?? []).length > 0) {
    if (isDryRun) return found;
    const marked = store.mutate(resource, namespace, name, ({ metadata }) => {
      metadata.deletionTimestamp ??= formatTimestamp(clock.now());
    });
    return marked ?? found;
  }
  if (!isDryRun && resource === 'namespaces' && !deleteNamespaceContent(store, name, formatTimestamp(clock.now()))) {
    return found;
  }
  if (!isDryRun) store.delete(resource, namespace, name);
  // The API returns a pod, because its deletion is graceful; of other objects it returns only the identity.
  if (resource === 'pods') return found;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(kind.group === '' ? {} : { group: kind.group }), kind: kind.plural, uid: found.metadata.uid },
  };
}

function checkPreconditions({ kind }: ResourceRequest, { metadata }: KubeObject, options: unknown): void {
  const preconditions = isRecord(options) ? options.preconditions : undefined;
  const [uid, version] = [getString(preconditions, 'uid'), getString(preconditions, 'resourceVersion')];
  if (uid !== '' && uid !== metadata.uid) {
    const detail = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`;
    throw conflictError(kind, metadata.name, detail);
  }
  if (version !== '' && version !== metadata.resourceVersion) {
    const detail = `Precondition failed: ResourceVersion in precondition: ${version}, ResourceVersion in object meta: ${metadata.resourceVersion}`;
    throw conflictError(kind, metadata.name, detail);
  }
}

/**
 * Deletes the objects of a namespace. If objects with finalizers remain, or an API group is not available, the
 * namespace becomes Terminating, and `finalizeNamespaces` deletes it later.
 * @returns whether the namespace can be deleted now
 */
function deleteNamespaceContent(store: Store, namespace: string, now: string): boolean {
  const remaining = [...registry].flatMap(([resource, { namespaced }]) => {
    if (!namespaced) return [];
    return store.list(resource, namespace).filter(({ metadata }) => {
      const hasFinalizers = (metadata.finalizers ?? []).length > 0;
      if (!hasFinalizers) store.delete(resource, namespace, metadata.name);
      else
        store.mutate(resource, namespace, metadata.name, (change) => {
          change.metadata.deletionTimestamp ??= now;
        });
      return hasFinalizers;
    });
  });
  if (remaining.length === 0 && listUnavailableGroups(store).length === 0) return true;
  store.mutate('namespaces', null, namespace, (change) => {
    change.metadata.deletionTimestamp ??= now;
    change.status = { ...(isRecord(change.status) ? change.status : {}), phase: 'Terminating' };
  });
  return false;
}
