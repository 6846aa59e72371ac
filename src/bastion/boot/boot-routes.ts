import type { BootServerConfig } from './boot-config.ts';

type IgnitionEntry = BootServerConfig['ignition'][string];

/** Query of boot.ipxe after the user has chosen, at the machine, to reinstall it. */
const REINSTALL_QUERY = '?again';

/** Target of a request: a file below a directory that it may not leave, or a refusal. */
export type Route =
  | {
      readonly kind: 'file';
      readonly root: string;
      readonly path: string;
      readonly until?: IgnitionEntry['until'];
      /** A machine's own boot script; an installed machine gets another one. */
      readonly isMachineScript?: boolean;
    }
  | { readonly kind: 'refused'; readonly status: 400 | 403 | 404 };

/**
 * Resolves a request target to a file. Known are /boot.ipxe, /ipxe/… (with `?again`: also for installed machines),
 * /iso/…, /boot/…, /images/… and /ignition/<role>.ign (only for the addresses on its list). Nothing else exists,
 * including directories and hidden files.
 * @param client address of the client, as `normalizeAddress` returns it
 */
export function resolveRoute(target: string, client: string, config: BootServerConfig): Route {
  const segments = splitTarget(target);
  if (!segments) return { kind: 'refused', status: 400 };
  const [first, ...rest] = segments;
  if (first === 'boot.ipxe' && rest.length === 0) return { kind: 'file', root: config.webRoot, path: 'boot.ipxe' };
  if ((first === 'ipxe' || first === 'iso') && rest.length > 0) {
    const file = { kind: 'file', root: config.webRoot, path: segments.join('/') } as const;
    return first === 'ipxe' && !target.endsWith(REINSTALL_QUERY) ? { ...file, isMachineScript: true } : file;
  }
  if (first === 'boot' && rest.length > 0 && config.programsDir !== undefined)
    return { kind: 'file', root: config.programsDir, path: rest.join('/') };
  if (first === 'images' && rest.length > 0) return { kind: 'file', root: config.imagesDir, path: rest.join('/') };
  if (first === 'ignition' && rest.length === 1) return resolveIgnitionRoute(rest[0] ?? '', client, config);
  return { kind: 'refused', status: 404 };
}

function resolveIgnitionRoute(name: string, client: string, { ignition }: BootServerConfig): Route {
  const role = name.endsWith('.ign') ? name.slice(0, -'.ign'.length) : '';
  const entry = Object.hasOwn(ignition, role) ? ignition[role] : undefined;
  // An unknown role and a forbidden address get the same response, which does not reveal the roles.
  if (!entry?.allow.some((address) => normalizeAddress(address) === client)) return { kind: 'refused', status: 403 };
  const slash = entry.file.lastIndexOf('/');
  return {
    kind: 'file',
    root: entry.file.slice(0, slash) || '/',
    path: entry.file.slice(slash + 1),
    until: entry.until,
  };
}

/** Removes the IPv4-mapped prefix of a dual-stack socket and the zone; converts to lower case. */
export function normalizeAddress(address: string): string {
  return address
    .replace(/^::ffff:(?=\d+\.)/i, '')
    .replace(/%.*$/, '')
    .toLowerCase();
}

/** Splits a target into decoded path segments; null for a malformed or unsafe target. */
function splitTarget(target: string): string[] | null {
  const path = target.replace(/^http:\/\/[^/]*/i, '').replace(/[?#].*$/, '');
  try {
    const segments = path.slice(1).split('/').map(decodeURIComponent);
    const isUnsafe = segments.some((segment) => /^\.|[/\\\0]/.test(segment) || segment === '');
    return path.startsWith('/') && (!isUnsafe || path === '/') ? segments : null;
  } catch {
    return null;
  }
}
