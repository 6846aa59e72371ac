import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { systemClock, uptime } from '../platform/clock.ts';
import { findLiveProcess, isAlive, type ProcessIdentity } from '../platform/process.ts';

/** The site program, as built and as source. */
const SITE_PROGRAMS = ['site.js', 'site-main.ts'];
const END_TIMEOUT_MS = 10_000;
const POLL_INTERVAL_MS = 25;

/**
 * Ends the sites of a directory that its files no longer identify: damaged, removed, or of a site that hangs. It finds
 * them by the command line of this user's processes, and sends SIGTERM, then SIGKILL.
 * @returns how many there were
 */
export async function endOrphanedSites(siteDir: string): Promise<number> {
  const orphans = findSiteProcesses(siteDir);
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    for (const { pid } of orphans.filter(isAlive)) sendSignal(pid, signal);
    const deadline = uptime() + END_TIMEOUT_MS;
    while (orphans.some(isAlive) && uptime() < deadline) await systemClock.sleep(POLL_INTERVAL_MS);
  }
  return orphans.length;
}

function findSiteProcesses(siteDir: string): ProcessIdentity[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const found = findLiveProcess(Number(name));
      return found !== null && isSiteProcess(name, siteDir) ? [found] : [];
    });
}

function isSiteProcess(pid: string, siteDir: string): boolean {
  try {
    if (statSync(`/proc/${pid}`).uid !== process.geteuid?.()) return false;
    const argv = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return argv.some((arg, index) => SITE_PROGRAMS.includes(basename(arg)) && argv[index + 1] === siteDir);
  } catch {
    // The process has ended meanwhile.
    return false;
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended meanwhile.
  }
}
