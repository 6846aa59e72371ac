import { readFileSync, statSync } from 'node:fs';
import { type Clock, systemClock } from '../../ports/clock.ts';
import { fileClock } from '../../ports/clock-file.ts';
import * as z from '../../ports/zod.ts';

const schema = z.strictObject({
  listen: z.strictObject({ host: z.string(), port: z.number().int().min(0).max(65_535) }),
  /** Holds boot.ipxe, installed.ipxe, closed.ipxe and the directories ipxe and iso. */
  webRoot: z.string(),
  /** What UEFI firmware starts over HTTP, where the bastion's install.sh puts it. */
  programsDir: z.string().optional(),
  imagesDir: z.string(),
  /** By role (the name in the URL): the file, the addresses that may have it, and the job whose good end ends that. */
  ignition: z.record(
    z.string(),
    z.strictObject({
      file: z.string(),
      allow: z.array(z.string()),
      until: z.strictObject({ jobs: z.string(), job: z.string() }).optional(),
    }),
  ),
  /** By address: since when its machine is to be installed anew (ms of the clock), whatever it fetched before. */
  anew: z.record(z.string(), z.number()).optional(),
  /** JSON lines, one for each request. */
  logFile: z.string(),
  statusFile: z.string(),
  /** A JSON file { real, simulated, speed }; null for the machine's own clock. */
  clockAnchorFile: z.string().nullable(),
});

/** What the boot server serves, who may fetch it, and where it listens. All paths absolute; addresses as they arrive at the socket. */
export type BootServerConfig = z.infer<typeof schema>;

/** @throws what is wrong with the file: missing, or as `parseBootConfig` */
export function readBootConfig(file: string): BootServerConfig {
  return parseBootConfig(readFileSync(file, 'utf8'));
}

/** @throws what is wrong with the text: no JSON, other keys than the ones we know */
export function parseBootConfig(text: string): BootServerConfig {
  return schema.parse(JSON.parse(text));
}

/** Tells two versions of a file apart without reading it. */
export function fileVersion(file: string): string {
  try {
    const { ino, size, mtimeNs } = statSync(file, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch {
    return '';
  }
}

const anchorSchema = z.object({ real: z.number(), simulated: z.number(), speed: z.number().nonnegative() });

const readAnchor = (file: string) => anchorSchema.parse(JSON.parse(readFileSync(file, 'utf8')));

/** The clock along the anchor in a file. @throws when the file cannot be read */
export function clockOf(anchorFile: string | null): Clock {
  if (anchorFile === null) return systemClock;
  readAnchor(anchorFile);
  return fileClock(anchorFile);
}

/** The time on that clock at a time of the machine's own, both in milliseconds; the same where the file cannot be read. */
export function timeAt(anchorFile: string | null, real: number): number {
  if (anchorFile === null) return real;
  try {
    const anchor = readAnchor(anchorFile);
    return anchor.simulated + (real - anchor.real) * anchor.speed;
  } catch {
    return real;
  }
}
