import type { SessionLock } from '../../session/lock.ts';
import { freshState, type SavedQuestion, type SessionState } from '../../session/state.ts';
import { droppedFacts, memoryOver, parseFacts, type StepMemory } from '../../steps/facts.ts';
import { catalogue, commandLine } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { type Trouble, TroubleError } from '../../text/trouble.ts';
import { isPastReview } from './in-force.ts';
import { savedSession } from './saved-session.ts';

const words = () => catalogue().live;

/** A saved session as a command works with it. */
interface Opened {
  readonly state: SessionState;
  readonly memory: StepMemory;
  readonly notices: readonly Trouble[];
  readonly keepQuestion: (question: SavedQuestion | null) => void;
}

/**
 * The saved state, where a person has decided the design. Nothing but a decided design is judged or acted by: never the
 * example that every new session begins with.
 * @throws TroubleError `session-…`, `design-undecided`
 */
export function decided(state: SessionState, dir: string): SessionState {
  const isDecided = state.inForce !== null || isPastReview(state);
  if (state.design !== null && isDecided) return state;
  const { title, cause, whatToDo } = words().target.undecided;
  throw new TroubleError({
    code: 'design-undecided',
    title,
    cause: cause(sanitizeLine(dir)),
    whatToDo: whatToDo(commandLine('--dir', dir)),
  });
}

/** Loads the code that saves a session, which takes as long as a look: only for the holder of its lock. */
export async function openToWrite(dir: string, lock: SessionLock): Promise<Opened> {
  const [{ openSaved }, { openSession }] = await Promise.all([import('./saved.ts'), import('../../session/store.ts')]);
  const { guarded } = await import('../../session/lock.ts');
  // Only the wizard recovers what is damaged, where a person sees what was recovered.
  const saved = openSaved({
    ...guarded(openSession(dir), lock),
    load: () => decided(savedSession(dir) ?? freshState, dir),
  });
  const keepQuestion = (question: SavedQuestion | null) => saved.update({ question });
  return { state: saved.current(), memory: saved.memory, notices: saved.notices, keepQuestion };
}

/** Saves nothing, since it lacks the lock: facts that a step notes last until the command ends. */
export function openToRead(state: SessionState): Opened {
  const { facts, dropped } = parseFacts(state.memory);
  return { state, memory: memoryOver(facts), notices: droppedFacts(dropped), keepQuestion: () => undefined };
}
