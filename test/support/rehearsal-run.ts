import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { renderExampleDesign } from '../../src/design/example.ts';
import { getShellPath } from './shell-path.ts';

/** Directory of the checkout, and its program as users start it. */
export const repoRoot = join(import.meta.dirname, '../..');
export const wizardExecutable = join(repoRoot, 'bin/upi-wizard.js');
/**
 * Returns the path of a program that the wizard starts. `npm test` builds them first: from its sources each takes three
 * times as long to start.
 */
export const getBuiltProgram = (name: 'boot-server' | 'site' | 'stand-in') => join(repoRoot, 'dist', `${name}.js`);
/**
 * Speed of rehearsals, as a multiple of real time, in tests that do not depend on it: waiting for the site is not worth
 * a minute.
 */
export const FAST_SPEED = 240;

/** Shared compile cache: each test has its own home, and what one compiles serves all. */
export const sharedCache = { XDG_CACHE_HOME: join(repoRoot, 'node_modules/.cache') } as const;

/** Home, working directory and install directories of one test. */
export interface Sandbox {
  readonly path: string;
  /** Environment of a new user's shell: only PATH is from ours. */
  readonly env: Readonly<Record<string, string>>;
  readonly file: (name: string, text: string) => string;
  readonly dir: (name: string) => string;
  /** Stops every site and job that was started below, and removes everything. */
  readonly remove: () => Promise<void>;
}

/**
 * Creates a sandbox. Call `remove` also when the test fails: sites and jobs outlive the processes that started them.
 */
export function createSandbox(): Sandbox {
  const path = mkdtempSync(join(tmpdir(), 'upi-e2e-'));
  const home = join(path, 'home');
  const temporary = join(path, 'tmp');
  for (const each of [home, temporary]) mkdirSync(each, { mode: 0o700 });
  const base = { PATH: getShellPath(), HOME: home, TMPDIR: temporary, ...sharedCache, LANG: 'C.UTF-8', TERM: 'dumb' };
  return {
    path,
    env: { ...base, npm_config_cache: join(path, 'npm'), npm_config_update_notifier: 'false' },
    file(name, text) {
      writeFileSync(join(path, name), text, { mode: 0o600 });
      return join(path, name);
    },
    dir: (name) => join(path, name),
    async remove() {
      await stopProcesses(path);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Lists the processes whose command line names something below `path`, except this one. */
export function listProcesses(path: string): { readonly pid: number; readonly command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      const command = readCommandLine(pid);
      return command.includes(`${path}/`) ? [{ pid: Number(pid), command }] : [];
    });
}

function readCommandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** Stops all processes below a path: SIGTERM first, then SIGKILL. */
export async function stopProcesses(path: string): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    for (const { pid } of listProcesses(path)) {
      try {
        process.kill(pid, signal);
      } catch {
        // The process has ended.
      }
    }
    for (let attempt = 0; attempt < 50 && listProcesses(path).length > 0; attempt += 1) await pause(100);
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export interface ProgramResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running program with its result. */
export interface ProgramRun {
  readonly process: ChildProcess;
  readonly exit: Promise<ProgramResult>;
  /** Waits until standard output matches. Fails when the program ends first. */
  readonly waitForOutput: (pattern: RegExp) => Promise<void>;
  /** Kills the program, as a power cut does. */
  readonly kill9: () => Promise<ProgramResult>;
}

/** Starts a program without a terminal, in a sandbox. */
export function startProgram(
  file: string,
  args: readonly string[],
  options: {
    readonly sandbox: Sandbox;
    readonly env?: Readonly<Record<string, string>>;
    readonly input?: string;
    readonly cwd?: string;
  },
): ProgramRun {
  const { sandbox, env = {}, input = '', cwd = sandbox.path } = options;
  const child = spawn(file, [...args], { cwd, env: { ...sandbox.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  const waiters = new Set<() => void>();
  const checkWaiters = () => {
    for (const check of [...waiters]) check();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    checkWaiters();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // A program that reads nothing may end before its input is written.
  child.stdin.on('error', () => undefined).end(input);
  const exit = new Promise<ProgramResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return {
    process: child,
    exit,
    waitForOutput: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!pattern.test(stdout)) return;
          waiters.delete(check);
          resolve();
        };
        waiters.add(check);
        check();
        exit
          .then((outcome) => reject(new Error(`ended without printing ${pattern}: ${JSON.stringify(outcome)}`)))
          .catch(reject);
      }),
    async kill9() {
      child.kill('SIGKILL');
      return await exit;
    },
  };
}

/** Runs upi-wizard without a terminal, to its end. */
export function runWizard(
  args: readonly string[],
  options: Parameters<typeof startProgram>[2],
): Promise<ProgramResult> {
  return startProgram(process.execPath, [wizardExecutable, ...args], options).exit;
}

/** Starts a rehearsal that runs without a user. */
export function startRehearsal(
  dir: string,
  options: {
    readonly sandbox: Sandbox;
    readonly answers?: string;
    readonly fault?: string;
    readonly speed?: number;
    readonly args?: readonly string[];
  },
): ProgramRun {
  const { sandbox, answers = 'example', fault, speed = FAST_SPEED, args: extraArgs = [] } = options;
  const faultArgs = fault === undefined ? [] : ['--break', fault];
  const args = [
    'rehearse',
    '--answers',
    answers,
    '--plain',
    '--speed',
    String(speed),
    '--dir',
    dir,
    ...faultArgs,
    ...extraArgs,
  ];
  return startProgram(process.execPath, [wizardExecutable, ...args], { sandbox });
}

/** Returns the example as an answers file, with some texts replaced. */
export function createExampleAnswers(replacements: Readonly<Record<string, string>> = {}): string {
  return Object.entries(replacements).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the example has no ${from}`);
    return text.replaceAll(from, to);
  }, renderExampleDesign({}));
}

/** Files of a rehearsal that hold secrets by their nature. No other file may hold one. */
const SECRET_FILES = new Set([
  '.openshift_install.log',
  'install-config.yaml',
  'bootstrap.ign',
  'bootstrap-in-place-for-live-iso.ign',
  'master.ign',
  'worker.ign',
  '.openshift_install_state.json',
  'kubeconfig',
  'kubeadmin-password',
  'pull-secret.txt',
  'fencing.yaml',
  'world.json',
  'oc-kubeconfig',
]);

/**
 * Reads the secrets that only the files made for them may hold: pull secret, password and private keys of a rehearsal.
 */
export function readSecrets(dir: string): string[] {
  const pullSecret = readFileSync(join(dir, '.upi-wizard/site/pull-secret.txt'), 'utf8');
  const auths = (JSON.parse(pullSecret) as { auths: Record<string, { auth: string }> }).auths;
  const password = readFileSync(join(dir, 'auth/kubeadmin-password'), 'utf8').trim();
  const tokens = Object.values(auths).map(({ auth }) => auth);
  const clientKey = /client-key-data: (\S+)/.exec(readFileSync(join(dir, 'auth/kubeconfig'), 'utf8'))?.[1] ?? '';
  if (password === '' || clientKey === '') throw new Error('the rehearsal made no password or no client key');
  const decoded = tokens.map((token) => Buffer.from(token, 'base64').toString());
  return [...new Set([...tokens, ...decoded, password, clientKey, 'PRIVATE KEY'])];
}

/** Lists every file below a directory. */
export function listFilesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Finds files that hold a secret but are not made for it: `path: start of the secret`. */
export function findLeaks(dir: string, secrets: readonly string[]): string[] {
  return listFilesBelow(dir)
    .filter((file) => !SECRET_FILES.has(basename(file)))
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      return secrets.filter((secret) => text.includes(secret)).map((secret) => `${file}: ${secret.slice(0, 12)}`);
    });
}
