import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { spawn } from '@lydell/node-pty';

export interface ProcessUsage {
  readonly wallMs: number;
  /** User and system time: in steps of 10 ms when read from a running process, of 1 ms after its end. */
  readonly cpuMs: number;
  readonly rssMiB: number;
}

/**
 * Runs a program in `cwd` on a pty until it has drawn `mark`.
 * @param home directory of its compile cache: the same for each run, as for a real user
 * @param settleMs quiet time before memory is read (ms)
 * @param file the program; by default Node.js
 */
export async function runUntilDrawn(
  args: readonly string[],
  mark: string,
  { cwd, home }: { readonly cwd: string; readonly home: string },
  settleMs = 0,
  file = process.execPath,
): Promise<ProcessUsage> {
  const started = performance.now();
  const env = { PATH: process.env.PATH ?? '', HOME: home, TERM: 'xterm-256color', LANG: 'C.UTF-8' };
  const pty = spawn(file, [...args], { cols: 80, rows: 24, cwd, env });
  const ended = new Promise<void>((resolve) => pty.onExit(() => resolve()));
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const text = () => stripVTControlCharacters(output);
    pty.onData((data) => {
      output += data;
      if (text().includes(mark)) resolve();
    });
    void ended.then(() => reject(new Error(`it ended before it drew ${mark}: ${text()}`)));
  });
  const wallMs = performance.now() - started;
  const cpuMs = readCpuMs(pty.pid);
  if (settleMs > 0) await new Promise((resolve) => setTimeout(resolve, settleMs));
  const rssMiB = readMemory(pty.pid, 'VmRSS');
  // An orderly end: only then does Node.js write its compile cache, which the warm-ups fill.
  pty.kill('SIGTERM');
  await ended;
  return { wallMs, cpuMs, rssMiB };
}

/**
 * Returns the CPU time (ms) that a program on a pty takes in `ms` milliseconds, and its memory then. The time begins
 * when it has reached the end of `path`.
 * @param path a text to wait for, keys to type then, the next text to wait for, and so on
 * @param file the program; by default Node.js
 */
export async function measureCpuOnScreen(
  args: readonly string[],
  cwd: string,
  path: readonly string[],
  ms: number,
  file = process.execPath,
): Promise<Omit<ProcessUsage, 'wallMs'>> {
  const env = { PATH: process.env.PATH ?? '', HOME: dirname(cwd), TERM: 'xterm-256color', LANG: 'C.UTF-8' };
  const pty = spawn(file, [...args], { cols: 120, rows: 40, cwd, env });
  let output = '';
  let check = () => {};
  pty.onData((data) => {
    output += data;
    check();
  });
  for (const [index, step] of path.entries()) {
    if (index % 2 === 1) pty.write(step);
    else
      await new Promise<void>((resolve, reject) => {
        check = () => {
          if (stripVTControlCharacters(output).includes(step)) resolve();
        };
        pty.onExit(() => reject(new Error(`it ended before it drew ${step}: ${stripVTControlCharacters(output)}`)));
        check();
      });
  }
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const before = readCpuMs(pty.pid);
  await new Promise((resolve) => setTimeout(resolve, ms));
  const cpuMs = readCpuMs(pty.pid) - before;
  const rssMiB = readMemory(pty.pid, 'VmRSS');
  pty.kill('SIGTERM');
  return { cpuMs, rssMiB };
}

const SETTLE_MS = 5000;

/**
 * Runs a program to its end. The times are those of the shell, from wait4.
 * @param code expected exit code
 * @param file the program; by default Node.js
 * @throws Error if it ends with another code
 */
export function runToEnd(args: readonly string[], code = 0, file = process.execPath): Omit<ProcessUsage, 'rssMiB'> {
  const started = performance.now();
  const { stderr, status } = spawnSync(
    'bash',
    ['-c', `"$@" >/dev/null; [ $? = ${code} ] || exit 1; TIMEFORMAT=; times >&2`, 'times', file, ...args],
    { encoding: 'utf8' },
  );
  const wallMs = performance.now() - started;
  const times = [...(stderr.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  if (status !== 0 || times.length !== 2) throw new Error(`${args.join(' ')} failed: ${stderr}`);
  return {
    wallMs,
    cpuMs: times.reduce((sum, [, minutes, seconds]) => sum + (Number(minutes) * 60 + Number(seconds)) * 1000, 0),
  };
}

function readCpuMs(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The fields after the name in brackets, which may contain any character. Ticks are 1/100 s on Linux.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Reads a field of /proc/PID/status in MiB; VmHWM is the peak. */
export function readMemory(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const found = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (!found) throw new Error(`no ${field} of process ${pid}`);
  return Number(found[1]) / 1024;
}
