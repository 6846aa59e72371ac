import type { ResourceRequest } from './registry.ts';
import { StatusError } from './status.ts';

/** The user of a request. */
export interface ApiUser {
  readonly username: string;
  readonly groups: readonly string[];
  readonly uid?: string;
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

const READ_VERBS: readonly Verb[] = ['get', 'list', 'watch'];
const NODE_BOOTSTRAPPER = 'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper';
const CSR_PLURAL = 'certificatesigningrequests';

/**
 * Allows administrators everything, nodes to read everything and to change their own objects, and the node bootstrapper
 * to request certificates. This approximates the roles system:node and system:node-bootstrapper.
 * @throws StatusError 403 for everything else
 */
export function authorize(user: ApiUser, verb: Verb, { kind, namespace, name, subresource }: ResourceRequest): void {
  if (user.groups.includes('system:masters')) return;
  const isNode = user.groups.includes('system:nodes') && user.username.startsWith('system:node:');
  const isOwnNode = kind.plural === 'nodes' && (name === null || user.username === `system:node:${name}`);
  const isCsrRequest =
    kind.plural === CSR_PLURAL && subresource === null && (verb === 'create' || READ_VERBS.includes(verb));
  const isNodeAllowed =
    READ_VERBS.includes(verb) || isOwnNode || kind.plural === 'pods' || kind.plural === 'events' || isCsrRequest;
  if (isNode && isNodeAllowed) return;
  if (user.username === NODE_BOOTSTRAPPER && isCsrRequest) return;
  const what = subresource === null ? kind.plural : `${kind.plural}/${subresource}`;
  const where = namespace === null ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const full = kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`;
  const detail = `User "${user.username}" cannot ${verb} resource "${what}" in API group "${kind.group}" ${where}`;
  const message = `${full} ${name === null ? '' : `"${name}" `}is forbidden: ${detail}`;
  throw new StatusError(403, 'Forbidden', message, {
    ...(name === null ? {} : { name }),
    ...(kind.group === '' ? {} : { group: kind.group }),
    kind: kind.plural,
  });
}
