import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { systemClock, uptime } from '../ports/clock.ts';
import { isAlive, livingProcess, type ProcessIdentity } from '../ports/process-identity.ts';

/** As it is built, and as it is written. */
const PROGRAMS = ['site.js', 'site-main.ts'];
const END_LIMIT_MS = 10_000;
const LOOK_EVERY_MS = 25;

/**
 * Ends the sites of a directory that its files no longer lead to (damaged, removed, or of a site that hangs): found by the
 * command line of this user's processes, asked to end, then made to.
 * @returns how many there were
 */
export async function endLostSites(siteDir: string): Promise<number> {
  const lost = sitesOf(siteDir);
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    for (const { pid } of lost.filter(isAlive)) end(pid, signal);
    const limit = uptime() + END_LIMIT_MS;
    while (lost.some(isAlive) && uptime() < limit) await systemClock.sleep(LOOK_EVERY_MS);
  }
  return lost.length;
}

function sitesOf(siteDir: string): ProcessIdentity[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const found = livingProcess(Number(name));
      return found !== null && isSiteOf(name, siteDir) ? [found] : [];
    });
}

function isSiteOf(pid: string, siteDir: string): boolean {
  try {
    if (statSync(`/proc/${pid}`).uid !== process.geteuid?.()) return false;
    const argv = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return argv.some((arg, index) => PROGRAMS.includes(basename(arg)) && argv[index + 1] === siteDir);
  } catch {
    // It has ended meanwhile.
    return false;
  }
}

function end(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
