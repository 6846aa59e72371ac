import { accessSync, constants, existsSync } from 'node:fs';
import { catalogue, formatCommandLine } from '../../i18n/catalogue.ts';
import { type UserError, UserErrorException } from '../../i18n/user-error.ts';
import { ensureDirectory } from '../../platform/files.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import type { SessionLock } from '../../session/lock.ts';
import { createUnusableDirectoryError, findDirectoryProblem, readSession } from '../../session/session-file.ts';
import { freshState, type SavedQuestion, type SessionState } from '../../session/state.ts';
import { mergeJobFacts } from '../../steps/shared/moves/move-run.ts';
import { createStepState, describeDroppedFacts, parseFacts, type StepState } from '../../steps/step-state.ts';
import { UsageError } from '../shared/io.ts';
import { isPastReview } from './design-in-force.ts';

/**
 * Reads the session of an install directory; null if none was saved.
 * @throws UsageError if the path cannot be an install directory; UserErrorException `session-…`
 */
export function readSavedSession(dir: string): SessionState | null {
  try {
    return readSession(dir);
  } catch (error) {
    if (!(error instanceof UserErrorException && error.userError.code.startsWith('directory-'))) throw error;
    const { title, cause, remedy } = error.userError;
    throw new UsageError(`${title}: ${sanitizeLine(cause)} ${remedy}`);
  }
}

/** Creates the error of a command that has only `--dir` to name a session, and finds none there. */
export const createNoSessionError = (dir: string): UsageError =>
  new UsageError(catalogue().holder.commands.noSession(sanitizeLine(dir), existsSync(dir)));

/**
 * Reads the session for a command that needs one and has only `--dir` to name it.
 * @throws UsageError also if none was saved
 */
export function requireSession(dir: string): SessionState {
  const state = readSavedSession(dir);
  if (state === null) throw createNoSessionError(dir);
  return state;
}

const words = () => catalogue().clusterCommands;

/** A saved session as a command uses it. */
interface OpenedSession {
  readonly state: SessionState;
  readonly stepState: StepState;
  readonly notices: readonly UserError[];
  readonly saveQuestion: (question: SavedQuestion | null) => void;
}

/**
 * Returns the saved state if the user has decided the design. Commands evaluate and apply only a decided design, never
 * the example that every new session begins with.
 * @throws UserErrorException `session-…`, `design-undecided`
 */
export function requireDecidedDesign(state: SessionState, dir: string): SessionState {
  const isDecided = state.inForce !== null || isPastReview(state);
  if (state.design !== null && isDecided) return state;
  const { title, cause, remedy } = words().target.undecided;
  throw new UserErrorException({
    code: 'design-undecided',
    title,
    cause: cause(sanitizeLine(dir)),
    remedy: remedy(formatCommandLine('--dir', dir)),
  });
}

/**
 * Opens a session for the holder of its lock. Loading the code that saves sessions takes as long as a probe, so
 * read-only commands do without it.
 */
export async function openSessionForWriting(dir: string, lock: SessionLock): Promise<OpenedSession> {
  const [{ openWorkingSession }, { openSession }] = await Promise.all([
    import('./working-session.ts'),
    import('../../session/session.ts'),
  ]);
  const { addLockCheck } = await import('../../session/lock.ts');
  // Only the wizard recovers damaged state, because its user sees what was recovered.
  const session = openWorkingSession({
    ...addLockCheck(openSession(dir), lock),
    load: () => requireDecidedDesign(readSavedSession(dir) ?? freshState, dir),
  });
  const saveQuestion = (question: SavedQuestion | null) => session.update({ question });
  return { state: session.getState(), stepState: session.stepState, notices: session.notices, saveQuestion };
}

/** Opens a session read-only, without its lock: facts that a step records last until the command ends. */
export function openSessionForReading(dir: string, state: SessionState): OpenedSession {
  const { facts, droppedKeys } = parseFacts(state.memory);
  const stepState = createStepState(facts);
  mergeJobFacts({ dir, stepState });
  return {
    state,
    stepState,
    notices: describeDroppedFacts(droppedKeys),
    saveQuestion: () => undefined,
  };
}

/**
 * Returns an install directory that can be used; creates it if it is missing.
 * @throws UserErrorException `directory-…` if it cannot be used
 */
export function ensureUsableDirectory(dir: string): string {
  const problem = findDirectoryProblem(dir);
  if (problem) throw new UserErrorException(problem);
  try {
    ensureDirectory(dir);
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new UserErrorException(createUnusableDirectoryError(dir, error));
  }
  return dir;
}
