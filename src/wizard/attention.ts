import { MINUTE } from '../ports/clock.ts';
import { STEP_IDS, type StepId } from '../steps/contract.ts';
import { catalogue } from '../text/catalogue.ts';
import { getAt } from './design/document.ts';
import type { StepRun } from './live/step-run.ts';
import { isStep, type WizardState } from './state.ts';

/** A wait that ended at once needs no bell: the person was there. Real time, also in a rehearsal. */
const LONG = MINUTE;

/** What calls a person back, as it is between two states. */
export interface Attention {
  /** Since when each step has waited or worked, ms of the person's clock. */
  readonly since: Readonly<Partial<Record<StepId, number>>>;
  /** The step whose long wait ended last, until a key is pressed. */
  readonly called: StepId | null;
}

export const CALM: Attention = { since: {}, called: null };

/**
 * What calls a person back after a change of the state; `isNew`: ring for it.
 * @param now ms of the person's clock
 */
export function attentionAfter(
  before: Attention,
  { runs }: Pick<WizardState, 'runs'>,
  now: number,
): { readonly attention: Attention; readonly isNew: boolean } {
  const since: Partial<Record<StepId, number>> = {};
  let called: StepId | null = null;
  for (const id of STEP_IDS) {
    const began = before.since[id];
    if (isBusy(runs[id])) since[id] = began ?? now;
    else if (began !== undefined && now - began > LONG && runs[id].phase !== 'asking') called = id;
  }
  const isSame = STEP_IDS.every((id) => since[id] === before.since[id]);
  if (isSame) return { attention: before, isNew: false };
  return { attention: { since, called: called ?? before.called }, isNew: called !== null };
}

/** The title of the window: which cluster, where in it, and what a person who looks elsewhere wants to know. */
export function titleOf(state: WizardState, { called }: Attention): string {
  const { screens, rehearsal, ui } = catalogue();
  const shown = called ?? state.screen;
  const phase = isStep(shown) ? screens.windowPhases[state.runs[shown].phase] : '';
  return screens.windowTitle({
    program: ui.product,
    mark: state.welcome.rehearsal === null ? '' : rehearsal.mark,
    cluster: String(getAt(state.document, 'cluster.name') ?? ''),
    place: screens.rail[shown],
    phase,
  });
}

function isBusy({ phase }: StepRun): boolean {
  return phase === 'watching' || phase === 'applying';
}
