import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { catalogue } from '../i18n/catalogue.ts';
import { UserErrorException } from '../i18n/user-error.ts';
import { getMinimalEnvironment } from '../platform/environment.ts';
import type { ManualActions } from '../platform/manual-actions.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { redact } from '../platform/secrets.ts';
import { runOverSsh, type SshTarget } from './ssh.ts';

const words = () => catalogue().bastion.hostRun;

/** Maximum output of the runner, in bytes: a plan contains whole files, and a log may be long. */
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;
/** The first line of the runner's output when root runs it. */
const ROOT_MARKER = '@root';
/** The runner's exit code while another run is in progress. */
const BUSY_EXIT_CODE = 75;

/** A service host, and how the runner (host-run.sh) is started on it. */
export interface RunnerHost {
  /** The short name of the host. */
  readonly name: string;
  /** Null: this machine. */
  readonly target: SshTarget | null;
  /** Local directory with the host's files under their paths on the host. */
  readonly filesDir: string;
  /** Content of host-run.sh. */
  readonly runnerScript: string;
  /** Runs the runner on a simulated host; null outside a rehearsal. */
  readonly simulatedRun: ManualActions['runOnHost'];
}

/**
 * Runs the runner on a host as root: directly if the user is root, else with `sudo -n`, which never asks for a
 * password. Over SSH the runner and the files are sent on standard input, into a directory that is removed afterwards.
 * @param argv arguments of the runner: letters, digits and dashes
 * @param onLine receives each line of its standard output as it arrives; on this machine, also of its standard error
 * @returns the lines of its standard output
 * @throws UserErrorException `ssh-…`, `host-not-root`, `host-busy`; `host-run-failed` with the runner's last message
 */
export async function runOnHost(
  host: RunnerHost,
  argv: readonly string[],
  { signal, onLine }: { readonly signal: AbortSignal; readonly onLine?: (line: string) => void },
): Promise<readonly string[]> {
  for (const word of argv) if (!/^[\w-]+$/.test(word)) throw new Error(`not a plain word: ${word}`);
  if (host.simulatedRun !== null)
    return await host.simulatedRun(host.name, host.filesDir, argv, {
      signal,
      ...(onLine === undefined ? {} : { onLine }),
    });
  const stagingDir = await mkdtemp(join(tmpdir(), 'upi-wizard-run-'));
  try {
    await writeFile(join(stagingDir, 'host-run.sh'), host.runnerScript, { mode: 0o700 });
    const lineOption = onLine === undefined ? {} : { onLine: (line: string) => line !== ROOT_MARKER && onLine(line) };
    const run = host.target === null ? runLocally : runRemotely;
    const { stdout, stderr, exitCode } = await run(host, stagingDir, argv, { signal, ...lineOption });
    const [marker, ...lines] = stdout.split('\n');
    const lastError = sanitizeLine(redact(stderr.trim().split('\n').at(-1) ?? ''), 500);
    if (marker !== ROOT_MARKER) {
      const { noMessage, ...texts } = words().root(host.name);
      throw new UserErrorException({ code: 'host-not-root', ...texts, cause: lastError || noMessage });
    }
    if (exitCode === BUSY_EXIT_CODE) throw new UserErrorException({ code: 'host-busy', ...words().busy(host.name) });
    if (exitCode !== 0) {
      const { noMessage: fallbackCause, ...texts } = words().failed(host.name);
      throw new UserErrorException({ code: 'host-run-failed', ...texts, cause: lastError || fallbackCause });
    }
    return lines.filter((line) => line !== '');
  } finally {
    // Synchronous: when the user stops the wizard, the process may exit before a promise settles and would leave the
    // directory.
    rmSync(stagingDir, { recursive: true, force: true });
  }
}

interface RunOptions {
  readonly signal: AbortSignal;
  readonly onLine?: (line: string) => void;
}

async function runRemotely(
  { target, filesDir }: RunnerHost,
  stagingDir: string,
  argv: readonly string[],
  options: RunOptions,
) {
  if (target === null) throw new Error('no target');
  const { signal } = options;
  const archive = await execa(
    'tar',
    ['-cf', '-', '-C', stagingDir, 'host-run.sh', '--transform=s#^\\.#files#', '-C', filesDir, '.'],
    {
      encoding: 'buffer',
      env: getMinimalEnvironment(),
      extendEnv: false,
      cancelSignal: signal,
    },
  );
  // The login shell of the host may not be a POSIX shell, so `sh -c` runs the script.
  const script = `umask 077; d=$(mktemp -d) || exit; trap "rm -rf \\"\\$d\\"" EXIT; tar -xpf - -C "$d" || exit; r=; test "$(id -u)" = 0 || r="sudo -n"; $r bash "$d/host-run.sh" ${argv.join(' ')}`;
  const command = `exec sh -c '${script}'`;
  return await runOverSsh({
    program: 'ssh',
    target,
    command,
    ...options,
    input: archive.stdout,
    maxBytes: MAX_OUTPUT_BYTES,
  });
}

/** Runs the runner on this machine, with the files beside it, as in the directory that is sent to other hosts. */
async function runLocally(
  { filesDir }: RunnerHost,
  stagingDir: string,
  argv: readonly string[],
  { signal, onLine }: RunOptions,
) {
  await execa('cp', ['-a', '--', filesDir, join(stagingDir, 'files')], {
    env: getMinimalEnvironment(),
    extendEnv: false,
  });
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const [program = 'bash', ...args] = [...sudo, 'bash', join(stagingDir, 'host-run.sh'), ...argv];
  const subprocess = execa(program, args, {
    reject: false,
    stdin: 'ignore',
    cancelSignal: signal,
    env: getMinimalEnvironment(),
    extendEnv: false,
    maxBuffer: MAX_OUTPUT_BYTES,
    all: onLine !== undefined,
  });
  if (onLine !== undefined) for await (const line of subprocess.iterable({ from: 'all' })) onLine(String(line));
  const { stdout, stderr, exitCode } = await subprocess;
  signal.throwIfAborted();
  const toText = (value: unknown) => (typeof value === 'string' ? value : '');
  // Without sudo there is no output: the missing ROOT_MARKER makes the caller report `host-not-root`.
  return { stdout: toText(stdout), stderr: toText(stderr), exitCode: exitCode ?? 1 };
}
