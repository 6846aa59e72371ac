import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { requireProgram } from '../support/programs.ts';

/** The calls that change what lies on a disk, and those that make it last. */
export const WRITING = [
  ...['openat', 'write', 'writev', 'pwrite64', 'pwritev', 'ftruncate', 'fsync', 'fdatasync', 'close'],
  ...['rename', 'renameat', 'renameat2', 'link', 'linkat', 'symlink', 'unlink', 'unlinkat', 'rmdir'],
  ...['mkdir', 'mkdirat', 'chmod', 'fchmod', 'fchmodat'],
] as const;

/** One system call as strace wrote it. */
export interface Call {
  readonly pid: number;
  readonly name: string;
  /** As strace shows it, with the path of each descriptor after it. */
  readonly args: string;
  /** What it returned; null when the process was killed in it. */
  readonly result: string | null;
  /** The how many-th call of this name of its thread, from 1: what `when` of an injection counts. */
  readonly nth: number;
}

/** What to run, and what to do to one of its calls. */
export interface Traced {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
  /** The log of the calls. */
  readonly log: string;
  /** For example `fsync:error=EIO:when=3`. */
  readonly inject?: string;
  /** Bytes of data to show of each call. */
  readonly dataBytes?: number;
  readonly calls?: readonly string[];
  readonly stopAt?: RegExp;
  /** Only the main thread, and no process that it starts: what outlives it is left alone. */
  readonly isAlone?: boolean;
}

export interface TracedRun {
  /** `stopped` when it was ended at `stopAt`. */
  readonly code: number | null | 'stopped';
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program under strace, to its end. */
export function traced({
  argv,
  cwd,
  env,
  input = '',
  log,
  inject,
  dataBytes,
  calls = WRITING,
  stopAt,
  isAlone,
}: Traced) {
  const data = dataBytes === undefined ? ['-s', '0'] : ['-xx', '-s', String(dataBytes)];
  const injected = inject === undefined ? [] : ['-e', `inject=${inject}`];
  // Only calls that are traced stop then, which is quicker; but strace delivers no signal so.
  const filter = inject?.includes(':signal=') ? [] : ['--seccomp-bpf'];
  const args = [
    ...(isAlone ? [] : ['-f']),
    '-y',
    ...(isAlone ? [] : filter),
    ...data,
    '-o',
    log,
    '-e',
    `trace=${calls.join(',')}`,
    ...injected,
  ];
  return run(requireProgram('strace'), [...args, '--', ...argv], { cwd, env, input, stopAt });
}

/** Ends a program that hangs, which then counts as a failure by its code. */
const PATIENCE_MS = 120_000;

/**
 * Runs a program to its end, or until it prints what `stopAt` matches: then it is killed with all that it started.
 */
export function run(
  file: string,
  args: readonly string[],
  options: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly input?: string;
    readonly stopAt?: RegExp | undefined;
  },
): Promise<TracedRun> {
  const { cwd, env, input = '', stopAt } = options;
  return new Promise((resolve, reject) => {
    // In a process group of its own, so that it ends with what it started.
    const child = spawn(file, [...args], { cwd, env: { ...env }, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    const end = () => {
      try {
        process.kill(-Number(child.pid), 'SIGKILL');
      } catch {
        // It ended by itself just now.
      }
    };
    const timer = setTimeout(end, PATIENCE_MS);
    let stdout = '';
    let stderr = '';
    let isStopped = false;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (isStopped || !stopAt?.test(stdout)) return;
      isStopped = true;
      end();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.stdin.on('error', () => undefined).end(input);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code: isStopped ? 'stopped' : code, stdout, stderr });
    });
  });
}

/** The calls of a log, in the order in which they began. */
export function readCalls(log: string): Call[] {
  const counts = new Map<string, number>();
  const open = new Map<string, number>();
  const calls: Call[] = [];
  for (const line of readFileSync(log, 'latin1').split('\n')) {
    // One thread alone has no number in the log.
    const [, pid = '0', rest = ''] = /^(?:(\d+) +)?(.*)$/s.exec(line) ?? [];
    const resumed = /^<\.\.\. (\w+) resumed>(.*?)(?: = (.*))?$/s.exec(rest);
    if (resumed) {
      const index = open.get(pid);
      const begun = index === undefined ? undefined : calls[index];
      if (begun && index !== undefined)
        calls[index] = {
          ...begun,
          args: begun.args + (resumed[2] ?? '').replace(/\)\s*$/, ''),
          result: resultOf(resumed[3]),
        };
      continue;
    }
    const [, name = '', body = ''] = /^(\w+)\((.*)$/s.exec(rest) ?? [];
    if (name === '') continue;
    const key = `${pid} ${name}`;
    const nth = (counts.get(key) ?? 0) + 1;
    counts.set(key, nth);
    const isUnfinished = body.endsWith(' <unfinished ...>');
    // The result may have brackets of its own: "-1 ENOSPC (No space left on device) (INJECTED)".
    const [, whole = body, after] = /^(.*)\) += (.*)$/s.exec(body) ?? [];
    const result = isUnfinished ? null : resultOf(after);
    const args = isUnfinished ? body.slice(0, -' <unfinished ...>'.length) : whole;
    if (isUnfinished) open.set(pid, calls.length);
    calls.push({ pid: Number(pid), name, args, result, nth });
  }
  return calls;
}

/** A call in which its process was killed has a question mark. */
const resultOf = (text: string | undefined) => (text === undefined || text.startsWith('?') ? null : text);

/** True for a call that changes something below a directory or makes it last there. */
export function changes(call: Call, below: string): boolean {
  if (!call.args.includes(`${below}/`) && !call.args.includes(`${below}"`) && !call.args.includes(`${below}>`))
    return false;
  if (call.name === 'close') return false;
  return call.name !== 'openat' || /O_CREAT|O_TRUNC|O_WRONLY|O_RDWR/.test(call.args);
}

/** A place at which a run can be killed: before this call of the main thread. */
export interface KillPoint {
  readonly name: string;
  readonly nth: number;
  /** For people: the call and what it is about. */
  readonly what: string;
}

/** The kill points of a run that was traced whole. */
export function killPoints(log: string, below: string): KillPoint[] {
  const calls = readCalls(log);
  const main = calls[0]?.pid;
  return calls
    .filter((call) => call.pid === main && changes(call, below))
    .map(({ name, nth, args }) => ({ name, nth, what: `${name} ${shortPath(args, below)}` }));
}

function shortPath(args: string, below: string): string {
  const from = args.indexOf(below) + below.length;
  return `.${args.slice(from).split(/["<>]/)[0]}`.replace(/[0-9a-f]{12,}/, '*');
}

/** The last call of a run that was killed, when it was one that changes something below the directory. */
export function killedAt(log: string, below: string): string | null {
  const call = readCalls(log).findLast(({ result }) => result === null);
  return call && changes(call, below) ? `${call.name} ${shortPath(call.args, below)}` : null;
}
