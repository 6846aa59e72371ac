import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { onTestFinished, vi } from 'vitest';
import { type ProcessIdentity, parseProcStat } from '../../src/platform/process.ts';

/**
 * Creates a zombie: a process that has ended, whose exit status is not collected while the test runs. Its parent has
 * become a program that never calls wait.
 */
export async function createZombie(): Promise<ProcessIdentity> {
  const script = 'main=$$; (until grep -q sleep /proc/$main/comm; do :; done) & echo $!; exec sleep 600';
  const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const readStat = () => parseProcStat(readFileSync(`/proc/${Number(`${line}`)}/stat`, 'utf8'));
  return await vi.waitUntil(() => {
    const found = readStat();
    return found?.state === 'Z' ? found : null;
  }, 20_000);
}
