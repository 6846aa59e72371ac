import { type ChosenRelease, findNonDefaultStream } from '../design/versions.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { type UserError, UserErrorException } from '../i18n/user-error.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { toExitError } from './exit.ts';
import type { LogLine } from './log.ts';
import { createLogParser } from './log.ts';
import { createProgramCache, getInstallerEnvironment } from './programs.ts';

const words = () => catalogue().installer;

/** The output of `openshift-install version`. */
export interface InstallerVersion {
  /** "4.18.11"; null for a build outside a release, from sources without a number ("unreleased-master-9-g694d"). */
  readonly version: string | null;
  readonly releaseImage: string | null;
  /** The architecture of the release ("amd64"); null before 4.7, which does not print it. */
  readonly architecture: string | null;
}

/** Result of one run of the installer. */
export interface InstallerOutcome {
  /** Null if a signal ended the run. */
  readonly exitCode: number | null;
  /** Null after exit code 0. */
  readonly userError: UserError | null;
  /** Its messages, without secrets. */
  readonly lines: readonly LogLine[];
}

interface InstallerRun {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly lines: readonly LogLine[];
}

const readVersionOnce = createProgramCache<InstallerVersion>();
const readStreamOnce = createProgramCache<unknown>();
const nonDefaultStreamCaches = { 'rhel-9': createProgramCache<unknown>(), 'rhel-10': createProgramCache<unknown>() };

/**
 * Reads and parses the output of `openshift-install version`; starts the program once per file.
 * @throws UserErrorException `installer-cannot-run`, `not-openshift-install`
 */
export function readInstallerVersion(program: string): Promise<InstallerVersion> {
  return readVersionOnce(program, async () => {
    const { stdout } = await runInstaller(program, ['version']);
    const lines = stdout.split('\n').map((line) => sanitizeLine(line.trim()));
    const findValue = (prefix: string) => lines.find((line) => line.startsWith(prefix))?.slice(prefix.length) ?? null;
    // The first line starts with the name that the program was called by, which may contain blanks.
    const version = /\sv?(\d+\.\d+\S*)$/.exec(lines[0] ?? '')?.[1] ?? null;
    if (version === null && findValue('built from commit ') === null) {
      const { title, cause, remedy } = words().notInstaller;
      throw new UserErrorException({ code: 'not-openshift-install', title, cause: cause(program), remedy });
    }
    return {
      version,
      releaseImage: findValue('release image '),
      architecture: findValue('release architecture '),
    };
  });
}

/**
 * Reads the description of the RHCOS images as JSON; null if the installer does not know the command (before 4.8).
 * Starts the program once per file.
 * @param release the version and the stream. An installer without the option `--stream` describes the stream of its
 * version; nodes change to the requested stream at their first boot (openshift/installer
 * cmd/openshift-install/coreoscli).
 * @throws UserErrorException `installer-cannot-run`, `installer-bad-stream`
 */
export async function readImageStream(program: string, release: ChosenRelease): Promise<unknown> {
  const osImageStream = findNonDefaultStream(release);
  if (osImageStream !== null) {
    const readOnce = nonDefaultStreamCaches[osImageStream];
    const imageStream = await readStream(readOnce, program, ['--stream', osImageStream]);
    if (imageStream !== null) return imageStream;
  }
  return await readStream(readStreamOnce, program, []);
}

function readStream(readOnce: typeof readStreamOnce, program: string, options: readonly string[]): Promise<unknown> {
  return readOnce(program, async () => {
    const { exitCode, stdout } = await runInstaller(program, ['coreos', 'print-stream-json', ...options]);
    if (exitCode !== 0) return null;
    try {
      return JSON.parse(stdout) as unknown;
    } catch (error) {
      const { title, remedy } = words().badStream;
      const cause = sanitizeLine(error instanceof Error ? error.message : String(error));
      throw new UserErrorException({ code: 'installer-bad-stream', title, cause, remedy }, { cause: error });
    }
  });
}

/** Runs `create manifests`, which consumes install-config.yaml and writes manifests/ and openshift/. */
export function createManifests(program: string, dir: string, signal?: AbortSignal): Promise<InstallerOutcome> {
  return runCreateCommand(program, 'manifests', dir, signal);
}

/** Runs `create ignition-configs`, which consumes the manifests and writes the ignition files and auth/. */
export function createIgnitionConfigs(program: string, dir: string, signal?: AbortSignal): Promise<InstallerOutcome> {
  return runCreateCommand(program, 'ignition-configs', dir, signal);
}

/** Runs `create single-node-ignition-config`, which writes bootstrap-in-place-for-live-iso.ign and auth/. */
export function createSingleNodeIgnition(
  program: string,
  dir: string,
  signal?: AbortSignal,
): Promise<InstallerOutcome> {
  return runCreateCommand(program, 'single-node-ignition-config', dir, signal);
}

/**
 * Builds the arguments of the wait that runs as a job. The wait only reads; a new run continues it.
 * `.openshift_install.log` holds all its messages at any level; output at `info` contains kubeadmin's password, which
 * the job's log would keep too.
 */
export function buildWaitForArgv(dir: string, target: 'bootstrap-complete' | 'install-complete'): readonly string[] {
  return ['wait-for', target, '--dir', dir, '--log-level', 'warn'];
}

async function runCreateCommand(
  program: string,
  target: string,
  dir: string,
  signal?: AbortSignal,
): Promise<InstallerOutcome> {
  const installerRun = await runInstaller(program, ['create', target, '--dir', dir], signal);
  return {
    exitCode: installerRun.exitCode,
    userError: toExitError(installerRun.exitCode, installerRun.signal, installerRun.lines),
    lines: installerRun.lines,
  };
}

async function runInstaller(program: string, args: readonly string[], signal?: AbortSignal): Promise<InstallerRun> {
  // Loaded only when a program is started: most probes need none.
  const { execa } = await import('execa');
  const result = await execa(program, args, {
    env: getInstallerEnvironment(),
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    ...(signal === undefined ? {} : { cancelSignal: signal }),
  });
  if (result.exitCode === undefined && result.signal === undefined) {
    const { title, remedy } = words().cannotRun;
    const cause = sanitizeLine(result.originalMessage ?? result.shortMessage ?? program);
    throw new UserErrorException({ code: 'installer-cannot-run', title, cause, remedy });
  }
  const parser = createLogParser();
  const lines = [...parser.push(result.stderr), ...parser.end()];
  return { exitCode: result.exitCode ?? null, signal: result.signal ?? null, stdout: result.stdout, lines };
}
