import { findRegistry } from '../../site/images.ts';
import type { World } from '../world.ts';
import { type Attachment, canReach } from './attachment.ts';

/** Address of all registries outside of the site, from the documentation range (RFC 5737). */
const REGISTRY_ADDRESS = '203.0.113.7';

/**
 * Returns podman's error if an image cannot be pulled, or null.
 * @param credentials text of the machine's pull secret; null: it is not checked
 */
export function findPullError(
  world: World,
  attachment: Attachment,
  image: string,
  credentials: string | null,
): string | null {
  const registry = findRegistry(world.design.imageDigestSources, image);
  const [host = '', port = '443'] = registry.split(':');
  const ping = `initializing source docker://${image}: pinging container registry ${registry}: Get "https://${registry}/v2/"`;
  const canResolve =
    attachment.nameServers.some((server) => world.hosts.findZones(server) !== null) || hasExternalDns(world);
  if (!canResolve) return `${ping}: dial tcp: lookup ${host}: no such host`;
  if (!canReach(world.design, attachment, null))
    return `${ping}: dial tcp ${REGISTRY_ADDRESS}:${port}: connect: no route to host`;
  if (world.faults.has('registry-unreachable')) return `${ping}: dial tcp ${REGISTRY_ADDRESS}:${port}: i/o timeout`;
  if (credentials !== null && !hasCredentials(credentials, registry))
    return `initializing source docker://${image}: reading manifest in ${registry}: unauthorized: access to the requested resource is not authorized`;
  return null;
}

/** External name servers also resolve names outside of the site. */
function hasExternalDns({ design }: World): boolean {
  return design.services.dns.kind === 'external';
}

function hasCredentials(credentials: string, registry: string): boolean {
  try {
    const { auths } = JSON.parse(credentials) as { auths?: Record<string, unknown> };
    return auths !== undefined && Object.keys(auths).some((key) => key === registry || key.startsWith(`${registry}/`));
  } catch {
    return false;
  }
}
