import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { onTestFinished, test } from 'vitest';
import { eventually } from './eventually.ts';
import { testInNamespace } from './namespace.ts';
import { requireProgram } from './programs.ts';

/** A command's output and exit. */
export interface Outcome {
  readonly exitCode: number | undefined;
  readonly all: string;
}

/**
 * Machines of a network that nobody else sees: network namespaces on a bridge, in mount and process namespaces of their
 * own. All of it ends with the test.
 */
export interface Lab {
  /** A directory of the test that all machines see. */
  readonly dir: string;
  /** Adds a machine with these addresses on its interface `lan0`. */
  addMachine(name: string, addresses: readonly string[]): Promise<void>;
  /** Runs a bash script on a machine (or beside all of them) and waits for its end. */
  run(machine: string | null, script: string): Promise<Outcome>;
  /** The program and arguments that run a command on a machine, for whoever gives it a terminal; its environment is that of the caller. */
  argvOn(machine: string, command: readonly string[]): readonly [string, ...string[]];
  /** Starts a command on a machine; returns a function that ends it. */
  start(machine: string | null, command: readonly string[], log: string): () => Promise<void>;
}

const OWN = process.getuid?.() === 0 ? [] : ['--map-root-user'];

/** `test` for what only root may do: for other users it is skipped by name. */
export function testAsRoot(...programs: readonly string[]) {
  if (process.getuid?.() === 0) return testInNamespace('nsenter', ...programs);
  return (name: string, _body: () => unknown) => test.skip(`${name} (needs root)`, () => {});
}

/** Opens a lab, and closes it when the test is finished. */
export async function openLab(): Promise<Lab> {
  const dir = mkdtempSync(join(tmpdir(), 'lab-'));
  const root = spawn(
    'unshare',
    [
      ...OWN,
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
  const ended = new Promise((resolve) => root.once('exit', resolve));
  onTestFinished(async () => {
    root.kill('SIGKILL');
    await ended;
    rmSync(dir, { recursive: true, force: true });
  });
  await new Promise((resolve) => root.stdout.once('data', resolve));
  const inside = childOf(root.pid ?? 0);
  const enter = (machine: string | null) => [
    '--target',
    String(inside),
    ...(OWN.length > 0 ? ['--user', '--preserve-credentials'] : []),
    '--mount',
    '--pid',
    machine === null ? '--net' : `--net=${join('/proc', String(inside), 'root', 'run/netns', machine)}`,
  ];

  async function run(machine: string | null, script: string): Promise<Outcome> {
    const { exitCode, all } = await execa(requireProgram('nsenter'), [...enter(machine), 'bash', '-euc', script], {
      all: true,
      reject: false,
      // Bash takes a socket as its input, where SHLVL is below 2, for a remote shell, and would read the bashrc of this machine.
      env: { LAB: dir, PATH: `${process.env.PATH}:/usr/sbin:/sbin`, SHLVL: '2' },
    });
    return { exitCode, all };
  }
  async function must(machine: string | null, script: string): Promise<void> {
    const { exitCode, all } = await run(machine, script);
    if (exitCode !== 0) throw new Error(`${script}: ${all}`);
  }

  await must(null, 'mount -t tmpfs tmpfs /run; ip link add lan type bridge; ip link set lan up; ip link set lo up');
  return {
    dir,
    run,
    argvOn: (machine, command) => [requireProgram('nsenter'), ...enter(machine), '--', ...command],
    async addMachine(name, addresses) {
      await must(
        null,
        `ip netns add ${name}; ip link add ${name} type veth peer name lan0 netns ${name}; ip link set ${name} master lan up`,
      );
      const add = addresses.map((address) => `ip addr add ${address} dev lan0${address.includes(':') ? ' nodad' : ''}`);
      await must(name, ['ip link set lo up', 'ip link set lan0 up', ...add].join('; '));
    },
    start(machine, [program = '', ...args], log) {
      const script = `exec >"$LAB/${log}" 2>&1; exec "$@"`;
      const child = spawn(
        'nsenter',
        [...enter(machine), 'bash', '-c', script, 'lab', requireProgram(program), ...args],
        {
          stdio: 'ignore',
          env: { ...process.env, LAB: dir },
        },
      );
      const over = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      return async () => {
        // nsenter forks for the process namespace: the process to end is its child.
        for (const pid of descendants(child.pid ?? 0)) process.kill(pid, 'SIGKILL');
        await over;
      };
    },
  };
}

/** The only child of a process; waits until there is one. */
function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
}

/** All processes below one, the deepest last. */
function descendants(pid: number): number[] {
  let children: number[] = [];
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    // It ended just now.
  }
  return children.flatMap((child) => [child, ...descendants(child)]);
}

/** Waits until a look returns a value other than null. */
export function until<T>(what: string, look: () => Promise<T | null>): Promise<T> {
  return eventually(async () => {
    const found = await look();
    if (found === null) throw new Error(`not yet: ${what}`);
    return found;
  }, 100);
}
