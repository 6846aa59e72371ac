import { hasEndpoints } from './admission.ts';
import { type ConditionReason, getString, type KubeObject } from './objects.ts';
import { StatusError } from './status.ts';
import type { Store } from './store.ts';

const API_SERVICES = 'apiservices.apiregistration.k8s.io';

/**
 * Finds the reason why an APIService is not available, or null. An APIService without a service is always available,
 * because the API server itself serves that group. Wording: kube-aggregator's available controller
 * (k8s.io/kube-aggregator pkg/controllers/status).
 */
export function findApiServiceProblem(store: Store, { spec }: KubeObject): ConditionReason | null {
  const [namespace = '', name = ''] = ['namespace', 'name'].map((field) => getString(spec, 'service', field));
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

/** Lists the aggregated groups and versions (`metrics.k8s.io/v1beta1`) that are not available. */
export function listUnavailableGroups(store: Store): string[] {
  return store
    .list(API_SERVICES)
    .filter((object) => findApiServiceProblem(store, object) !== null)
    .map((object) => `${getString(object, 'spec', 'group')}/${getString(object, 'spec', 'version')}`);
}

/**
 * Rejects a request for an aggregated group that is not available.
 * @throws StatusError 503
 */
export function rejectUnavailableGroup(store: Store, path: string): void {
  const [root, group = '', version = ''] = path.split('/').filter(Boolean);
  if (root !== 'apis' || version === '' || !listUnavailableGroups(store).includes(`${group}/${version}`)) return;
  throw new StatusError(503, 'ServiceUnavailable', 'the server is currently unable to handle the request');
}

/** Lists the groups and versions of the APIServices that pods serve, for the APIGroupList. */
export function listAggregatedGroups(store: Store): { readonly group: string; readonly version: string }[] {
  return store
    .list(API_SERVICES)
    .filter((object) => getString(object, 'spec', 'service', 'name') !== '')
    .map((object) => ({ group: getString(object, 'spec', 'group'), version: getString(object, 'spec', 'version') }));
}
