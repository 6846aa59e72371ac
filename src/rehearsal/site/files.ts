import { hash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Design } from '../../design/model.ts';
import type { Addresses } from './addresses.ts';
import type { RhcosRelease } from './release-metadata.ts';

/** Returns the paths of all files of a site, below its directory. */
export function getSitePaths(siteDir: string) {
  return {
    dir: siteDir,
    config: join(siteDir, 'config.json'),
    running: join(siteDir, 'running.json'),
    clock: join(siteDir, 'clock.json'),
    dial: join(siteDir, 'dial.json'),
    world: join(siteDir, 'world.json'),
    now: join(siteDir, 'now.json'),
    log: join(siteDir, 'site.log'),
    socket: join(siteDir, 'control.sock'),
    hosts: join(siteDir, 'hosts'),
    hostRuns: join(siteDir, 'host-runs'),
    bin: join(siteDir, 'bin'),
    images: join(siteDir, 'images'),
    movedAside: join(siteDir, 'moved-aside'),
    mistakesMarker: join(siteDir, 'mistakes-made'),
    journals: join(siteDir, 'journals'),
    pullSecret: join(siteDir, 'pull-secret.txt'),
    fencing: join(siteDir, 'fencing.yaml'),
    sshKey: join(siteDir, 'ssh-key.pub'),
    /** Only for a cluster that runs from the beginning. */
    kubeconfig: join(siteDir, 'kubeconfig'),
    /** Kubeconfig with the loopback address of the API, for programs that cannot resolve names of the site. */
    ocKubeconfig: join(siteDir, 'oc-kubeconfig'),
    kubeadminPassword: join(siteDir, 'kubeadmin-password'),
  } as const;
}

export type SitePaths = ReturnType<typeof getSitePaths>;

/** Writes a file atomically: a reader gets the old or the new text, never a part of it. */
export function writeAtomically(path: string, text: string, mode = 0o600): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporaryPath = `${path}.${process.pid}.new`;
  try {
    writeFileSync(temporaryPath, text, { mode });
    chmodSync(temporaryPath, mode);
    renameSync(temporaryPath, path);
  } catch (error) {
    // A partial file would occupy the space that the next attempt needs.
    rmSync(temporaryPath, { force: true });
    throw error;
  }
}

/**
 * Creates the function that appends lines to a log. Lines that cannot be written, as on a full disk, are dropped.
 * @param stopSignal once aborted, lines are dropped too: the directory of a stopped site may be removed
 */
export function createAppender(path: string, stopSignal?: AbortSignal): (line: string) => void {
  let hasPartialLine = false;
  return (line) => {
    if (stopSignal?.aborted) return;
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      // Ends a partly written line first.
      appendFileSync(path, `${hasPartialLine ? '\n' : ''}${line}\n`, { mode: 0o600 });
      hasPartialLine = false;
    } catch {
      hasPartialLine = true;
    }
  };
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * Formats a line of /var/log/messages or of journalctl.
 * @param at ms
 * @param dayPadding fills a day with one digit: a blank in files of rsyslog, a zero in the output of journalctl
 */
export function formatSyslogLine(at: number, host: string, program: string, message: string, dayPadding = ' '): string {
  const time = new Date(at);
  const day = String(time.getUTCDate()).padStart(2, dayPadding);
  const timestamp = `${MONTHS[time.getUTCMonth()]} ${day} ${time.toISOString().slice(11, 19)}`;
  return `${timestamp} ${host} ${program}[${1000 + program.length}]: ${message}`;
}

/** Reads a text file; null if it cannot be read. */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Reads a JSON file of the site; null: no file, or an incomplete document. */
export function readJson<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return null;
  }
}

const IMAGE_SIZE_BYTES = 48 * 1024;

/** Lists the files of a build that a network boot needs. */
export function listImageNames({ kernel, initramfs, rootfs, metal }: RhcosRelease): string[] {
  return [kernel, initramfs, metal, ...(rootfs === null ? [] : [rootfs])];
}

/** Images created so far: each machine compares its downloads with these. */
const imageCache = new Map<string, Buffer>();

/** Returns bytes that depend on the name only, so that checksums are stable. */
export function getImageBytes(name: string): Buffer {
  const cachedBytes = imageCache.get(name);
  if (cachedBytes !== undefined) return cachedBytes;
  const blocks = Array.from({ length: IMAGE_SIZE_BYTES / 32 }, (_, index) =>
    hash('sha256', `${name} ${index}`, 'buffer'),
  );
  const bytes = Buffer.concat(blocks);
  imageCache.set(name, bytes);
  return bytes;
}

/** Whether the bytes differ from the root file system whose hash is in the initramfs of the build. */
export function isMismatchedRootfs({ rootfs }: RhcosRelease, bytes: Buffer): boolean {
  return rootfs !== null && !bytes.equals(getImageBytes(rootfs));
}

/** Finds the registry that serves an image: the first mirror of its repository, else the registry in its name. */
export function findRegistry(sources: Design['imageDigestSources'], image: string): string {
  const mirror = sources.find(({ source }) => image.startsWith(source))?.mirrors[0];
  return (mirror ?? image).split('/')[0] ?? '';
}

/** Moves the initramfs away from its path on the boot server. This happens once in the lifetime of a site. */
export function moveInitramfsAside(paths: Pick<SitePaths, 'images' | 'movedAside'>, { initramfs }: RhcosRelease): void {
  const [source, target] = [join(paths.images, initramfs), join(paths.movedAside, initramfs)];
  // A repair may copy or move the file back: the directory records that the fault has happened.
  if (existsSync(paths.movedAside) || !existsSync(source)) return;
  mkdirSync(paths.movedAside, { recursive: true, mode: 0o700 });
  renameSync(source, target);
}

/** Journals of the machines: output of programs since the system was installed. */
export type Journals = ReturnType<typeof openJournals>;

/**
 * @param dir directory with one file per machine; a machine's name is a DNS label
 * @param stopSignal ends all writing
 */
export function openJournals(dir: string, stopSignal: AbortSignal) {
  const getFilePath = (machine: string) => join(dir, `${machine}.log`);
  // Each machine has one appender, because an appender remembers a partly written line.
  const appenders = new Map<string, (line: string) => void>();
  return {
    /** Writes a line in the format of journalctl. The line ends with `program: message` as on the console. */
    write(machine: string, line: string): void {
      const append = appenders.get(machine) ?? createAppender(getFilePath(machine), stopSignal);
      appenders.set(machine, append);
      append(line);
    },
    /** Clears the journal of a machine: a new system starts with an empty one. */
    clear: (machine: string) => rmSync(getFilePath(machine), { force: true }),
    read: (machine: string): string => readText(getFilePath(machine)) ?? '',
  };
}

/** API port of every design. */
const API_PORT = 6443;

/**
 * Adapts the installer's kubeconfig for a program on this machine. The program connects to the API's loopback address
 * and still verifies the API's own name.
 */
export function createLocalKubeconfig(
  kubeconfig: string,
  { getLoopbackAddress, getLocalPort }: Pick<Addresses, 'getLoopbackAddress' | 'getLocalPort'>,
  { endpoints }: Pick<Design, 'endpoints'>,
  name: string,
): string {
  const address = getLoopbackAddress(endpoints.api[0] ?? '');
  return kubeconfig.replace(
    /^( *)server: .*$/m,
    (_, indent: string) =>
      `${indent}server: https://${address}:${getLocalPort(API_PORT)}\n${indent}tls-server-name: ${name}`,
  );
}
