import { catalogue } from '../i18n/catalogue.ts';
import { MINUTE } from '../platform/clock.ts';
import { STEP_IDS, type StepId } from '../steps/contract.ts';
import { getAt } from './design/document.ts';
import type { StepRun } from './live/step-run.ts';
import { isStep, type WizardState } from './state.ts';

/** A wait that ended at once needs no bell: the user was present. Real time, also in a rehearsal. */
const MIN_WAIT = MINUTE;

/** The state that calls the user back, kept between two states of the wizard. */
export interface Attention {
  /** Since when each step has waited or worked, ms of the user's clock. */
  readonly since: Readonly<Partial<Record<StepId, number>>>;
  /** The step whose long wait ended last, until a key is pressed. */
  readonly finishedStep: StepId | null;
}

export const NO_ATTENTION: Attention = { since: {}, finishedStep: null };

/**
 * Derives the attention after a change of the state; `isNew`: ring the bell.
 * @param now ms of the user's clock
 */
export function deriveAttention(
  before: Attention,
  { runs }: Pick<WizardState, 'runs'>,
  now: number,
): { readonly attention: Attention; readonly isNew: boolean } {
  const since: Partial<Record<StepId, number>> = {};
  let finishedStep: StepId | null = null;
  for (const id of STEP_IDS) {
    const startedAt = before.since[id];
    if (isBusy(runs[id])) since[id] = startedAt ?? now;
    else if (startedAt !== undefined && now - startedAt > MIN_WAIT && runs[id].phase !== 'asking') finishedStep = id;
  }
  const isSame = STEP_IDS.every((id) => since[id] === before.since[id]);
  if (isSame) return { attention: before, isNew: false };
  return { attention: { since, finishedStep: finishedStep ?? before.finishedStep }, isNew: finishedStep !== null };
}

/**
 * Returns the title of the window: the cluster, the screen, and the phase that a user in another window needs to know.
 */
export function formatWindowTitle(state: WizardState, { finishedStep }: Attention): string {
  const { screens, rehearsal, ui } = catalogue();
  const screen = finishedStep ?? state.screen;
  const phase = isStep(screen) ? screens.windowPhases[state.runs[screen].phase] : '';
  return screens.windowTitle({
    program: ui.product,
    mark: state.welcome.rehearsal === null ? '' : rehearsal.mark,
    cluster: String(getAt(state.document, 'cluster.name') ?? ''),
    place: screens.sidebar[screen],
    phase,
  });
}

function isBusy({ phase }: StepRun): boolean {
  return phase === 'watching' || phase === 'applying';
}
