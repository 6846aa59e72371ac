import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { connect } from '../cluster/client.ts';
import type { Design, Problem } from '../design/model.ts';
import { checkDocument, parseDesign } from '../design/parse.ts';
import { systemClock } from '../ports/clock.ts';
import { directReach } from '../ports/reach.ts';
import { loadSession, sessionFile } from '../session/load.ts';
import { acquireLock } from '../session/lock.ts';
import type { SessionState } from '../session/state.ts';
import { droppedFacts, memoryOver, parseFacts, type StepMemory } from '../steps/facts.ts';
import { newRecollection, type Recollection } from '../steps/recollection.ts';
import { isOfAnotherDesign } from '../steps/shared/files/made-from.ts';
import type { LiveCluster } from '../steps/shared/live-cluster.ts';
import { workspace } from '../steps/shared/workspace.ts';
import { catalogue, commandLine } from '../text/catalogue.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { type Trouble, TroubleError } from '../text/trouble.ts';
import { Interrupted, type LiveIo } from './live-io.ts';
import { troubleText } from './trouble-text.ts';
import { UsageError } from './usage.ts';
import { type Programs, realWorld, siteWorld, stepContext, type World } from './world.ts';

const words = () => catalogue().live;

/** The options that say which cluster is meant, for parseArgs. */
export const TARGET_OPTIONS = {
  dir: { type: 'string' },
  design: { type: 'string' },
  kubeconfig: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

export interface Target {
  readonly dir?: string | undefined;
  readonly design?: string | undefined;
  readonly kubeconfig?: string | undefined;
}

/** The cluster that a command is about. */
export interface Live extends LiveCluster {
  /** Where the session was left; null without one. */
  readonly screen: string | null;
}

/**
 * Finds what a command is about and runs it.
 * @param needs.writes takes the lock of the install directory, because the command changes its session
 * @param needs.recollection what earlier looks saw, for a command that opens its cluster time and again
 * @returns what `act` returns; 3 when the design has errors; 4 for a trouble, which it reports; the code of a signal
 * @throws UsageError for wrong options and files that cannot be read
 */
export async function withLive(
  target: Target,
  io: LiveIo,
  programs: Programs,
  act: (live: Live) => Promise<number>,
  needs: { readonly writes?: boolean; readonly recollection?: Recollection } = {},
): Promise<number> {
  const { dir, design, kubeconfig } = target;
  const isNamed = design !== undefined || kubeconfig !== undefined;
  if (isNamed && dir !== undefined) throw new UsageError(words().target.both);
  if (isNamed && (design === undefined || kubeconfig === undefined)) throw new UsageError(words().target.half);
  const { recollection = newRecollection() } = needs;
  const release: (() => void)[] = [];
  try {
    const live =
      design !== undefined && kubeconfig !== undefined
        ? await fromFiles(resolve(io.cwd, design), resolve(io.cwd, kubeconfig), io, recollection)
        : await fromSession(await directoryOf(dir, io), io, programs, {
            recollection,
            take(dir) {
              if (needs.writes) release.push(acquireLock(dir).release);
              return needs.writes === true;
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
  const { configDirectory, defaultDirectory } = await import('../session/directories.ts');
  return defaultDirectory(io.cwd, configDirectory({ ...io.env }));
}

async function fromFiles(
  designFile: string,
  kubeconfig: string,
  io: LiveIo,
  recollection: Recollection,
): Promise<Live | null> {
  let text: string;
  try {
    text = readFileSync(designFile, 'utf8');
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UsageError(words().target.unreadable(sanitizeLine(designFile), sanitizeLine(why)));
  }
  const { design, problems } = parseDesign(text);
  if (!isGood(design, problems, designFile, io)) return null;
  const open = () => connect({ kubeconfig, reach: directReach, clock: systemClock });
  await open().catch((error: unknown) => {
    if (!(error instanceof TroubleError)) throw error;
    throw new UsageError(words().target.kubeconfig(sanitizeLine(error.trouble.cause), error.trouble.whatToDo));
  });
  const unsaved = { session: null, screen: null, memory: memoryOver({}), recollection };
  return { design, clock: systemClock, reach: directReach, connect: open, ...unsaved };
}

async function fromSession(
  dir: string,
  io: LiveIo,
  programs: Programs,
  { take, recollection }: { readonly take: (dir: string) => boolean; readonly recollection: Recollection },
): Promise<Live | null> {
  if (!existsSync(sessionFile(dir))) throw new UsageError(words().target.noSession(sanitizeLine(dir)));
  const { state, memory, notices } = take(dir) ? await openToWrite(dir) : await openToRead(dir);
  for (const notice of notices) io.stderr(troubleText(notice));
  const { design: document, place, rehearsal } = state;
  const { design, problems } = checkDocument(document, true);
  if (!isGood(design, problems, dir, io)) return null;
  const world = rehearsal === null ? realWorld(dir) : await worldOfSite(rehearsal.siteDir, dir);
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
      context: stepContext({ world, programs, dir, base: dir, design, memory, recollection, signal: io.signal }),
    },
    screen: place.screen,
  };
}

interface Opened {
  readonly state: SessionState;
  readonly memory: StepMemory;
  readonly notices: readonly Trouble[];
}

/** Loads the code that saves a session, which takes as long as a look: only for the holder of its lock. */
async function openToWrite(dir: string): Promise<Opened> {
  const [{ openSaved }, { openSession }] = await Promise.all([import('./saved.ts'), import('../session/store.ts')]);
  const saved = openSaved(openSession(dir));
  return { state: saved.current(), memory: saved.memory, notices: saved.notices };
}

/** Saves nothing, since it lacks the lock: facts that a step notes last until the command ends. */
async function openToRead(dir: string): Promise<Opened> {
  const state = loadSession(dir);
  // Nobody has decided anything yet: the example counts.
  if (state.design === null || state.design === undefined) return await openToWrite(dir);
  const { facts, dropped } = parseFacts(state.memory);
  return { state, memory: memoryOver(facts), notices: droppedFacts(dropped) };
}

async function worldOfSite(siteDir: string, dir: string): Promise<World> {
  // This module can start processes and serve; a look at a real cluster needs none of that.
  const { findSite } = await import('../rehearsal/site-client.ts');
  const site = await findSite(siteDir);
  if (site !== null) return siteWorld(site);
  const { title, cause, whatToDo } = words().target.siteGone;
  throw new TroubleError({
    code: 'site-gone',
    title,
    cause: cause(siteDir),
    whatToDo: whatToDo(commandLine('rehearse', '--dir', dir)),
  });
}

/** True for a design without errors; reports the errors of any other. */
function isGood(design: Design | null, problems: readonly Problem[], where: string, io: LiveIo): design is Design {
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (design !== null && errors.length === 0) return true;
  io.stderr(`${words().target.designErrors(sanitizeLine(where))}\n`);
  for (const { path, message, fix } of errors) io.stderr(`${words().target.problem(path, message, fix)}\n`);
  return false;
}
