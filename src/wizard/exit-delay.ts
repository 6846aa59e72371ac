import { SCREEN_IDS, type WizardState } from './state.ts';
import type { Update } from './update-result.ts';

/** Whether the last step is done, and shown: Enter leaves the wizard. */
function isAtEnd({ screen, runs }: WizardState): boolean {
  return screen === SCREEN_IDS.at(-1) && runs.report.phase === 'done';
}

/**
 * Delays the exit at the end: there, Enter leaves the wizard only after a moment. An Enter meant for the previous step,
 * or for a report still being written, must not leave it and end a rehearsal's site.
 */
export function delayExitAtEnd(previousState: WizardState, update: Update): Update {
  if (isAtEnd(previousState) || !isAtEnd(update.state)) return update;
  return { state: { ...update.state, isEndJustReached: true }, effects: [...update.effects, { type: 'wait-at-end' }] };
}
