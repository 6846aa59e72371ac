import { readFileSync, statSync } from 'node:fs';
import { type Clock, scaledClock, systemClock } from '../ports/clock.ts';
import * as z from '../ports/zod.ts';

const schema = z.strictObject({
  listen: z.strictObject({ host: z.string(), port: z.number().int().min(0).max(65_535) }),
  /** Holds boot.ipxe and the directories ipxe and iso. */
  webRoot: z.string(),
  /** What UEFI firmware starts over HTTP, where the bastion's install.sh puts it. */
  programsDir: z.string().optional(),
  imagesDir: z.string(),
  /** By role (the name in the URL): the file, and the addresses that may have it. */
  ignition: z.record(z.string(), z.strictObject({ file: z.string(), allow: z.array(z.string()) })),
  /** JSON lines, one for each request. */
  logFile: z.string(),
  statusFile: z.string(),
  /** A JSON file { real, simulated, speed }; null for the machine's own clock. */
  clockAnchorFile: z.string().nullable(),
});

/** What the boot server serves, who may fetch it, and where it listens. All paths absolute; addresses as they arrive at the socket. */
export type BootServerConfig = z.infer<typeof schema>;

/** @throws what is wrong with the file: missing, no JSON, other keys than the ones we know */
export function readBootConfig(file: string): BootServerConfig {
  return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
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

const anchorSchema = z.object({ real: z.number(), simulated: z.number(), speed: z.number().positive() });

/** The clock along the anchor in a file. @throws when the file cannot be read */
export function clockOf(anchorFile: string | null): Clock {
  return anchorFile === null
    ? systemClock
    : scaledClock(anchorSchema.parse(JSON.parse(readFileSync(anchorFile, 'utf8'))));
}
