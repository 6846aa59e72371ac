import { appendFileSync, chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where everything of a site lies, below its directory. */
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
    /** Of a cluster that runs from the beginning. */
    kubeconfig: join(siteDir, 'kubeconfig'),
    /** For programs that resolve no name of the site: with the loopback address of its API. */
    ocKubeconfig: join(siteDir, 'oc-kubeconfig'),
    kubeadminPassword: join(siteDir, 'kubeadmin-password'),
  } as const;
}

export type SitePaths = ReturnType<typeof sitePaths>;

/** Writes a file so that a reader sees the old or the new one, never half of one. */
export function writeAtomically(path: string, text: string, mode = 0o600): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fresh = `${path}.${process.pid}.new`;
  try {
    writeFileSync(fresh, text, { mode });
    chmodSync(fresh, mode);
    renameSync(fresh, path);
  } catch (error) {
    // Half a file would hold the space that the next attempt needs.
    rmSync(fresh, { force: true });
    throw error;
  }
}

/**
 * Returns what appends lines to a log; one that cannot be written, as on a full disk, is lost and nothing else.
 * @param stopped what comes after it is lost as well: who stopped the site may remove its directory
 */
export function appender(path: string, stopped?: AbortSignal): (line: string) => void {
  let isBroken = false;
  return (line) => {
    if (stopped?.aborted) return;
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      // What was written of a line before is ended first.
      appendFileSync(path, `${isBroken ? '\n' : ''}${line}\n`, { mode: 0o600 });
      isBroken = false;
    } catch {
      isBroken = true;
    }
  };
}

/** Reads a JSON file of the site; null: no file, or half a document. */
export function readJson<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return null;
  }
}
