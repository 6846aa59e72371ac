import { catalogue } from '../../i18n/catalogue.ts';
import { toUserError, type UserError } from '../../i18n/user-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { AnyStep, StepContext, StepId } from '../../steps/contract.ts';
import type { Event } from '../intents.ts';
import type { WizardState } from '../state.ts';
import { isInProgress } from './step-run.ts';

/** The services that a probe uses. */
export interface ProbeServices {
  /** The clock of the site. */
  readonly clock: Clock;
  readonly steps: Readonly<Record<StepId, AnyStep>>;
  /** Creates the context in which steps act; null while the design has errors. */
  readonly createContext: (state: WizardState, signal: AbortSignal) => StepContext | null;
  /** When the first machine was powered on, ms of the clock; null before that. */
  readonly firstPowerOnAt?: () => number | null;
  /** Records whether the last probe found a step done. */
  readonly recordStepEnd?: (id: StepId, isDone: boolean) => void;
  /** Returns 0 to 1, for the jitter of the pauses. */
  readonly random: () => number;
}

/** The services of the prober: also the state, and the receiver of events. */
interface StepProberServices extends ProbeServices {
  readonly getState: () => WizardState | undefined;
  readonly dispatch: (event: Event) => void;
  /** Aborted when the program ends. */
  readonly exitSignal: AbortSignal;
}

/** Probes steps: one probe at a time for each, repeated while the step waits for something. */
interface StepProber {
  /** Probes now, or right after the running probe. */
  watch(id: StepId): Promise<void>;
  /** Discards the result of a running probe, because it predates an action. */
  invalidate(id: StepId): void;
}

/** A waiting step that is not on the screen is probed less often: every 10 s instead of 3 s. */
const OFF_SCREEN_PAUSE_FACTOR = 10 / 3;
/** Varies each pause by this share, so that many sessions do not probe one API in step. */
const PAUSE_JITTER = 0.2;

/** The maximum age of the time on the screen at the start or end of a probe (ms of the clock). */
const MAX_CLOCK_AGE = 5000;

/** Creates the error for a session whose answers are no valid design any more. */
export const createNoDesignError = (): UserError => ({
  code: 'design-errors',
  title: catalogue().screens.step.needsDesign,
  cause: catalogue().screens.step.noDesign,
  remedy: catalogue().screens.step.needsDesignFix,
});

/** Creates the prober. A step is not probed before its first `watch`. */
export function createStepProber(services: StepProberServices): StepProber {
  const { clock, steps, createContext, random, getState, dispatch, exitSignal } = services;
  const watchedSteps = new Set<StepId>();
  const requestedSteps = new Set<StepId>();
  const pauseControllers = new Map<StepId, AbortController>();
  const invalidatedSteps = new Set<StepId>();
  let lastTick = Number.NEGATIVE_INFINITY;
  const tick = (now: number) => {
    lastTick = now;
    dispatch({ type: 'clock/ticked', now, firstPowerOnAt: services.firstPowerOnAt?.() ?? null });
  };

  /**
   * Probes the step, and repeats that while the step waits for something. While another screen is shown, the prober
   * repeats less often, but still updates events and the sidebar.
   */
  async function watch(id: StepId): Promise<void> {
    requestedSteps.add(id);
    pauseControllers.get(id)?.abort();
    if (watchedSteps.has(id)) return;
    watchedSteps.add(id);
    while (requestedSteps.delete(id)) {
      const pauseMs = await probeOnce(id);
      if (pauseMs !== null && !requestedSteps.has(id) && (await waitForNextProbe(id, pauseMs))) requestedSteps.add(id);
    }
    watchedSteps.delete(id);
  }

  /**
   * Probes once. Returns the pause before the next probe (ms of the clock), or null if there is nothing to wait for.
   */
  async function probeOnce(id: StepId): Promise<number | null> {
    const currentState = getState();
    if (!currentState || exitSignal.aborted) return null;
    const context = createContext(currentState, exitSignal);
    if (!context) {
      dispatch({ type: 'step/failed', step: id, during: 'probe', userError: createNoDesignError() });
      return null;
    }
    const step = steps[id];
    const startedAt = clock.now();
    invalidatedSteps.delete(id);
    // Each tick redraws the screen, so there is none while the time on the screen is recent enough.
    if (startedAt - lastTick > MAX_CLOCK_AGE) tick(startedAt);
    let isDone = false;
    const stateBeforeProbe = getState();
    try {
      const result = await step.probe(context);
      const { probe } = result;
      const plan = probe.state === 'needed' || probe.state === 'blocked' ? await result.plan() : null;
      services.recordStepEnd?.(id, probe.state === 'done');
      // Probing continues while a repair is awaited: a lost node may come back, or the user replaces it elsewhere.
      isDone = probe.state === 'done' && probe.awaitsRepair !== true;
      // A probe from before the action ended would offer the action again. The next probe has already been requested.
      if (!invalidatedSteps.has(id)) {
        const isSuperseded = requestedSteps.has(id);
        dispatch({ type: 'step/probed', step: id, probe, plan, ...(isSuperseded ? { isSuperseded } : {}) });
      }
    } catch (error) {
      dispatch({ type: 'step/failed', step: id, during: 'probe', userError: toUserError(error) });
    }
    const endedAt = clock.now();
    if (getState() !== stateBeforeProbe || endedAt - lastTick > MAX_CLOCK_AGE) tick(endedAt);
    // A slow probe is not repeated without a pause: probes take at most half of the time.
    return step.probeIntervalMs === null || isDone ? null : Math.max(step.probeIntervalMs, endedAt - startedAt);
  }

  /** Waits for the pause. Returns whether the step is then still on the screen, or waits for something. */
  async function waitForNextProbe(id: StepId, pauseMs: number): Promise<boolean> {
    const pauseController = new AbortController();
    const endSignal = AbortSignal.any([pauseController.signal, exitSignal]);
    const sleep = (sleepMs: number) => clock.sleep(sleepMs, endSignal).catch(() => undefined);
    pauseControllers.set(id, pauseController);
    const durationMs = pauseMs * (1 + PAUSE_JITTER * (2 * random() - 1));
    await sleep(durationMs);
    if (!endSignal.aborted && !isOnScreen(id) && isStepInProgress(id))
      await sleep(durationMs * (OFF_SCREEN_PAUSE_FACTOR - 1));
    pauseControllers.delete(id);
    return !exitSignal.aborted && (isOnScreen(id) || isStepInProgress(id));
  }

  const isOnScreen = (id: StepId) => getState()?.screen === id;

  function isStepInProgress(id: StepId): boolean {
    const run = getState()?.runs[id];
    return run !== undefined && isInProgress(run);
  }

  return { watch, invalidate: (id) => void invalidatedSteps.add(id) };
}
