import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { onTestFinished, vi } from 'vitest';
import { type ProcessIdentity, parseStat } from '../../src/ports/process-identity.ts';

/**
 * A process that has ended while nobody collects its exit as long as the test runs: its parent has become a program
 * that never calls wait.
 */
export async function unnoticedEnd(): Promise<ProcessIdentity> {
  const script = 'main=$$; (until grep -q sleep /proc/$main/comm; do :; done) & echo $!; exec sleep 600';
  const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const stat = () => parseStat(readFileSync(`/proc/${Number(`${line}`)}/stat`, 'utf8'));
  return await vi.waitUntil(() => {
    const found = stat();
    return found?.state === 'Z' ? found : null;
  }, 20_000);
}
