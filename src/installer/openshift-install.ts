import { explainExit } from '../diagnosis/installer/exit.ts';
import { catalogue } from '../text/catalogue.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { type Trouble, TroubleError } from '../text/trouble.ts';
import { askingOnce } from './ask-once.ts';
import { installerEnvironment } from './environment.ts';
import { createLogParser } from './log.ts';
import type { LogLine } from './log-line.ts';

const words = () => catalogue().installer;

/** What `openshift-install version` prints. */
export interface InstallerVersion {
  /** "4.18.11"; null: built outside a release, from sources that have no number ("unreleased-master-9-g694d"). */
  readonly version: string | null;
  readonly releaseImage: string | null;
  /** The architecture of the release ("amd64"); versions before 4.7 do not say. */
  readonly architecture: string | null;
}

/** How one run of the installer ended. */
export interface InstallerOutcome {
  /** null when a signal ended it. */
  readonly exitCode: number | null;
  /** null after exit code 0. */
  readonly trouble: Trouble | null;
  /** What it said, without secrets. */
  readonly lines: readonly LogLine[];
}

interface Ran {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly lines: readonly LogLine[];
}

const versionOnce = askingOnce<InstallerVersion>();
const streamOnce = askingOnce<unknown>();

/**
 * What `openshift-install version` says; the program is started once for the same file.
 * @throws TroubleError `installer-cannot-run`, `not-openshift-install`
 */
export function installerVersion(program: string): Promise<InstallerVersion> {
  return versionOnce(program, async () => {
    const { stdout } = await run(program, ['version']);
    const lines = stdout.split('\n').map((line) => sanitizeLine(line.trim()));
    const after = (prefix: string) => lines.find((line) => line.startsWith(prefix))?.slice(prefix.length) ?? null;
    // The first line begins with the name the program was called by, which may hold blanks.
    const version = /\sv?(\d+\.\d+\S*)$/.exec(lines[0] ?? '')?.[1] ?? null;
    if (version === null && after('built from commit ') === null) {
      const { title, cause, whatToDo } = words().notInstaller;
      throw new TroubleError({ code: 'not-openshift-install', title, cause: cause(program), whatToDo });
    }
    return {
      version,
      releaseImage: after('release image '),
      architecture: after('release architecture '),
    };
  });
}

/**
 * The description of the RHCOS images as JSON; null where the installer does not know the command (before 4.8). The program is
 * started once for the same file.
 * @throws TroubleError `installer-cannot-run`, `installer-bad-stream`
 */
export function streamImages(program: string): Promise<unknown> {
  return streamOnce(program, async () => {
    const { exitCode, stdout } = await run(program, ['coreos', 'print-stream-json']);
    if (exitCode !== 0) return null;
    try {
      return JSON.parse(stdout) as unknown;
    } catch (error) {
      const { title, whatToDo } = words().badStream;
      const cause = sanitizeLine(error instanceof Error ? error.message : String(error));
      throw new TroubleError({ code: 'installer-bad-stream', title, cause, whatToDo }, { cause: error });
    }
  });
}

/** `create manifests`: takes install-config.yaml away, leaves manifests/ and openshift/. */
export function createManifests(program: string, dir: string, signal?: AbortSignal): Promise<InstallerOutcome> {
  return create(program, 'manifests', dir, signal);
}

/** `create ignition-configs`: takes the manifests away, leaves the ignition files and auth/. */
export function createIgnitionConfigs(program: string, dir: string, signal?: AbortSignal): Promise<InstallerOutcome> {
  return create(program, 'ignition-configs', dir, signal);
}

/** `create single-node-ignition-config`: leaves bootstrap-in-place-for-live-iso.ign and auth/. */
export function createSingleNodeIgnition(
  program: string,
  dir: string,
  signal?: AbortSignal,
): Promise<InstallerOutcome> {
  return create(program, 'single-node-ignition-config', dir, signal);
}

/**
 * The arguments of the wait that is started as a job. It only looks; run again, it goes on. Everything it says is in
 * `.openshift_install.log` at any level; what it says at `info` holds kubeadmin's password, and would be kept in the job's log too.
 */
export function waitForArgv(dir: string, target: 'bootstrap-complete' | 'install-complete'): readonly string[] {
  return ['wait-for', target, '--dir', dir, '--log-level', 'warn'];
}

async function create(program: string, what: string, dir: string, signal?: AbortSignal): Promise<InstallerOutcome> {
  const ran = await run(program, ['create', what, '--dir', dir], signal);
  return { exitCode: ran.exitCode, trouble: explainExit(ran.exitCode, ran.signal, ran.lines), lines: ran.lines };
}

async function run(program: string, args: readonly string[], signal?: AbortSignal): Promise<Ran> {
  // Loaded when a program is started: most looks need none.
  const { execa } = await import('execa');
  const result = await execa(program, args, {
    env: installerEnvironment(),
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    ...(signal === undefined ? {} : { cancelSignal: signal }),
  });
  if (result.exitCode === undefined && result.signal === undefined) {
    const { title, whatToDo } = words().cannotRun;
    const cause = sanitizeLine(result.originalMessage ?? result.shortMessage ?? program);
    throw new TroubleError({ code: 'installer-cannot-run', title, cause, whatToDo });
  }
  const parser = createLogParser();
  const lines = [...parser.push(result.stderr), ...parser.end()];
  return { exitCode: result.exitCode ?? null, signal: result.signal ?? null, stdout: result.stdout, lines };
}
