import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { requireProgram } from '../support/programs.ts';

/** System calls that change what a disk holds, and those that make it durable. */
const WRITE_CALLS = [
  ...['openat', 'write', 'writev', 'pwrite64', 'pwritev', 'ftruncate', 'fsync', 'fdatasync', 'close'],
  ...['rename', 'renameat', 'renameat2', 'link', 'linkat', 'symlink', 'unlink', 'unlinkat', 'rmdir'],
  ...['mkdir', 'mkdirat', 'chmod', 'fchmod', 'fchmodat'],
] as const;

/** One system call as strace logged it. */
export interface Call {
  readonly pid: number;
  readonly name: string;
  /** As strace shows it, with the path of each descriptor after it. */
  readonly args: string;
  /** The return value. Null if the process was killed in the call. */
  readonly result: string | null;
  /** Index of the call among those of its name and thread, from 1: the `when` of an injection. */
  readonly nth: number;
}

/** A program to run, and a fault to inject into one of its calls. */
export interface TraceOptions {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Path of the log of the calls. */
  readonly log: string;
  /** For example `fsync:error=EIO:when=3`. */
  readonly inject?: string;
  /** Bytes of data to show per call. */
  readonly dataBytes?: number;
  readonly calls?: readonly string[];
  readonly stopAt?: RegExp;
  /** Trace only the main thread. Processes that outlive it are left alone. */
  readonly isAlone?: boolean;
}

export interface TracedRun {
  /** `stopped` if it was killed at `stopAt`. */
  readonly code: number | null | 'stopped';
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program under strace, to its end. */
export function runTraced({
  argv,
  cwd,
  env,
  input = '',
  log,
  inject,
  dataBytes,
  calls = WRITE_CALLS,
  stopAt,
  isAlone,
}: TraceOptions) {
  const data = dataBytes === undefined ? ['-s', '0'] : ['-xx', '-s', String(dataBytes)];
  const injection = inject === undefined ? [] : ['-e', `inject=${inject}`];
  // With the filter only traced calls stop, which is faster. But strace then delivers no signals.
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
    ...injection,
  ];
  return run(requireProgram('strace'), [...args, '--', ...argv], { cwd, env, input, stopAt });
}

/** Longest run of a program (ms). A program that hangs is killed, and its exit code counts as a failure. */
const RUN_TIMEOUT_MS = 120_000;

/** Runs a program to its end, or until its output matches `stopAt`: then it is killed with all that it started. */
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
    // A separate process group, so that its children end with it.
    const child = spawn(file, [...args], { cwd, env: { ...env }, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    const killGroup = () => {
      try {
        process.kill(-Number(child.pid), 'SIGKILL');
      } catch {
        // It has already ended.
      }
    };
    const timer = setTimeout(killGroup, RUN_TIMEOUT_MS);
    let stdout = '';
    let stderr = '';
    let isStopped = false;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (isStopped || !stopAt?.test(stdout)) return;
      isStopped = true;
      killGroup();
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

/** Reads the calls of a log in the order in which they began. */
export function readCalls(log: string): Call[] {
  const counts = new Map<string, number>();
  const unfinished = new Map<string, number>();
  const calls: Call[] = [];
  for (const line of readFileSync(log, 'latin1').split('\n')) {
    // A single thread has no number in the log.
    const [, pid = '0', rest = ''] = /^(?:(\d+) +)?(.*)$/s.exec(line) ?? [];
    const resumed = /^<\.\.\. (\w+) resumed>(.*?)(?: = (.*))?$/s.exec(rest);
    if (resumed) {
      const index = unfinished.get(pid);
      const started = index === undefined ? undefined : calls[index];
      if (started && index !== undefined)
        calls[index] = {
          ...started,
          args: started.args + (resumed[2] ?? '').replace(/\)\s*$/, ''),
          result: parseResult(resumed[3]),
        };
      continue;
    }
    const [, name = '', body = ''] = /^(\w+)\((.*)$/s.exec(rest) ?? [];
    if (name === '') continue;
    const key = `${pid} ${name}`;
    const nth = (counts.get(key) ?? 0) + 1;
    counts.set(key, nth);
    const isUnfinished = body.endsWith(' <unfinished ...>');
    // The result may contain brackets: "-1 ENOSPC (No space left on device) (INJECTED)".
    const [, whole = body, after] = /^(.*)\) += (.*)$/s.exec(body) ?? [];
    const result = isUnfinished ? null : parseResult(after);
    const args = isUnfinished ? body.slice(0, -' <unfinished ...>'.length) : whole;
    if (isUnfinished) unfinished.set(pid, calls.length);
    calls.push({ pid: Number(pid), name, args, result, nth });
  }
  return calls;
}

/** The result of a call in which the process was killed is a question mark. */
const parseResult = (text: string | undefined) => (text === undefined || text.startsWith('?') ? null : text);

/** True if a call changes something below a directory or makes it durable there. */
export function isChangeBelow(call: Call, below: string): boolean {
  if (!call.args.includes(`${below}/`) && !call.args.includes(`${below}"`) && !call.args.includes(`${below}>`))
    return false;
  if (call.name === 'close') return false;
  return call.name !== 'openat' || /O_CREAT|O_TRUNC|O_WRONLY|O_RDWR/.test(call.args);
}

/** A point at which a run can be killed: before this call of the main thread. */
export interface KillPoint {
  readonly name: string;
  readonly nth: number;
  /** The call and its file, for messages. */
  readonly what: string;
}

/** Lists the kill points of a run that was traced completely. */
export function listKillPoints(log: string, below: string): KillPoint[] {
  const calls = readCalls(log);
  const main = calls[0]?.pid;
  return calls
    .filter((call) => call.pid === main && isChangeBelow(call, below))
    .map(({ name, nth, args }) => ({ name, nth, what: `${name} ${shortPath(args, below)}` }));
}

function shortPath(args: string, below: string): string {
  const from = args.indexOf(below) + below.length;
  return `.${args.slice(from).split(/["<>]/)[0]}`.replace(/[0-9a-f]{12,}/, '*');
}

/** Returns the last call of a killed run if it changes something below the directory, otherwise null. */
export function findFatalCall(log: string, below: string): string | null {
  const call = readCalls(log).findLast(({ result }) => result === null);
  return call && isChangeBelow(call, below) ? `${call.name} ${shortPath(call.args, below)}` : null;
}
