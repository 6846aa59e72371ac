import type { ResourceRequest } from './request-path.ts';
import { StatusError } from './status.ts';

/** Who a request comes from. */
export interface ApiUser {
  readonly username: string;
  readonly groups: readonly string[];
  readonly uid?: string;
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

const READING: readonly Verb[] = ['get', 'list', 'watch'];
const BOOTSTRAPPER = 'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper';
const REQUESTS = 'certificatesigningrequests';

/**
 * Lets the administrators do everything, nodes look at everything and change themselves, and the node bootstrapper ask for
 * certificates: what the roles system:node and system:node-bootstrapper come down to here.
 * @throws StatusError 403 for everything else
 */
export function authorize(user: ApiUser, verb: Verb, { kind, namespace, name, subresource }: ResourceRequest): void {
  if (user.groups.includes('system:masters')) return;
  const isNode = user.groups.includes('system:nodes') && user.username.startsWith('system:node:');
  const isOwn = kind.plural === 'nodes' && (name === null || user.username === `system:node:${name}`);
  const isRequest = kind.plural === REQUESTS && subresource === null && (verb === 'create' || READING.includes(verb));
  const mayAsNode = READING.includes(verb) || isOwn || kind.plural === 'pods' || kind.plural === 'events' || isRequest;
  if (isNode && mayAsNode) return;
  if (user.username === BOOTSTRAPPER && isRequest) return;
  const what = subresource === null ? kind.plural : `${kind.plural}/${subresource}`;
  const where = namespace === null ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const full = kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`;
  const why = `User "${user.username}" cannot ${verb} resource "${what}" in API group "${kind.group}" ${where}`;
  const message = `${full} ${name === null ? '' : `"${name}" `}is forbidden: ${why}`;
  throw new StatusError(403, 'Forbidden', message, {
    ...(name === null ? {} : { name }),
    ...(kind.group === '' ? {} : { group: kind.group }),
    kind: kind.plural,
  });
}
