import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Design, Problem } from '../../design/model.ts';
import { parseDesign } from '../../design/parse.ts';
import { catalogue, formatCommandLine, setInstallDirectory } from '../../i18n/catalogue.ts';
import { describeUnreadableFile, UserErrorException } from '../../i18n/user-error.ts';
import { connectCluster } from '../../kube/connect-cluster.ts';
import { createFileClock, systemClock } from '../../platform/clock.ts';
import { readInputFile } from '../../platform/files.ts';
import { directEndpoints } from '../../platform/manual-actions.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import type { SiteClient } from '../../rehearsal/site-client.ts';
import type { SessionLock } from '../../session/lock.ts';
import type { SavedQuestion, SessionState } from '../../session/state.ts';
import type { StepContext } from '../../steps/contract.ts';
import { createProbeCache, type ProbeCache } from '../../steps/probe-cache.ts';
import type { ClusterContext } from '../../steps/shared/cluster-access.ts';
import { isFromOtherDesign } from '../../steps/shared/files/source-design.ts';
import { workspace } from '../../steps/shared/workspace.ts';
import { createStepState } from '../../steps/step-state.ts';
import { getDesignInForce } from '../session/design-in-force.ts';
import {
  openSessionForReading,
  openSessionForWriting,
  readSavedSession,
  requireDecidedDesign,
  requireSession,
} from '../session/open-session.ts';
import type { StyledLine } from './colours.ts';
import { formatUserError, UsageError } from './io.ts';
import { InterruptedError, type ProcessIo } from './process-io.ts';
import {
  createRuntime,
  createSiteRuntime,
  createStepContext,
  getSiteDirectory,
  type Programs,
  type Runtime,
  readProgramVersion,
} from './runtime.ts';

type ErrorOutput = { readonly stderr: (text: string) => void };

/**
 * Reads the design of a file; null if it has errors, which are reported.
 * @throws UsageError if the file cannot be read
 */
export function readDesignFile(designFile: string, io: ErrorOutput): Design | null {
  let text: string;
  try {
    text = readInputFile(designFile);
  } catch (error) {
    throw new UsageError(describeUnreadableFile(designFile, error));
  }
  const { design, problems } = parseDesign(text);
  return verifyDesign(design, problems, designFile, io) ? design : null;
}

/** True for a design without errors; reports the errors of any other. */
export function verifyDesign(
  design: Design | null,
  problems: readonly Problem[],
  source: string,
  io: ErrorOutput,
): design is Design {
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (design !== null && errors.length === 0) return true;
  io.stderr(`${catalogue().cli.designErrors(sanitizeLine(source))}\n`);
  for (const { path, message, fix } of errors)
    io.stderr(`${words().target.problem(sanitizeLine(path), message, fix)}\n`);
  return false;
}

const words = () => catalogue().clusterCommands;

/** The options that select the cluster. */
export interface TargetOptions {
  /** The command takes neither `--design` nor `--kubeconfig`. */
  readonly isDirectoryOnly?: true;
  readonly dir?: string | undefined;
  readonly design?: string | undefined;
  readonly kubeconfig?: string | undefined;
}

/** The cluster that a command is about. */
export interface ClusterTarget extends ClusterContext {
  /** The screen where the session was left; null without a session. */
  readonly screen: string | null;
  /** The saved question that still has no answer; null if there is none. */
  readonly question: SavedQuestion | null;
  /** Replaces the saved question; does nothing without the lock. */
  readonly saveQuestion: (question: SavedQuestion | null) => void;
  /**
   * Reads the session again, without its lock; null: its design has errors now.
   * @throws UserErrorException `site-gone`, `session-…`
   */
  readonly reopen: () => Promise<ClusterTarget | null>;
}

/** Derives a design from a running cluster; null after it has reported why there is none. */
type ProposeDesign = (connect: ClusterTarget['connect']) => Promise<Design | null>;

/**
 * Finds the target of a command and runs the command.
 * @param requirements.isForWriting takes the lock of the install directory, because the command changes its session
 * @param requirements.probeCache results of earlier probes, for a command that opens its cluster repeatedly
 * @param requirements.isFilesOnly the command only reads the design and files: the site of a rehearsal may be stopped
 * @param requirements.hasScreen the command redraws the terminal, so nothing else may be printed while it runs
 * @param requirements.propose derives the design if only a kubeconfig is given; without it, that is an error
 * @returns the result of `action`; 3 if the design has errors; 4 for an error that it reports; the exit code of a
 * signal
 * @throws UsageError for wrong options and unreadable files
 */
export async function withClusterTarget(
  target: TargetOptions,
  io: ProcessIo,
  programs: Programs,
  action: (clusterTarget: ClusterTarget) => Promise<number>,
  requirements: {
    readonly isForWriting?: boolean;
    readonly program?: string;
    readonly probeCache?: ProbeCache;
    readonly propose?: ProposeDesign | null;
    readonly isFilesOnly?: boolean;
    readonly hasScreen?: boolean;
  } = {},
): Promise<number> {
  const { dir, design, kubeconfig } = target;
  const hasClusterOption = design !== undefined || kubeconfig !== undefined;
  if (hasClusterOption && dir !== undefined) throw new UsageError(words().target.conflictingTargets);
  const { propose = null } = requirements;
  const isIncomplete = hasClusterOption && (design === undefined || kubeconfig === undefined);
  if (isIncomplete && (propose === null || kubeconfig === undefined))
    throw new UsageError(words().target.incompleteTarget);
  const { probeCache = createProbeCache() } = requirements;
  const cleanups: (() => void)[] = [];
  let openedTarget: ClusterTarget | null = null;
  let reportPausedClock = (): Promise<void> => Promise.resolve();
  try {
    const clusterTarget =
      kubeconfig !== undefined
        ? await openFromFiles(
            resolve(io.cwd, kubeconfig),
            design === undefined ? propose : async () => readDesignFile(resolve(io.cwd, design), io),
            probeCache,
          )
        : await openFromSession(await resolveDirectory(dir, io), io, programs, {
            probeCache,
            isFilesOnly: requirements.isFilesOnly ?? false,
            isDirectoryNamed: dir !== undefined,
            onSite(site) {
              reportPausedClock = createPauseReporter(site, io);
              if (!requirements.hasScreen)
                cleanups.push(systemClock.startInterval(PAUSE_PROBE_INTERVAL_MS, () => void reportPausedClock()));
            },
            findSession: target.isDirectoryOnly ? requireSession : requireTargetSession,
            async takeLock(dir) {
              if (!requirements.isForWriting) return null;
              // Loaded only to write: scripts repeat read-only commands, which must stay fast.
              const { acquireLock } = await import('../../session/lock.ts');
              const lock = await acquireLock(
                dir,
                requirements.program ?? 'upi-wizard infra',
                readProgramVersion(programs),
              );
              cleanups.push(lock.release);
              (await import('../session/session-holder.ts')).servePeersOfProgram(lock, null);
              return lock;
            },
          });
    if (clusterTarget === null) return 3;
    openedTarget = clusterTarget;
    const exitCode = await action(clusterTarget);
    if (exitCode === 4) await reportPausedClock();
    return exitCode;
  } catch (error) {
    if (io.signal.reason instanceof InterruptedError) return io.signal.reason.exitCode;
    if (!(error instanceof UserErrorException)) throw error;
    const { userError } = error;
    const { createNotInstalledError } = await import('../../steps/status.ts');
    io.stderr(formatUserError((openedTarget && createNotInstalledError(openedTarget, userError)) ?? userError));
    return 4;
  } finally {
    setInstallDirectory(null);
    for (const cleanup of cleanups) cleanup();
  }
}

/** Formats the line by which the text of a command says that its site is simulated; none for a real one. */
export const formatRehearsalLine = (context: Pick<StepContext, 'clockAnchorFile'> | undefined): StyledLine[] =>
  context === undefined || context.clockAnchorFile === null
    ? []
    : [[{ text: words().target.rehearsal, token: 'accent' }]];

/** How often the simulated clock is read, in real ms: a command that takes longer probably waits for it. */
const PAUSE_PROBE_INTERVAL_MS = 2000;

/** Creates the function that prints, once, that the clock of the rehearsal is paused, if it is. */
function createPauseReporter(site: Pick<SiteClient, 'getStatus'>, { stderr }: ErrorOutput): () => Promise<void> {
  let isReported = false;
  return async () => {
    if (isReported) return;
    const status = await site.getStatus().catch(() => null);
    if (isReported || status?.speed !== 0) return;
    isReported = true;
    stderr(`${words().target.clockPaused}\n`);
  };
}

async function resolveDirectory(dir: string | undefined, io: ProcessIo): Promise<string> {
  if (dir !== undefined) return resolve(io.cwd, dir);
  return (await import('../../session/install-directories.ts')).findInstallDirectory(dir, io);
}

async function openFromFiles(
  kubeconfig: string,
  propose: ProposeDesign | null,
  probeCache: ProbeCache,
): Promise<ClusterTarget | null> {
  const connectFromFile = () => connectCluster({ kubeconfig, resolveEndpoint: directEndpoints, clock: systemClock });
  await connectFromFile().catch((error: unknown) => {
    if (!(error instanceof UserErrorException)) throw error;
    throw new UsageError(words().target.kubeconfig(sanitizeLine(error.userError.cause), error.userError.remedy));
  });
  const design = (await propose?.(connectFromFile)) ?? null;
  if (design === null) return null;
  const noQuestion = { question: null, saveQuestion: () => undefined };
  const emptySessionFields = { session: null, screen: null, stepState: createStepState({}), probeCache, ...noQuestion };
  const target: ClusterTarget = {
    design,
    clock: systemClock,
    resolveEndpoint: directEndpoints,
    connect: connectFromFile,
    ...emptySessionFields,
    reopen: async () => target,
  };
  return target;
}

/**
 * Reads the saved session.
 * @throws UsageError if there is none, with every way to name a cluster
 */
function requireTargetSession(dir: string): SessionState {
  const state = readSavedSession(dir);
  if (state === null) throw new UsageError(words().target.noSession(sanitizeLine(dir), existsSync(dir)));
  return state;
}

interface SessionOptions {
  readonly isFilesOnly: boolean;
  readonly isDirectoryNamed: boolean;
  readonly onSite: (site: SiteClient) => void;
  readonly takeLock: (dir: string) => Promise<SessionLock | null>;
  readonly findSession: (dir: string) => SessionState;
  readonly probeCache: ProbeCache;
}

async function openFromSession(
  dir: string,
  io: Pick<ProcessIo, 'stderr' | 'signal'>,
  programs: Programs,
  options: SessionOptions,
): Promise<ClusterTarget | null> {
  const { takeLock, findSession, probeCache, isFilesOnly, isDirectoryNamed, onSite } = options;
  // In a directory without a session nothing is created, not even a lock.
  const savedState = findSession(dir);
  setInstallDirectory(dir);
  const lock = await takeLock(dir);
  const { state, stepState, notices, saveQuestion } =
    lock === null
      ? openSessionForReading(dir, requireDecidedDesign(savedState, dir))
      : await openSessionForWriting(dir, lock);
  for (const notice of notices) io.stderr(formatUserError(notice));
  const { place, rehearsal } = state;
  const { design, problems, isLastValid } = getDesignInForce(state);
  if (!verifyDesign(design, problems, dir, io)) return null;
  if (!isDirectoryNamed) {
    const name = `${design.cluster.name}.${design.cluster.baseDomain}`;
    io.stderr(`${words().target.lastUsed(sanitizeLine(name), sanitizeLine(dir), rehearsal !== null)}\n`);
  }
  if (isLastValid) io.stderr(`${words().target.lastGood(sanitizeLine(dir))}\n`);
  const runtime =
    rehearsal === null
      ? createRuntime(dir)
      : await findSiteRuntime(getSiteDirectory(dir, rehearsal.siteDir), dir, {
          isFilesOnly,
          shouldRunClock: lock !== null,
          onSite,
        });
  const { filesDir, kubeconfig } = workspace(dir);
  if (isFromOtherDesign(filesDir, design)) io.stderr(`${words().target.otherDesign(filesDir)}\n`);
  return {
    design,
    clock: runtime.clock,
    resolveEndpoint: runtime.resolveEndpoint,
    stepState,
    probeCache,
    connect: () => connectCluster({ kubeconfig, resolveEndpoint: runtime.resolveEndpoint, clock: runtime.clock }),
    session: {
      context: createStepContext({
        runtime,
        programs,
        dir,
        base: dir,
        design,
        stepState,
        probeCache,
        signal: io.signal,
        ...(lock === null ? {} : { assertLockHeld: lock.assertHeld }),
      }),
    },
    screen: place.screen,
    question: state.question,
    saveQuestion,
    reopen: () =>
      openFromSession(dir, { signal: io.signal, stderr: () => undefined }, programs, {
        ...options,
        takeLock: async () => null,
        onSite: () => undefined,
      }),
  };
}

/**
 * Finds the runtime of a rehearsal.
 * @param isFilesOnly only its programs and files are needed, which exist even if the site is stopped
 * @param shouldRunClock the command changes the cluster and waits for it: a paused clock runs again
 * @throws UserErrorException `site-gone`
 */
async function findSiteRuntime(
  siteDir: string,
  dir: string,
  {
    isFilesOnly,
    shouldRunClock,
    onSite,
  }: { readonly isFilesOnly: boolean; readonly shouldRunClock: boolean; readonly onSite: (site: SiteClient) => void },
): Promise<Runtime> {
  // Loaded only for a rehearsal: the module can start processes and servers, and a real cluster needs neither.
  const { findSite, getSiteClockFile, getSiteFiles } = await import('../../rehearsal/site-client.ts');
  const site = await findSite(siteDir);
  if (site !== null && shouldRunClock && (await site.getStatus()).speed === 0) await site.setSpeed(site.speed);
  if (site !== null) onSite(site);
  // A wizard that waits for a key stops the clock of the site. The waits of this command go on at the usual speed.
  if (site !== null) return { ...createSiteRuntime(site), clock: createFileClock(site.clockAnchorFile, site.speed) };
  if (isFilesOnly)
    return { ...createRuntime(dir), ...getSiteFiles(siteDir), clockAnchorFile: getSiteClockFile(siteDir) };
  const { title, cause, remedy } = words().target.siteGone;
  throw new UserErrorException({
    code: 'site-gone',
    title,
    cause: cause(siteDir),
    remedy: remedy(formatCommandLine('rehearse', '--dir', dir)),
  });
}
