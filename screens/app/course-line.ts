import { MINUTE } from '../../src/ports/clock.ts';
import { catalogue } from '../../src/text/catalogue.ts';
import type { AppFrameProps } from '../../src/ui/components/app-frame.tsx';
import { courseOf } from '../../src/wizard/live/course.ts';
import type { WizardState } from '../../src/wizard/state.ts';

/** In steps of five minutes: more would promise what nobody knows. */
const ROUND = 5;

/** How far the whole installation is, for the frame: `35 min so far, usually 40-95 min more`. */
export function courseLine(state: WizardState): AppFrameProps['course'] {
  const course = courseOf(state);
  if (course === null) return null;
  const words = catalogue().ui.course;
  const spent = words.spent(catalogue().screens.age(course.spent));
  if (course.share === null) return { share: null, says: spent };
  const [least = 0, most = 0] = (course.rest ?? []).map((ms) => Math.ceil(ms / MINUTE / ROUND) * ROUND);
  const rest =
    course.rest === null ? words.long : least < most && least > 0 ? words.rest(least, most) : words.short(most);
  return { share: course.share, says: `${spent}, ${rest}` };
}
