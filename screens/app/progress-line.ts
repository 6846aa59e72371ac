import { catalogue } from '../../src/i18n/catalogue.ts';
import { MINUTE } from '../../src/platform/clock.ts';
import type { AppFrameProps } from '../../src/ui/components/app-frame.tsx';
import { deriveInstallProgress } from '../../src/wizard/live/progress.ts';
import type { WizardState } from '../../src/wizard/state.ts';

/** In steps of five minutes: more precision would be misleading. */
const ROUNDING_MINUTES = 5;

/** Formats the progress of the whole installation for the frame: `35 min so far, usually 40-95 min more`. */
export function formatProgress(state: WizardState): AppFrameProps['progress'] {
  const progress = deriveInstallProgress(state);
  if (progress === null) return null;
  const words = catalogue().ui.progress;
  const spent = words.spent(catalogue().screens.age(progress.elapsed));
  if (progress.share === null) return { share: null, label: spent };
  const [minimum = 0, maximum = 0] = (progress.remaining ?? []).map(
    (ms) => Math.ceil(ms / MINUTE / ROUNDING_MINUTES) * ROUNDING_MINUTES,
  );
  const remaining =
    progress.remaining === null
      ? words.overdue
      : minimum < maximum && minimum > 0
        ? words.remaining(minimum, maximum)
        : words.remainingUpTo(maximum);
  return { share: progress.share, label: `${spent}, ${remaining}` };
}
