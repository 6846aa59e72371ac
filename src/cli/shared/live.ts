import { resolve } from 'node:path';
import { connect } from '../../cluster/client.ts';
import type { Design } from '../../design/model.ts';
import { systemClock } from '../../ports/clock.ts';
import { directReach } from '../../ports/reach.ts';
import type { SessionLock } from '../../session/lock.ts';
import type { SavedQuestion, SessionState } from '../../session/state.ts';
import { memoryOver } from '../../steps/facts.ts';
import { newRecollection, type Recollection } from '../../steps/recollection.ts';
import { isOfAnotherDesign } from '../../steps/shared/files/made-from.ts';
import type { LiveCluster } from '../../steps/shared/live-cluster.ts';
import { workspace } from '../../steps/shared/workspace.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { TroubleError } from '../../text/trouble.ts';
import { worldOfSite } from '../rehearse/world-of-site.ts';
import { designInForce } from '../session/in-force.ts';
import { decided, openToRead, openToWrite } from '../session/open-session.ts';
import { neededSession, savedSession } from '../session/saved-session.ts';
import { designIn, isGood } from './design-file.ts';
import { Interrupted, type LiveIo } from './live-io.ts';
import { troubleText } from './trouble-text.ts';
import { UsageError } from './usage.ts';
import { type Programs, realWorld, siteDirectory, stepContext, versionOf } from './world.ts';

const words = () => catalogue().live;

/** The options that say which cluster is meant, for parseArgs. */
export const TARGET_OPTIONS = {
  dir: { type: 'string' },
  design: { type: 'string' },
  kubeconfig: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

export interface Target {
  /** The command takes no `--design` and `--kubeconfig`. */
  readonly isDirectoryOnly?: true;
  readonly dir?: string | undefined;
  readonly design?: string | undefined;
  readonly kubeconfig?: string | undefined;
}

/** The cluster that a command is about. */
export interface Live extends LiveCluster {
  /** Where the session was left; null without one. */
  readonly screen: string | null;
  /** The saved question that nobody has answered; null where there is none. */
  readonly question: SavedQuestion | null;
  /** Saves another question in its place; does nothing without the lock. */
  readonly keepQuestion: (question: SavedQuestion | null) => void;
}

/** Finds a design by what a cluster has. Null: it reported why there is none. */
type Propose = (connect: Live['connect']) => Promise<Design | null>;

/**
 * Finds what a command is about and runs it.
 * @param needs.writes takes the lock of the install directory, because the command changes its session
 * @param needs.recollection what earlier looks saw, for a command that opens its cluster time and again
 * @param needs.isOfFiles it reads the design and files, and neither asks nor changes anything else: a rehearsal's site may be stopped
 * @param needs.propose finds the design where only a kubeconfig is given; without it, that is refused
 * @returns what `act` returns; 3 when the design has errors; 4 for a trouble, which it reports; the code of a signal
 * @throws UsageError for wrong options and files that cannot be read
 */
export async function withLive(
  target: Target,
  io: LiveIo,
  programs: Programs,
  act: (live: Live) => Promise<number>,
  needs: {
    readonly writes?: boolean;
    readonly program?: string;
    readonly recollection?: Recollection;
    readonly propose?: Propose | null;
    readonly isOfFiles?: boolean;
  } = {},
): Promise<number> {
  const { dir, design, kubeconfig } = target;
  const isNamed = design !== undefined || kubeconfig !== undefined;
  if (isNamed && dir !== undefined) throw new UsageError(words().target.both);
  const { propose = null } = needs;
  const isHalf = isNamed && (design === undefined || kubeconfig === undefined);
  if (isHalf && (propose === null || kubeconfig === undefined)) throw new UsageError(words().target.half);
  const { recollection = newRecollection() } = needs;
  const release: (() => void)[] = [];
  try {
    const live =
      kubeconfig !== undefined
        ? await fromFiles(
            resolve(io.cwd, kubeconfig),
            design === undefined ? propose : async () => designIn(resolve(io.cwd, design), io),
            recollection,
          )
        : await fromSession(await directoryOf(dir, io), io, programs, {
            recollection,
            isOfFiles: needs.isOfFiles ?? false,
            find: target.isDirectoryOnly ? neededSession : foundSession,
            async take(dir) {
              if (!needs.writes) return null;
              // Loaded only to write: a look is repeated by scripts and must stay quick.
              const { acquireLock } = await import('../../session/lock.ts');
              const lock = await acquireLock(dir, needs.program ?? 'upi-wizard infra', versionOf(programs));
              release.push(lock.release);
              (await import('../session/holding.ts')).holdProgram(lock, null);
              return lock;
            },
          });
    return live === null ? 3 : await act(live);
  } catch (error) {
    if (io.signal.reason instanceof Interrupted) return io.signal.reason.exitCode;
    if (!(error instanceof TroubleError)) throw error;
    io.stderr(troubleText(error.trouble));
    return 4;
  } finally {
    for (const undo of release) undo();
  }
}

async function directoryOf(dir: string | undefined, io: LiveIo): Promise<string> {
  if (dir !== undefined) return resolve(io.cwd, dir);
  const { configDirectory, defaultDirectory } = await import('../../session/directories.ts');
  return defaultDirectory(io.cwd, configDirectory({ ...io.env }));
}

async function fromFiles(kubeconfig: string, find: Propose | null, recollection: Recollection): Promise<Live | null> {
  const open = () => connect({ kubeconfig, reach: directReach, clock: systemClock });
  await open().catch((error: unknown) => {
    if (!(error instanceof TroubleError)) throw error;
    throw new UsageError(words().target.kubeconfig(sanitizeLine(error.trouble.cause), error.trouble.whatToDo));
  });
  const design = (await find?.(open)) ?? null;
  if (design === null) return null;
  const noQuestion = { question: null, keepQuestion: () => undefined };
  const unsaved = { session: null, screen: null, memory: memoryOver({}), recollection, ...noQuestion };
  return { design, clock: systemClock, reach: directReach, connect: open, ...unsaved };
}

/** @throws UsageError where there is none, with every way to name a cluster */
function foundSession(dir: string): SessionState {
  const state = savedSession(dir);
  if (state === null) throw new UsageError(words().target.noSession(sanitizeLine(dir)));
  return state;
}

async function fromSession(
  dir: string,
  io: LiveIo,
  programs: Programs,
  {
    take,
    find,
    recollection,
    isOfFiles,
  }: {
    readonly isOfFiles: boolean;
    readonly take: (dir: string) => Promise<SessionLock | null>;
    readonly find: (dir: string) => SessionState;
    readonly recollection: Recollection;
  },
): Promise<Live | null> {
  // Nothing is made in a directory that has no session, a lock neither.
  const found = find(dir);
  const lock = await take(dir);
  const { state, memory, notices, keepQuestion } =
    lock === null ? openToRead(decided(found, dir)) : await openToWrite(dir, lock);
  for (const notice of notices) io.stderr(troubleText(notice));
  const { place, rehearsal } = state;
  const { design, problems, isLastGood } = designInForce(state);
  if (!isGood(design, problems, dir, io)) return null;
  if (isLastGood) io.stderr(`${words().target.lastGood(sanitizeLine(dir))}\n`);
  const world =
    rehearsal === null ? realWorld(dir) : await worldOfSite(siteDirectory(dir, rehearsal.siteDir), dir, isOfFiles);
  const { files, kubeconfig } = workspace(dir);
  if (isOfAnotherDesign(files, design)) io.stderr(`${words().target.otherDesign(files)}\n`);
  return {
    design,
    clock: world.clock,
    reach: world.reach,
    memory,
    recollection,
    connect: () => connect({ kubeconfig, reach: world.reach, clock: world.clock }),
    session: {
      context: stepContext({
        world,
        programs,
        dir,
        base: dir,
        design,
        memory,
        recollection,
        signal: io.signal,
        ...(lock === null ? {} : { check: lock.check }),
      }),
    },
    screen: place.screen,
    question: state.question,
    keepQuestion,
  };
}
