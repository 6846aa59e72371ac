import type { BootServerConfig } from './boot-config.ts';

type Door = BootServerConfig['ignition'][string];

/** As boot.ipxe asks when a person at the machine chose to install it again. */
const AGAIN = '?again';

/** Where a request leads: a file below a directory that it may not leave, or a refusal. */
export type Route =
  | {
      readonly kind: 'file';
      readonly root: string;
      readonly path: string;
      readonly until?: Door['until'];
      /** A machine's own boot script: one that is installed gets another. */
      readonly isOwnScript?: boolean;
    }
  | { readonly kind: 'refused'; readonly status: 400 | 403 | 404 };

/**
 * The file that a request target stands for. Known are /boot.ipxe, /ipxe/… (with `?again`: also for a machine that is installed), /iso/…, /boot/…, /images/… and /ignition/<role>.ign (only for the
 * addresses on its list); nothing else exists, directories and hidden files neither.
 * @param client the address of the other side, as plainAddress gives it
 */
export function routeOf(target: string, client: string, config: BootServerConfig): Route {
  const segments = segmentsOf(target);
  if (!segments) return { kind: 'refused', status: 400 };
  const [first, ...rest] = segments;
  if (first === 'boot.ipxe' && rest.length === 0) return { kind: 'file', root: config.webRoot, path: 'boot.ipxe' };
  if ((first === 'ipxe' || first === 'iso') && rest.length > 0) {
    const file = { kind: 'file', root: config.webRoot, path: segments.join('/') } as const;
    return first === 'ipxe' && !target.endsWith(AGAIN) ? { ...file, isOwnScript: true } : file;
  }
  if (first === 'boot' && rest.length > 0 && config.programsDir !== undefined)
    return { kind: 'file', root: config.programsDir, path: rest.join('/') };
  if (first === 'images' && rest.length > 0) return { kind: 'file', root: config.imagesDir, path: rest.join('/') };
  if (first === 'ignition' && rest.length === 1) return ignitionRoute(rest[0] ?? '', client, config);
  return { kind: 'refused', status: 404 };
}

function ignitionRoute(name: string, client: string, { ignition }: BootServerConfig): Route {
  const role = name.endsWith('.ign') ? name.slice(0, -'.ign'.length) : '';
  const entry = Object.hasOwn(ignition, role) ? ignition[role] : undefined;
  // A role that is not served and one that is not for this address look alike: neither says which.
  if (!entry?.allow.some((address) => plainAddress(address) === client)) return { kind: 'refused', status: 403 };
  const cut = entry.file.lastIndexOf('/');
  return { kind: 'file', root: entry.file.slice(0, cut) || '/', path: entry.file.slice(cut + 1), until: entry.until };
}

/** The address without the wrapping of a dual-stack socket and without a zone, in lower case. */
export function plainAddress(address: string): string {
  return address
    .replace(/^::ffff:(?=\d+\.)/i, '')
    .replace(/%.*$/, '')
    .toLowerCase();
}

/** The decoded path in segments, or null for a target that no honest client sends. */
function segmentsOf(target: string): string[] | null {
  const path = target.replace(/^http:\/\/[^/]*/i, '').replace(/[?#].*$/, '');
  try {
    const segments = path.slice(1).split('/').map(decodeURIComponent);
    const isOdd = segments.some((segment) => /^\.|[/\\\0]/.test(segment) || segment === '');
    return path.startsWith('/') && (!isOdd || path === '/') ? segments : null;
  } catch {
    return null;
  }
}
