import { exampleDesign } from '../../design/example.ts';
import { cloudDesign } from '../../design/example-cloud.ts';
import { readSource } from '../../design/source.ts';
import type { Session, SessionState } from '../../session/store.ts';
import { droppedFacts, memoryOver, parseFacts, type StepMemory } from '../../steps/facts.ts';
import { newRecollection, type Recollection } from '../../steps/recollection.ts';
import type { Trouble } from '../../text/trouble.ts';
import type { Document } from '../../wizard/design/document.ts';

/** The saved state while a front end works with it: one object that all parts change and that is saved as a whole. */
export interface Saved {
  /** What to tell the person about loading. */
  readonly notices: readonly Trouble[];
  readonly memory: StepMemory;
  readonly recollection: Recollection;
  /** True when there was a saved state to go on from. */
  readonly isResumed: boolean;
  readonly current: () => SessionState;
  /** Changes parts of the state and saves it. */
  readonly update: (change: Partial<SessionState>) => void;
}

/**
 * Loads the saved state, or begins with the example.
 * @throws TroubleError `session-newer`, `session-unwritable`
 */
export function openSaved(session: Session): Saved {
  const loaded = session.load();
  const isResumed = loaded.design !== null && loaded.design !== undefined;
  const { facts, dropped } = parseFacts(loaded.memory);
  let state: SessionState = isResumed ? loaded : { ...loaded, design: exampleDocument() };
  const update = (change: Partial<SessionState>) => {
    state = { ...state, ...change, memory: facts };
    session.save(state);
  };
  return {
    notices: [...session.notices(), ...droppedFacts(dropped)],
    memory: memoryOver(facts, () => update({})),
    recollection: newRecollection(),
    isResumed,
    current: () => state,
    update,
  };
}

/** The documented example: what every new installation starts from, so that Enter all the way gives a site that works. */
export function exampleDocument(): Document {
  return readSource(exampleDesign({})).document;
}

/** The cluster that runs when a rehearsal on a cloud begins. */
export function cloudDocument(): Document {
  return readSource(cloudDesign()).document;
}
