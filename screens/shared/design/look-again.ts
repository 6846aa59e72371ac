import { catalogue } from '../../../src/text/catalogue.ts';
import { toLookAgain } from '../../../src/wizard/live/look-again.ts';
import type { Notice, WizardState } from '../../../src/wizard/state.ts';

/** The finished steps that a changed answer makes uncertain, before a person leaves the page; null where there are none. @param most so many are named */
export function lookAgainNotice(state: WizardState, most = Number.POSITIVE_INFINITY): Notice | null {
  const names = toLookAgain(state).map((id) => catalogue().screens.rail[id]);
  return names.length === 0
    ? null
    : {
        kind: 'info',
        text: catalogue().pages.lookAgain(names.slice(0, most).join(', '), Math.max(0, names.length - most)),
      };
}
