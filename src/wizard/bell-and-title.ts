import type { Design } from '../design/model.ts';
import { getAt } from '../design/paths.ts';
import { isDomain } from '../design/text-formats.ts';
import { parseMinorVersion } from '../design/versions.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { MINUTE } from '../platform/clock.ts';
import { STEP_IDS, type StepId } from '../steps/contract.ts';
import { isInProgress } from './live/step-run.ts';
import { isStep, type WizardState } from './state.ts';

/**
 * Minimum length of a wait whose end rings the bell: after a shorter one, the user is still present. Real time, also in
 * a rehearsal.
 */
const MIN_BELL_WAIT = MINUTE;

/** The long waits behind the bell and the window title, derived again at each change of the wizard's state. */
export interface LongWaits {
  /** Since when each step has waited or worked, ms of the user's clock. */
  readonly busySince: Readonly<Partial<Record<StepId, number>>>;
  /** The step whose long wait ended last, until a key is pressed; null: none. */
  readonly finishedStep: StepId | null;
}

/** The long waits before the first state: none. */
export const NO_LONG_WAITS: LongWaits = { busySince: {}, finishedStep: null };

/**
 * Derives the long waits after a change of the state.
 * @param now ms of the user's clock
 * @returns `shouldRing`: a long wait has just ended
 */
export function updateLongWaits(
  previousWaits: LongWaits,
  { runs }: Pick<WizardState, 'runs'>,
  now: number,
): { readonly longWaits: LongWaits; readonly shouldRing: boolean } {
  const busySince: Partial<Record<StepId, number>> = {};
  let finishedStep: StepId | null = null;
  for (const id of STEP_IDS) {
    const startedAt = previousWaits.busySince[id];
    if (isInProgress(runs[id])) busySince[id] = startedAt ?? now;
    else if (startedAt !== undefined && now - startedAt > MIN_BELL_WAIT && runs[id].phase !== 'asking')
      finishedStep = id;
  }
  const isSame = STEP_IDS.every((id) => busySince[id] === previousWaits.busySince[id]);
  if (isSame) return { longWaits: previousWaits, shouldRing: false };
  return {
    longWaits: { busySince, finishedStep: finishedStep ?? previousWaits.finishedStep },
    shouldRing: finishedStep !== null,
  };
}

/**
 * Returns name and base domain of the cluster for titles. While the typed ones are invalid: those of the design, or
 * empty texts.
 */
export function getTitleCluster({ document, design }: WizardState): Design['cluster'] {
  const name = getAt(document, 'cluster.name');
  const baseDomain = getAt(document, 'cluster.baseDomain');
  const isValid = typeof name === 'string' && typeof baseDomain === 'string' && isDomain(`${name}.${baseDomain}`);
  return isValid ? { name, baseDomain } : (design?.cluster ?? { name: '', baseDomain: '' });
}

/** Returns the OpenShift version for titles: that in force while the typed one is invalid; empty if there is none. */
export function getTitleVersion({ document, inForce }: WizardState): string {
  const version = String(getAt(document, 'openshift.version') ?? '');
  return parseMinorVersion(version) === null ? (inForce?.design.openshift.version ?? '') : version;
}

/**
 * Returns the title of the window: the cluster, the screen, and the phase that a user in another window needs to know.
 */
export function formatWindowTitle(state: WizardState, { finishedStep }: LongWaits): string {
  const { screens, rehearsal, ui } = catalogue();
  const screen = finishedStep ?? state.screen;
  const phase = isStep(screen) ? screens.windowPhases[state.runs[screen].phase] : '';
  return screens.windowTitle({
    program: ui.product,
    mark: state.welcome.rehearsal === null ? '' : rehearsal.mark,
    cluster: getTitleCluster(state).name,
    screen: screens.sidebar[screen],
    phase,
  });
}
