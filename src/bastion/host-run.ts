import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { plainEnvironment } from '../ports/environment.ts';
import type { Hands } from '../ports/hands.ts';
import { catalogue } from '../text/catalogue.ts';
import { redact } from '../text/redact.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { TroubleError } from '../text/trouble.ts';
import { runOverSsh } from './ssh/ssh-run.ts';
import type { SshTarget } from './ssh/ssh-target.ts';

const words = () => catalogue().bastion.hostRun;

/** A plan shows whole files, and a log may be long. */
const MOST_BYTES = 32 * 1024 * 1024;
/** The first line of the runner: root runs it. */
const STARTED = '@root';
/** The runner's exit code when another run is under way. */
const BUSY = 75;

/** A service host, as its runner is reached. */
export interface RunPlace {
  /** The short name of the host. */
  readonly name: string;
  /** Null: this machine. */
  readonly target: SshTarget | null;
  /** The directory here that holds the host's files under their paths there. */
  readonly files: string;
  /** The text of the runner. */
  readonly runner: string;
  /** Who plays the host; null in life. */
  readonly played: Hands['runOnHost'];
}

/**
 * Runs the runner on a host as root: as root itself, or with `sudo -n`, which never asks for a password. Over SSH the runner
 * and the files go along on standard input, into a directory that is removed when it has ended.
 * @param argv for the runner; letters, digits and dashes
 * @param onLine gets each line of its standard output and error as it comes
 * @returns the lines of its standard output
 * @throws TroubleError `ssh-…`, `host-not-root`, `host-busy`; `host-run-failed` with what it said
 */
export async function runOnHost(
  place: RunPlace,
  argv: readonly string[],
  { signal, onLine }: { readonly signal: AbortSignal; readonly onLine?: (line: string) => void },
): Promise<readonly string[]> {
  for (const word of argv) if (!/^[\w-]+$/.test(word)) throw new Error(`not a plain word: ${word}`);
  if (place.played !== null)
    return await place.played(place.name, place.files, argv, { signal, ...(onLine === undefined ? {} : { onLine }) });
  const sent = await mkdtemp(join(tmpdir(), 'upi-wizard-run-'));
  try {
    await writeFile(join(sent, 'host-run.sh'), place.runner, { mode: 0o700 });
    const tell = onLine === undefined ? {} : { onLine: (line: string) => line !== STARTED && onLine(line) };
    const run = place.target === null ? runHere : runThere;
    const { stdout, stderr, exitCode } = await run(place, sent, argv, { signal, ...tell });
    const [first, ...lines] = stdout.split('\n');
    const last = sanitizeLine(redact(stderr.trim().split('\n').at(-1) ?? ''), 500);
    if (first !== STARTED) {
      const { silent, ...said } = words().root(place.name);
      throw new TroubleError({ code: 'host-not-root', ...said, cause: last || silent });
    }
    if (exitCode === BUSY) throw new TroubleError({ code: 'host-busy', ...words().busy(place.name) });
    if (exitCode !== 0) {
      const { silent, ...said } = words().failed(place.name);
      throw new TroubleError({ code: 'host-run-failed', ...said, cause: last || silent });
    }
    return lines.filter((line) => line !== '');
  } finally {
    // At once: who is stopped may end the program before a promise is kept, and would leave the directory.
    rmSync(sent, { recursive: true, force: true });
  }
}

interface Telling {
  readonly signal: AbortSignal;
  readonly onLine?: (line: string) => void;
}

async function runThere({ target, files }: RunPlace, sent: string, argv: readonly string[], telling: Telling) {
  if (target === null) throw new Error('no target');
  const { signal } = telling;
  const packed = await execa(
    'tar',
    ['-cf', '-', '-C', sent, 'host-run.sh', '--transform=s#^\\.#files#', '-C', files, '.'],
    {
      encoding: 'buffer',
      env: plainEnvironment(),
      extendEnv: false,
      cancelSignal: signal,
    },
  );
  // Whatever shell the login has there.
  const script = `umask 077; d=$(mktemp -d) || exit; trap "rm -rf \\"\\$d\\"" EXIT; tar -xpf - -C "$d" || exit; r=; test "$(id -u)" = 0 || r="sudo -n"; $r bash "$d/host-run.sh" ${argv.join(' ')}`;
  const command = `exec sh -c '${script}'`;
  return await runOverSsh({ program: 'ssh', target, command, ...telling, input: packed.stdout, mostBytes: MOST_BYTES });
}

/** The files beside the runner, as they lie in the directory that is sent elsewhere. */
async function runHere({ files }: RunPlace, sent: string, argv: readonly string[], { signal, onLine }: Telling) {
  await execa('cp', ['-a', '--', files, join(sent, 'files')], { env: plainEnvironment(), extendEnv: false });
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const [program = 'bash', ...rest] = [...sudo, 'bash', join(sent, 'host-run.sh'), ...argv];
  const running = execa(program, rest, {
    reject: false,
    stdin: 'ignore',
    cancelSignal: signal,
    env: plainEnvironment(),
    extendEnv: false,
    maxBuffer: MOST_BYTES,
    all: onLine !== undefined,
  });
  if (onLine !== undefined) for await (const line of running.iterable({ from: 'all' })) onLine(String(line));
  const { stdout, stderr, exitCode } = await running;
  signal.throwIfAborted();
  const text = (said: unknown) => (typeof said === 'string' ? said : '');
  // Without sudo on this machine there is nothing said, and root's line is missing.
  return { stdout: text(stdout), stderr: text(stderr), exitCode: exitCode ?? 1 };
}
