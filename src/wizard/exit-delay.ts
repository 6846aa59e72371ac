import { SCREEN_IDS, type WizardState } from './state.ts';
import type { Update } from './update-result.ts';

/** Whether the last step is done, and shown: Enter leaves the wizard. */
function isAtEnd({ screen, runs }: WizardState): boolean {
  return screen === SCREEN_IDS.at(-1) && runs.report.phase === 'done';
}

/**
 * An Enter that was meant for the previous step, or for a report that was still being written, does not leave the
 * wizard (and end the site of a rehearsal): at the end, Enter leaves only after a moment.
 */
export function delayExitAtEnd(before: WizardState, update: Update): Update {
  if (isAtEnd(before) || !isAtEnd(update.state)) return update;
  return { state: { ...update.state, isEndJustReached: true }, effects: [...update.effects, { type: 'rest-at-end' }] };
}
