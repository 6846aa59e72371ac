import { readFileSync, statSync } from 'node:fs';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { createFileClock } from '../../platform/clock-file.ts';
import * as z from '../../platform/zod.ts';

const schema = z.strictObject({
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
  /** JSON lines, one for each request. */
  logFile: z.string(),
  statusFile: z.string(),
  /** A JSON file { real, simulated, speed }; null for the machine's own clock. */
  clockAnchorFile: z.string().nullable(),
});

/**
 * Configuration of the boot server: files, access and listen address. All paths are absolute; addresses are as they
 * arrive at the socket.
 */
export type BootServerConfig = z.infer<typeof schema>;

/** @throws the system's error for a missing file, or as `parseBootConfig` */
export function readBootConfig(file: string): BootServerConfig {
  return parseBootConfig(readFileSync(file, 'utf8'));
}

/** @throws SyntaxError for text that is not JSON, ZodError for missing or unknown keys */
export function parseBootConfig(text: string): BootServerConfig {
  return schema.parse(JSON.parse(text));
}

/** Identifies a version of a file without reading it; empty if the file is missing. */
export function getFileVersion(file: string): string {
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
 * Creates the clock that follows the anchor in a file; null: the machine's clock. @throws when the file cannot be read
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
