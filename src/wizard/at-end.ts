import { SCREEN_IDS, type WizardState } from './state.ts';
import type { Update } from './update-result.ts';

/** Whether the last step is done, and shown: Enter leaves. */
function isAtEnd({ screen, runs }: WizardState): boolean {
  return screen === SCREEN_IDS.at(-1) && runs.report.phase === 'done';
}

/**
 * The Enter that was meant for the step before, or for a report that was still being written, does not leave the wizard (and end
 * the site of a rehearsal): whoever comes to the end has a moment before Enter means that.
 */
export function comingToEnd(before: WizardState, made: Update): Update {
  if (isAtEnd(before) || !isAtEnd(made.state)) return made;
  return { state: { ...made.state, isJustOver: true }, effects: [...made.effects, { type: 'rest-at-end' }] };
}
