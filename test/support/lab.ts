import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { onTestFinished, test } from 'vitest';
import { eventually } from './eventually.ts';
import { testInNamespace } from './namespace.ts';
import { requireProgram } from './programs.ts';

/** Output and exit code of a command. */
interface CommandResult {
  readonly exitCode: number | undefined;
  readonly all: string;
}

/**
 * Machines of an isolated network: network namespaces on a bridge, in their own mount and process namespaces. All of it
 * ends with the test.
 */
export interface Lab {
  /** Directory of the test, visible on all machines. */
  readonly dir: string;
  /** Adds a machine with these addresses on its interface `lan0`. */
  addMachine(name: string, addresses: readonly string[]): Promise<void>;
  /** Runs a bash script on a machine, or with null in the lab but on none of its machines, and waits for its end. */
  run(machine: string | null, script: string): Promise<CommandResult>;
  /**
   * Returns the program and arguments that run a command on a machine, for callers that provide a terminal. The
   * environment is the caller's.
   */
  buildArgv(machine: string, command: readonly string[]): readonly [string, ...string[]];
  /** Starts a command on a machine; returns a function that ends it. */
  start(machine: string | null, command: readonly string[], log: string): () => Promise<void>;
}

/** Programs of a lab cannot set the clock of this host, not even as root. */
const WITHOUT_CLOCK = ['setpriv', '--bounding-set=-sys_time'];

const MAP_ROOT_USER = process.getuid?.() === 0 ? [] : ['--map-root-user'];

/** `test` for tests that need root. For other users they are skipped, with the reason in the title. */
export function testInLab(...programs: readonly string[]) {
  if (process.getuid?.() === 0) return testInNamespace('nsenter', ...programs);
  return (name: string, _body: () => unknown) => test.skip(`${name} (needs root)`, () => {});
}

/** Opens a lab. It closes when the test is finished. */
export async function openLab(): Promise<Lab> {
  const dir = mkdtempSync(join(tmpdir(), 'lab-'));
  const root = spawn(
    'unshare',
    [
      ...MAP_ROOT_USER,
      '--mount',
      '--net',
      '--pid',
      '--fork',
      '--kill-child',
      '--mount-proc',
      'sh',
      '-c',
      'echo up; exec sleep infinity',
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const rootExit = new Promise((resolve) => root.once('exit', resolve));
  onTestFinished(async () => {
    root.kill('SIGKILL');
    await rootExit;
    rmSync(dir, { recursive: true, force: true });
  });
  await new Promise((resolve) => root.stdout.once('data', resolve));
  const namespacePid = findChild(root.pid ?? 0);
  const enter = (machine: string | null) => [
    '--target',
    String(namespacePid),
    ...(MAP_ROOT_USER.length > 0 ? ['--user', '--preserve-credentials'] : []),
    '--mount',
    '--pid',
    machine === null ? '--net' : `--net=${join('/proc', String(namespacePid), 'root', 'run/netns', machine)}`,
  ];

  async function run(machine: string | null, script: string): Promise<CommandResult> {
    const { exitCode, all } = await execa(
      requireProgram('nsenter'),
      [...enter(machine), ...WITHOUT_CLOCK, 'bash', '-euc', script],
      {
        all: true,
        reject: false,
        // If SHLVL is below 2, Bash treats a socket as input like a remote shell and reads the bashrc of this host.
        env: { LAB: dir, PATH: `${process.env.PATH}:/usr/sbin:/sbin`, SHLVL: '2' },
      },
    );
    return { exitCode, all };
  }
  async function runOrThrow(machine: string | null, script: string): Promise<void> {
    const { exitCode, all } = await run(machine, script);
    if (exitCode !== 0) throw new Error(`${script}: ${all}`);
  }

  await runOrThrow(
    null,
    'mount -t tmpfs tmpfs /run; ip link add lan type bridge; ip link set lan up; ip link set lo up',
  );
  return {
    dir,
    run,
    buildArgv: (machine, command) => [requireProgram('nsenter'), ...enter(machine), '--', ...command],
    async addMachine(name, addresses) {
      await runOrThrow(
        null,
        `ip netns add ${name}; ip link add ${name} type veth peer name lan0 netns ${name}; ip link set ${name} master lan up`,
      );
      const add = addresses.map((address) => `ip addr add ${address} dev lan0${address.includes(':') ? ' nodad' : ''}`);
      await runOrThrow(name, ['ip link set lo up', 'ip link set lan0 up', ...add].join('; '));
    },
    start(machine, [program = '', ...args], log) {
      const script = `exec >"$LAB/${log}" 2>&1; exec "$@"`;
      const child = spawn(
        'nsenter',
        [...enter(machine), ...WITHOUT_CLOCK, 'bash', '-c', script, 'lab', requireProgram(program), ...args],
        {
          stdio: 'ignore',
          env: { ...process.env, LAB: dir },
        },
      );
      const childExit = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      return async () => {
        // nsenter forks for the process namespace: the process to end is its child.
        for (const pid of listDescendants(child.pid ?? 0)) process.kill(pid, 'SIGKILL');
        await childExit;
      };
    },
  };
}

/** Returns the only child of a process. */
function findChild(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
}

/** Lists all processes below one, the deepest last. */
function listDescendants(pid: number): number[] {
  let children: number[] = [];
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    // The process has ended.
  }
  return children.flatMap((child) => [child, ...listDescendants(child)]);
}

/** Waits until a probe returns a value other than null. */
export function waitUntil<T>(what: string, probe: () => Promise<T | null>): Promise<T> {
  return eventually(async () => {
    const found = await probe();
    if (found === null) throw new Error(`not yet: ${what}`);
    return found;
  }, 100);
}
