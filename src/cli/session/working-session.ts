import { cloudDesign, exampleDesign } from '../../design/example.ts';
import { readSource } from '../../design/source.ts';
import type { UserError } from '../../i18n/user-error.ts';
import type { SessionState } from '../../session/state.ts';

import type { Session } from '../../session/store.ts';
import { createProbeCache, type ProbeCache } from '../../steps/probe-cache.ts';
import { createStepState, describeDroppedFacts, parseFacts, type StepState } from '../../steps/step-state.ts';
import type { DesignDocument } from '../../wizard/design/document.ts';

/** The saved state while a front end works with it: one object that all parts change and that is saved as a whole. */
export interface WorkingSession {
  /** Messages for the user about loading. */
  readonly notices: readonly UserError[];
  readonly stepState: StepState;
  readonly probeCache: ProbeCache;
  /** True if a saved state was loaded. */
  readonly isResumed: boolean;
  readonly current: () => SessionState;
  /** Changes parts of the state and saves it. */
  readonly update: (change: Partial<SessionState>) => void;
}

/**
 * Loads the saved state, or starts with the example.
 * @throws UserErrorException `session-newer`, `session-unwritable`
 */
export function openWorkingSession(session: Session): WorkingSession {
  const loaded = session.load();
  const isResumed = loaded.design !== null && loaded.design !== undefined;
  const { facts, dropped } = parseFacts(loaded.memory);
  let state: SessionState = isResumed ? loaded : { ...loaded, design: createExampleDocument() };
  const update = (change: Partial<SessionState>) => {
    state = { ...state, ...change, memory: facts };
    session.save(state);
  };
  return {
    notices: [...session.notices(), ...describeDroppedFacts(dropped)],
    stepState: createStepState(facts, () => update({})),
    probeCache: createProbeCache(),
    isResumed,
    current: () => state,
    update,
  };
}

/**
 * Creates the documented example, with which every new installation starts: accepting every answer gives a working
 * design.
 */
export function createExampleDocument(): DesignDocument {
  return readSource(exampleDesign({})).document;
}

/** Creates the design of the cluster that runs when a rehearsal on a cloud begins. */
export function createCloudDocument(): DesignDocument {
  return readSource(cloudDesign()).document;
}
