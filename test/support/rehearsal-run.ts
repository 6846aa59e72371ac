import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { exampleDesign } from '../../src/design/example.ts';
import { shellPath } from './shell-path.ts';

/** The checkout, and its program as people start it. */
export const root = join(import.meta.dirname, '../..');
export const executable = join(root, 'bin/upi-wizard.js');
/** The programs beside it as it starts them, which `npm test` builds first: from its sources each takes three times as long to start. */
export const built = (name: 'boot-server' | 'site' | 'stand-in') => join(root, 'dist', `${name}.js`);
/** How many times as fast as life rehearsals run where a test judges no speed: what waits for the site's time is not worth a minute. */
export const FAST = 240;

/** What one test compiles of the program serves them all: each has a home of its own. */
export const sharedCache = { XDG_CACHE_HOME: join(root, 'node_modules/.cache') } as const;

/** A home, a working directory and install directories of one test. */
export interface Sandbox {
  readonly path: string;
  /** The environment of a new user's shell: nothing of ours but PATH. */
  readonly env: Readonly<Record<string, string>>;
  readonly file: (name: string, text: string) => string;
  readonly dir: (name: string) => string;
  /** Stops every site and job that was started below, and removes everything. */
  readonly remove: () => Promise<void>;
}

/** Makes a sandbox. Call `remove` also when the test fails: sites and jobs outlive the processes that started them. */
export function makeSandbox(): Sandbox {
  const path = mkdtempSync(join(tmpdir(), 'upi-e2e-'));
  const home = join(path, 'home');
  const temporary = join(path, 'tmp');
  for (const each of [home, temporary]) mkdirSync(each, { mode: 0o700 });
  const base = { PATH: shellPath(), HOME: home, TMPDIR: temporary, ...sharedCache, LANG: 'C.UTF-8', TERM: 'dumb' };
  return {
    path,
    env: { ...base, npm_config_cache: join(path, 'npm'), npm_config_update_notifier: 'false' },
    file(name, text) {
      writeFileSync(join(path, name), text, { mode: 0o600 });
      return join(path, name);
    },
    dir: (name) => join(path, name),
    async remove() {
      await endAll(path);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** The processes whose command line names something below `path`, except ourselves. */
export function processesOf(path: string): { readonly pid: number; readonly command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      const command = commandOf(pid);
      return command.includes(`${path}/`) ? [{ pid: Number(pid), command }] : [];
    });
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** Ends what still runs below a path: SIGTERM first, then SIGKILL. */
export async function endAll(path: string): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    for (const { pid } of processesOf(path)) {
      try {
        process.kill(pid, signal);
      } catch {
        // It ended in between.
      }
    }
    for (let look = 0; look < 50 && processesOf(path).length > 0; look += 1) await pause(100);
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running program: its output so far, and how it ends. */
export interface ProgramRun {
  readonly process: ChildProcess;
  readonly ended: Promise<Outcome>;
  /** Waits until standard output matches. Fails when the program ends first. */
  readonly prints: (pattern: RegExp) => Promise<void>;
  /** Kills the program, as a power cut does. */
  readonly kill9: () => Promise<Outcome>;
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
  const waiting = new Set<() => void>();
  const look = () => {
    for (const check of [...waiting]) check();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    look();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // A program that reads nothing may end before its input is written.
  child.stdin.on('error', () => undefined).end(input);
  const ended = new Promise<Outcome>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return {
    process: child,
    ended,
    prints: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!pattern.test(stdout)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
        ended
          .then((outcome) => reject(new Error(`ended without printing ${pattern}: ${JSON.stringify(outcome)}`)))
          .catch(reject);
      }),
    async kill9() {
      child.kill('SIGKILL');
      return await ended;
    },
  };
}

/** Runs upi-wizard without a terminal, to its end. */
export function runWizard(args: readonly string[], options: Parameters<typeof startProgram>[2]): Promise<Outcome> {
  return startProgram(process.execPath, [executable, ...args], options).ended;
}

/** Starts a rehearsal that needs no person. */
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
  const { sandbox, answers = 'example', fault, speed = FAST, args: more = [] } = options;
  const broken = fault === undefined ? [] : ['--break', fault];
  const args = [
    'rehearse',
    '--answers',
    answers,
    '--plain',
    '--speed',
    String(speed),
    '--dir',
    dir,
    ...broken,
    ...more,
  ];
  return startProgram(process.execPath, [executable, ...args], { sandbox });
}

/** The example as an answers file, with some texts replaced. */
export function exampleWith(replacements: Readonly<Record<string, string>> = {}): string {
  return Object.entries(replacements).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the example has no ${from}`);
    return text.replaceAll(from, to);
  }, exampleDesign({}));
}

/** The files of a rehearsal that hold secrets by their nature; no other file may hold any. */
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
  'world.json',
  'oc-kubeconfig',
]);

/** The secrets that only the files made for them may hold: pull secret, password and private keys of a rehearsal. */
export function secretsOf(dir: string): string[] {
  const pullSecret = readFileSync(join(dir, '.upi-wizard/site/pull-secret.txt'), 'utf8');
  const auths = (JSON.parse(pullSecret) as { auths: Record<string, { auth: string }> }).auths;
  const password = readFileSync(join(dir, 'auth/kubeadmin-password'), 'utf8').trim();
  const tokens = Object.values(auths).map(({ auth }) => auth);
  const clientKey = /client-key-data: (\S+)/.exec(readFileSync(join(dir, 'auth/kubeconfig'), 'utf8'))?.[1] ?? '';
  if (password === '' || clientKey === '') throw new Error('the rehearsal made no password or no client key');
  const decoded = tokens.map((token) => Buffer.from(token, 'base64').toString());
  return [...new Set([...tokens, ...decoded, password, clientKey, 'PRIVATE KEY'])];
}

/** Every file below a directory. */
export function filesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The files that hold secrets though they are not for them: `path: which`. */
export function leaksIn(dir: string, secrets: readonly string[]): string[] {
  return filesBelow(dir)
    .filter((file) => !SECRET_FILES.has(basename(file)))
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      return secrets.filter((secret) => text.includes(secret)).map((secret) => `${file}: ${secret.slice(0, 12)}`);
    });
}
