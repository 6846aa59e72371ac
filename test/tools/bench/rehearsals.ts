import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readMemory } from './processes.ts';

const SAMPLE_INTERVAL = 500;

/**
 * Plays a whole rehearsal in plain lines and measures the peak memory of the site.
 * @throws Error if the rehearsal fails
 */
export async function runRehearsal(
  program: string,
  dir: string,
  answers: string,
): Promise<{ seconds: number; siteMiB: number }> {
  const started = performance.now();
  const args = [program, 'rehearse', '--answers', answers, '--plain', '--speed', '60', '--dir', dir];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let tail = '';
  const appendTail = (data: Buffer) => {
    tail = (tail + data.toString()).slice(-2000);
  };
  child.stdout.on('data', appendTail);
  child.stderr.on('data', appendTail);
  let siteMiB = 0;
  const sampler = setInterval(() => {
    siteMiB = Math.max(siteMiB, readSiteMemory(dir));
  }, SAMPLE_INTERVAL);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearInterval(sampler);
  const seconds = (performance.now() - started) / 1000;
  if (code !== 0 || siteMiB === 0) throw new Error(`the rehearsal ended with ${code}:\n${tail}`);
  return { seconds, siteMiB };
}

/** Returns the peak memory of the site in MiB; 0 while it is not running. */
function readSiteMemory(dir: string): number {
  try {
    const { pid } = JSON.parse(readFileSync(join(dir, '.upi-wizard', 'site', 'running.json'), 'utf8')) as {
      pid: number;
    };
    return readMemory(pid, 'VmHWM');
  } catch {
    return 0;
  }
}
