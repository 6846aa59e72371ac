import { registryOf } from '../../site/images.ts';
import type { World } from '../world.ts';
import { type Attachment, reaches } from './attachment.ts';

/** What a registry outside of the site answers from: an address of the documentation (RFC 5737). */
const REGISTRY_ADDRESS = '203.0.113.7';

/**
 * Why an image cannot be pulled, in the words of podman; null: it is there.
 * @param credentials the text of the pull secret that the machine has, null where it is not looked at
 */
export function pullProblem(
  world: World,
  attachment: Attachment,
  image: string,
  credentials: string | null,
): string | null {
  const registry = registryOf(world.design.imageDigestSources, image);
  const [host = '', port = '443'] = registry.split(':');
  const ping = `initializing source docker://${image}: pinging container registry ${registry}: Get "https://${registry}/v2/"`;
  const isNamed = attachment.nameServers.some((server) => world.hosts.zonesAt(server) !== null) || isOthersDns(world);
  if (!isNamed) return `${ping}: dial tcp: lookup ${host}: no such host`;
  if (!reaches(world.design, attachment, null))
    return `${ping}: dial tcp ${REGISTRY_ADDRESS}:${port}: connect: no route to host`;
  if (world.faults.has('registry-unreachable')) return `${ping}: dial tcp ${REGISTRY_ADDRESS}:${port}: i/o timeout`;
  if (credentials !== null && !holdsRegistry(credentials, registry))
    return `initializing source docker://${image}: reading manifest in ${registry}: unauthorized: access to the requested resource is not authorized`;
  return null;
}

/** Where other people run the name servers, they answer for the outside as well. */
function isOthersDns({ design }: World): boolean {
  return design.services.dns.kind === 'external';
}

function holdsRegistry(credentials: string, registry: string): boolean {
  try {
    const { auths } = JSON.parse(credentials) as { auths?: Record<string, unknown> };
    return auths !== undefined && Object.keys(auths).some((key) => key === registry || key.startsWith(`${registry}/`));
  } catch {
    return false;
  }
}
