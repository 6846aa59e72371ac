import { readFileSync, statSync } from 'node:fs';
import { type Clock, createFileClock, systemClock } from '../../platform/clock.ts';
import * as z from '../../platform/zod.ts';
import { FILE_START_QUERY, isFileStartRequest, machinePlanSchema } from './machine-report.ts';

const configSchema = z.strictObject({
  listen: z.strictObject({ host: z.string(), port: z.number().int().min(0).max(65_535) }),
  /** Holds boot.ipxe, installed.ipxe, closed.ipxe and the directories ipxe and iso. */
  webRoot: z.string(),
  /** Boot programs for UEFI firmware over HTTP, in the directory where the bastion's install.sh puts them. */
  programsDir: z.string().optional(),
  imagesDir: z.string(),
  /**
   * By role (the name in the URL): the file, the addresses that may fetch it, and the job whose success ends that
   * access.
   */
  ignition: z.record(
    z.string(),
    z.strictObject({
      file: z.string(),
      allow: z.array(z.string()),
      until: z.strictObject({ jobs: z.string(), job: z.string() }).optional(),
    }),
  ),
  /**
   * By address: time of the latest request to reinstall its machine (ms of the clock). Earlier fetches do not count.
   */
  anew: z.record(z.string(), z.number()).optional(),
  /** The machines as they are planned, to compare them with what iPXE reports. Left out: reports are not answered. */
  machines: z.array(machinePlanSchema).optional(),
  /** JSON lines, one for each request. */
  logFile: z.string(),
  statusFile: z.string(),
  /** A JSON file { real, simulated, speed }; null for the machine's own clock. */
  clockAnchorFile: z.string().nullable(),
});

/**
 * Configuration of the boot server: files, access and listen address. All paths are absolute; addresses are those
 * that the socket reports for its clients.
 */
export type BootServerConfig = z.infer<typeof configSchema>;

/**
 * Reads the configuration of the boot server.
 * @throws the system's error for a missing file, or as `parseBootConfig`
 */
export function readBootConfig(file: string): BootServerConfig {
  return parseBootConfig(readFileSync(file, 'utf8'));
}

/**
 * Parses the configuration of the boot server.
 * @throws SyntaxError for text that is not JSON, ZodError for missing or unknown keys
 */
export function parseBootConfig(text: string): BootServerConfig {
  return configSchema.parse(JSON.parse(text));
}

/** Identifies a version of a file without reading it; empty if the file is missing. */
export function readFileVersion(file: string): string {
  try {
    const { ino, size, mtimeNs } = statSync(file, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch {
    return '';
  }
}

const anchorSchema = z.object({ real: z.number(), simulated: z.number(), speed: z.number().nonnegative() });

const readAnchor = (file: string) => anchorSchema.parse(JSON.parse(readFileSync(file, 'utf8')));

/**
 * Creates the clock that follows the anchor in a file; without a file (null), the machine's clock.
 * @throws the system's error for a file that cannot be read; SyntaxError or ZodError for one that is no anchor
 */
export function createSiteClock(anchorFile: string | null): Clock {
  if (anchorFile === null) return systemClock;
  readAnchor(anchorFile);
  return createFileClock(anchorFile);
}

/**
 * Converts a time of the machine's clock to the site's clock, both in milliseconds. Without a readable anchor the time
 * is unchanged.
 */
export function toSiteTime(anchorFile: string | null, real: number): number {
  if (anchorFile === null) return real;
  try {
    const anchor = readAnchor(anchorFile);
    return anchor.simulated + (real - anchor.real) * anchor.speed;
  } catch {
    return real;
  }
}

type IgnitionEntry = BootServerConfig['ignition'][string];

/** Query of boot.ipxe after the user has chosen, at the machine, to reinstall it. */
const REINSTALL_QUERY = '?again';

/** Target of a request: a file inside a served directory, or a refusal. */
type Route =
  | {
      readonly kind: 'file';
      readonly root: string;
      readonly path: string;
      readonly until?: IgnitionEntry['until'];
      /** Whether the file is a machine's own boot script, which an installed machine does not get. */
      readonly isMachineScript?: boolean;
    }
  | { readonly kind: 'refused'; readonly status: 400 | 403 | 404 };

/**
 * Resolves a request target to a file. The server has /boot.ipxe, /ipxe/… (with `?again`: also for installed
 * machines), /iso/…, /boot/…, /images/… and /ignition/<role>.ign (only for the addresses on its list). It serves
 * nothing else: no directories and no hidden files.
 * @param client address of the client, as `normalizeAddress` returns it
 */
export function resolveRoute(target: string, client: string, config: BootServerConfig): Route {
  const segments = splitTarget(target);
  if (!segments) return { kind: 'refused', status: 400 };
  const [firstSegment, ...otherSegments] = segments;
  if (firstSegment === 'boot.ipxe' && otherSegments.length === 0)
    return { kind: 'file', root: config.webRoot, path: 'boot.ipxe' };
  if ((firstSegment === 'ipxe' || firstSegment === 'iso') && otherSegments.length > 0) {
    const file = { kind: 'file', root: config.webRoot, path: segments.join('/') } as const;
    return firstSegment === 'ipxe' && !target.endsWith(REINSTALL_QUERY) ? { ...file, isMachineScript: true } : file;
  }
  if (firstSegment === 'boot' && otherSegments.length > 0 && config.programsDir !== undefined)
    return { kind: 'file', root: config.programsDir, path: otherSegments.join('/') };
  if (firstSegment === 'images' && otherSegments.length > 0)
    return { kind: 'file', root: config.imagesDir, path: otherSegments.join('/') };
  if (firstSegment === 'ignition' && otherSegments.length === 1) {
    const isAllowedFileStart =
      isFileStartRequest(target) && canRequestFileStart(`/${segments.join('/')}`, client, config);
    return resolveIgnitionRoute(otherSegments[0] ?? '', client, config, isAllowedFileStart);
  }
  return { kind: 'refused', status: 404 };
}

/**
 * Whether the client may request the beginning of an ignition file, which holds no secret, before the whole file.
 */
function canRequestFileStart(path: string, client: string, { machines = [] }: BootServerConfig): boolean {
  return machines.some(
    ({ clients, questions }) =>
      clients.includes(client) && questions.some(({ url }) => url.endsWith(`${path}${FILE_START_QUERY}`)),
  );
}

function resolveIgnitionRoute(name: string, client: string, { ignition }: BootServerConfig, isAllowed: boolean): Route {
  const role = name.endsWith('.ign') ? name.slice(0, -'.ign'.length) : '';
  const entry = Object.hasOwn(ignition, role) ? ignition[role] : undefined;
  // An unknown role and a forbidden address get the same response, which does not reveal the roles.
  if (!entry || !(isAllowed || entry.allow.some((address) => normalizeAddress(address) === client)))
    return { kind: 'refused', status: 403 };
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
