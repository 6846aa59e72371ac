import { catalogue } from '../../../src/i18n/catalogue.ts';
import { listOutdatedSteps } from '../../../src/wizard/live/progress.ts';
import type { Notice, WizardState } from '../../../src/wizard/state.ts';

/**
 * A notice that names the finished steps that a changed answer affects, shown before the user leaves the page. Null:
 * there are none.
 * @param maxNames maximum number of names; the rest is counted
 */
export function createRecheckNotice(state: WizardState, maxNames = Number.POSITIVE_INFINITY): Notice | null {
  const names = listOutdatedSteps(state).map((id) => catalogue().screens.sidebar[id]);
  return names.length === 0
    ? null
    : {
        kind: 'info',
        text: catalogue().pages.affectedSteps(
          names.slice(0, maxNames).join(', '),
          Math.max(0, names.length - maxNames),
        ),
      };
}
