import { catalogue } from '../../i18n/catalogue.ts';
import { REBOOT } from '../../platform/manual-actions.ts';
import type { StepId } from '../../steps/contract.ts';
import type { InfraView } from '../../steps/infra.ts';
import type { InputOf } from '../intents.ts';
import { getScreenIndex, isStep, type RehearsalPace, type WizardState } from '../state.ts';
import { createTextField, editText, type TextFieldState } from '../text-input.ts';
import { type Update, withoutEffects } from '../update-result.ts';
import { getOpenPrompt, hasGivenUp, isInProgress, type StepRun } from './step-run.ts';

/** The speeds that the keys select, as multiples of real time. The command line accepts any other speed. */
const SPEEDS = [1, 5, 15, 30, 60, 120, 240] as const;

/** Returns the next speed upwards (`by` 1) or downwards (-1); the same speed at either end. */
export function getNextSpeed(speed: number, by: 1 | -1): number {
  const nextSpeed =
    by > 0 ? SPEEDS.find((candidate) => candidate > speed) : SPEEDS.findLast((candidate) => candidate < speed);
  return nextSpeed ?? speed;
}

/** Handles an input about the rehearsal; in a real installation, nothing changes. */
export function updateRehearsal(state: WizardState, input: InputOf<'rehearsal'>): Update {
  const currentPace = state.welcome.rehearsal;
  if (currentPace === null) return withoutEffects(state);
  switch (input.type) {
    case 'rehearsal/speed': {
      const speed = getNextSpeed(currentPace.speed, input.by);
      const { state: nextState, effects } = setPace(state, currentPace, { speed, isPaused: false });
      // While the clock waits, nothing else on the page shows the new speed.
      const text = catalogue().rehearsal.paceWhileHeld(speed);
      return { state: isClockHeld(state) ? { ...nextState, notice: { kind: 'info', text } } : nextState, effects };
    }
    case 'rehearsal/pause':
      return setPace(state, currentPace, { ...currentPace, isPaused: !currentPace.isPaused });
    case 'rehearsal/repair':
      return { state: { ...state, overlay: null }, effects: [{ ...input, type: 'simulate-repair' }] };
    case 'rehearsal/refused':
      return withoutEffects({
        ...withPace(state, input.previousPace),
        notice: { kind: 'error', text: input.message },
      });
  }
}

/**
 * Whether the user reads or answers something over the page, or only has to go on: the simulated clock then stands
 * still, so that nothing happens unseen. A page that is still being prepared needs the clock.
 */
export function isClockHeld(state: WizardState): boolean {
  const { welcome, overlay, screen, runs } = state;
  if (welcome.rehearsal === null) return false;
  if (overlay !== null) return overlay.kind !== 'page' || (overlay.page !== null && overlay.isPending !== true);
  if (!isStep(screen)) return false;
  const prompt = getOpenPrompt(runs[screen]);
  return prompt === null ? isOnlyEnterAwaited(state, screen) : prompt.confirmation !== 'reading';
}

/**
 * Whether nothing goes on until Enter: the furthest step is done, or the infra moves wait for their start, and no other
 * step is in progress. A step that is probed again needs the clock. So does the last one, after which the user goes on
 * with commands.
 */
function isOnlyEnterAwaited({ runs, furthestScreenIndex, screens }: WizardState, screen: StepId): boolean {
  const { phase, isRechecking } = runs[screen];
  const isSettled = phase === 'done' || (screen === 'infra' && areMovesAwaitingStart(runs.infra));
  const isStepInProgress = Object.values(runs).some(isInProgress);
  const isFurthest = getScreenIndex(screen) >= furthestScreenIndex && screen !== screens.at(-1);
  return isSettled && !isRechecking && isFurthest && !isStepInProgress;
}

/** Whether infra moves are to do, and none of them still goes on in the cluster. */
function areMovesAwaitingStart(run: StepRun): boolean {
  if (run.phase !== 'ready' || run.probe.state !== 'needed' || run.probe.job !== undefined) return false;
  return (run.probe.view as InfraView).moves.every(({ state }) => state !== 'moving');
}

/** Holds or releases the simulated clock after an input, as `isClockHeld` requires for the new state. */
export function syncClockHold(previousState: WizardState, update: Update): Update {
  const isNowHeld = isClockHeld(update.state);
  if (isNowHeld === isClockHeld(previousState)) return update;
  return { ...update, effects: [...update.effects, { type: 'hold-clock', isHeld: isNowHeld }] };
}

/** Handles an input to the overlay for the directory of the real installation. */
export function updateInstall(state: WizardState, input: InputOf<'install'>): Update {
  const { overlay } = state;
  if (input.type === 'install/open') {
    const isRehearsal = state.welcome.rehearsal !== null;
    return withoutEffects(
      isRehearsal ? openInstallOverlay(state, createTextField(suggestInstallDir(state.welcome.dir))) : state,
    );
  }
  if (overlay?.kind !== 'install') return withoutEffects(state);
  switch (input.type) {
    case 'install/edit':
      return withoutEffects(openInstallOverlay(state, editText(overlay.editor, input.event)));
    case 'install/enter':
      return { state, effects: [{ type: 'start-installation', dir: overlay.editor.text.trim() }] };
    case 'install/refused':
      return withoutEffects(openInstallOverlay(state, overlay.editor, input.message));
    case 'install/started':
      return {
        state: { ...state, leaveReason: 'install' },
        effects: [{ type: 'save' }, { type: 'leave', reason: 'install' }],
      };
  }
}

function openInstallOverlay(state: WizardState, editor: TextFieldState, refusal: string | null = null): WizardState {
  return { ...state, overlay: { kind: 'install', editor, refusal } };
}

/** Returns the usual name of an install directory, beside the directory of the rehearsal. */
const suggestInstallDir = (dir: string) => dir.replace(/[^/]*\/*$/, 'upi-cluster');

function setPace(state: WizardState, previousPace: RehearsalPace, newPace: RehearsalPace): Update {
  return { state: withPace(state, newPace), effects: [{ type: 'set-pace', previousPace, newPace }] };
}

function withPace(state: WizardState, rehearsal: RehearsalPace): WizardState {
  return { ...state, welcome: { ...state.welcome, rehearsal } };
}

/**
 * Describes a repair that the rehearsal has simulated, and how the page on the screen goes on.
 * @param leavesFirstFinding whether the first finding of the diagnosis is another one
 */
export function describeRepair(
  { welcome, screen, runs }: WizardState,
  repair: string,
  leavesFirstFinding = false,
): string {
  const stoppedContinuation = isStep(screen) && hasGivenUp(runs[screen]) ? 'gaveUp' : 'stopped';
  const continuation =
    welcome.rehearsal?.isPaused === true
      ? 'paused'
      : leavesFirstFinding
        ? 'firstRemains'
        : isStep(screen) && isInProgress(runs[screen])
          ? 'waits'
          : stoppedContinuation;
  const { rebooted, repaired } = catalogue().rehearsal;
  return repair === REBOOT ? rebooted(continuation) : repaired(repair, continuation);
}
