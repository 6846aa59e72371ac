import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryOf } from './processes.ts';

const LOOK_MS = 500;

/** Plays a whole rehearsal in plain lines; measures the site's peak memory. Throws when it does not end well. */
export async function rehearsal(
  program: string,
  dir: string,
  answers: string,
): Promise<{ seconds: number; siteMiB: number }> {
  const started = performance.now();
  const args = [program, 'rehearse', '--answers', answers, '--plain', '--speed', '60', '--dir', dir];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let tail = '';
  const keep = (data: Buffer) => {
    tail = (tail + data.toString()).slice(-2000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  let siteMiB = 0;
  const look = setInterval(() => {
    siteMiB = Math.max(siteMiB, siteMemory(dir));
  }, LOOK_MS);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearInterval(look);
  const seconds = (performance.now() - started) / 1000;
  if (code !== 0 || siteMiB === 0) throw new Error(`the rehearsal ended with ${code}:\n${tail}`);
  return { seconds, siteMiB };
}

/** 0 while there is no site yet, or no longer. */
function siteMemory(dir: string): number {
  try {
    const { pid } = JSON.parse(readFileSync(join(dir, '.upi-wizard', 'site', 'running.json'), 'utf8')) as {
      pid: number;
    };
    return memoryOf(pid, 'VmHWM');
  } catch {
    return 0;
  }
}
