import { hasEndpoints } from './admission.ts';
import { type KubeObject, textAt } from './objects.ts';
import { StatusError } from './status.ts';
import type { Store } from './store.ts';

const API_SERVICES = 'apiservices.apiregistration.k8s.io';

/** Why an APIService is not available. */
export interface ApiServiceTrouble {
  readonly reason: string;
  readonly message: string;
}

/**
 * Null: it is available; what the API serves itself always is. As kube-aggregator's available controller words it
 * (k8s.io/kube-aggregator pkg/controllers/status).
 */
export function apiServiceTrouble(store: Store, object: KubeObject): ApiServiceTrouble | null {
  const [namespace, name] = [textAt(object, 'spec', 'service', 'namespace'), textAt(object, 'spec', 'service', 'name')];
  if (name === '') return null;
  if (!store.get('services', namespace, name)) {
    return { reason: 'ServiceNotFound', message: `service/${name} in "${namespace}" is not present` };
  }
  if (hasEndpoints(store, namespace, name)) return null;
  return {
    reason: 'MissingEndpoints',
    message: `endpoints for service/${name} in "${namespace}" have no addresses with port name "https"`,
  };
}

/** The groups and versions (`metrics.k8s.io/v1beta1`) that pods serve which are not there. */
export function unservedGroups(store: Store): string[] {
  return store
    .list(API_SERVICES)
    .filter((object) => apiServiceTrouble(store, object) !== null)
    .map((object) => `${textAt(object, 'spec', 'group')}/${textAt(object, 'spec', 'version')}`);
}

/** @throws StatusError 503 where a path is in such a group */
export function refuseUnserved(store: Store, path: string): void {
  const [root, group = '', version = ''] = path.split('/').filter(Boolean);
  if (root !== 'apis' || version === '' || !unservedGroups(store).includes(`${group}/${version}`)) return;
  throw new StatusError(503, 'ServiceUnavailable', 'the server is currently unable to handle the request');
}

/** The groups of APIServices, for the list of all groups. */
export function servedByPods(store: Store): { readonly group: string; readonly version: string }[] {
  return store
    .list(API_SERVICES)
    .filter((object) => textAt(object, 'spec', 'service', 'name') !== '')
    .map((object) => ({ group: textAt(object, 'spec', 'group'), version: textAt(object, 'spec', 'version') }));
}
