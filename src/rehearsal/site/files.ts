import { appendFileSync, chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Paths of all files of a site, below its directory. */
export function sitePaths(siteDir: string) {
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
    mistakesMade: join(siteDir, 'mistakes-made'),
    journals: join(siteDir, 'journals'),
    pullSecret: join(siteDir, 'pull-secret.txt'),
    sshKey: join(siteDir, 'ssh-key.pub'),
    /** Only for a cluster that runs from the beginning. */
    kubeconfig: join(siteDir, 'kubeconfig'),
    /** For programs that cannot resolve names of the site: it has the loopback address of the API. */
    ocKubeconfig: join(siteDir, 'oc-kubeconfig'),
    kubeadminPassword: join(siteDir, 'kubeadmin-password'),
  } as const;
}

export type SitePaths = ReturnType<typeof sitePaths>;

/** Writes a file atomically: a reader gets the old or the new text, never a part of it. */
export function writeAtomically(path: string, text: string, mode = 0o600): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.new`;
  try {
    writeFileSync(temporary, text, { mode });
    chmodSync(temporary, mode);
    renameSync(temporary, path);
  } catch (error) {
    // A partial file would occupy the space that the next attempt needs.
    rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Creates the function that appends lines to a log. Lines that cannot be written, as on a full disk, are dropped.
 * @param stopped once aborted, lines are dropped too: the directory of a stopped site may be removed
 */
export function createAppender(path: string, stopped?: AbortSignal): (line: string) => void {
  let isBroken = false;
  return (line) => {
    if (stopped?.aborted) return;
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      // Ends a partly written line first.
      appendFileSync(path, `${isBroken ? '\n' : ''}${line}\n`, { mode: 0o600 });
      isBroken = false;
    } catch {
      isBroken = true;
    }
  };
}

/** Reads a JSON file of the site; null: no file, or an incomplete document. */
export function readJson<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return null;
  }
}
