import { getList, getString, type KubeObject } from './object.ts';

/**
 * Users that request every API, whatever it is (openshift-docs, preparing to update a cluster, evaluating your cluster
 * for removed APIs).
 */
const USERS_OF_EVERY_API: ReadonlySet<string> = new Set([
  'system:serviceaccount:kube-system:generic-garbage-collector',
  'system:serviceaccount:kube-system:namespace-controller',
  'system:kube-controller-manager',
  'system:cluster-policy-controller',
]);

/** An API that a later version of Kubernetes does not have, with its users of the last 24 hours. */
export interface RemovedApi {
  /** `flowschemas.v1beta3.flowcontrol.apiserver.k8s.io` */
  readonly name: string;
  /** The version of Kubernetes: `1.32`. */
  readonly removedIn: string;
  /** The users, without those that request every API, such as the garbage collector. */
  readonly users: readonly string[];
}

/**
 * Parses an APIRequestCount: when its API is removed, and who requested it (openshift/api,
 * apiserver/v1/types_apirequestcount.go).
 */
export function parseRemovedApi(object: KubeObject): RemovedApi {
  const nodeLogs = getList(object.status, 'last24h').flatMap((hour) => getList(hour, 'byNode'));
  const users = nodeLogs.flatMap((log) => getList(log, 'byUser')).map((user) => getString(user, 'username') ?? '');
  return {
    name: object.metadata.name,
    removedIn: getString(object.status, 'removedInRelease') ?? '',
    users: [...new Set(users)].filter((user) => user !== '' && !USERS_OF_EVERY_API.has(user)).sort(),
  };
}
