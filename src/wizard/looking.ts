import type { StepId } from '../steps/contract.ts';
import { catalogue } from '../text/catalogue.ts';
import { asTrouble, type Trouble } from '../text/trouble.ts';
import type { EffectServices } from './effects.ts';
import type { Event } from './intents.ts';
import type { WizardState } from './state.ts';

/** What looking at the world takes. */
export interface LookingServices extends Pick<EffectServices, 'clock' | 'steps' | 'contextOf' | 'random'> {
  readonly state: () => WizardState | undefined;
  readonly tell: (event: Event) => void;
  /** Aborted when the program ends. */
  readonly leaving: AbortSignal;
}

/** The looks of all steps: one at a time for each, and again as long as there is something to wait for. */
export interface Looking {
  /** Looks now; while a look is under way, right after it. */
  watch(id: StepId): Promise<void>;
  /** What a look that is under way will have seen is from before something was done. */
  outdate(id: StepId): void;
}

/** A step that nobody looks at, but that waits for something, is looked at this much less often: 10 s for 3 s. */
const HIDDEN = 10 / 3;
/** Looks of many sessions at one API must not fall into step: each pause is up to this much shorter or longer. */
const JITTER = 0.2;

/** How old the time on the screen may be when a look begins, or ends without news (ms of the clock). */
const TICK = 5000;

/** The answers of a session may have been edited until they are no design any more. */
export const withoutDesign = (): Trouble => ({
  code: 'design-errors',
  title: catalogue().screens.step.needsDesign,
  cause: catalogue().screens.step.noDesign,
  whatToDo: catalogue().screens.step.needsDesignFix,
});

/** The looks over these services; a step is not looked at before it is watched for the first time. */
export function createLooking(services: LookingServices): Looking {
  const { clock, steps, contextOf, random, state, tell, leaving } = services;
  const watching = new Set<StepId>();
  const askedAgain = new Set<StepId>();
  const pauses = new Map<StepId, AbortController>();
  const outdated = new Set<StepId>();
  let ticked = Number.NEGATIVE_INFINITY;
  const tick = (now: number) => {
    ticked = now;
    tell({ type: 'clock/ticked', now });
  };

  /**
   * Looks at the world, then again and again while there is something to wait for: often while a person watches, less often
   * while the screen is another one, so that what happens meanwhile has its time and the rail is true.
   */
  async function watch(id: StepId): Promise<void> {
    askedAgain.add(id);
    pauses.get(id)?.abort();
    if (watching.has(id)) return;
    watching.add(id);
    while (askedAgain.delete(id)) {
      const pause = await lookOnce(id);
      if (pause !== null && !askedAgain.has(id) && (await rest(id, pause))) askedAgain.add(id);
    }
    watching.delete(id);
  }

  /** One look. Answers how long to wait for the next one (ms of the clock), or null when there is nothing to wait for. */
  async function lookOnce(id: StepId): Promise<number | null> {
    const current = state();
    if (!current || leaving.aborted) return null;
    const context = contextOf(current, leaving);
    if (!context) {
      tell({ type: 'step/failed', step: id, during: 'look', trouble: withoutDesign() });
      return null;
    }
    const step = steps[id];
    const began = clock.now();
    outdated.delete(id);
    // Each tick draws the screen: that of the look before is young enough, unless there was none for a while.
    if (began - ticked > TICK) tick(began);
    let isDone = false;
    const before = state();
    try {
      const seen = await step.look(context);
      const { probe } = seen;
      const plan = probe.state === 'needed' || probe.state === 'blocked' ? await seen.plan() : null;
      isDone = probe.state === 'done';
      // What was seen from before the act ended would offer it once more; the look that follows it is under way.
      if (!outdated.has(id)) tell({ type: 'step/looked', step: id, probe, plan });
    } catch (error) {
      tell({ type: 'step/failed', step: id, during: 'look', trouble: asTrouble(error) });
    }
    const ended = clock.now();
    if (state() !== before || ended - ticked > TICK) tick(ended);
    // A look that takes long is not repeated without a rest: at most half of the time goes into looking.
    return step.lookEvery === null || isDone ? null : Math.max(step.lookEvery, ended - began);
  }

  /** Waits; true when the step is to be looked at then: it is on the screen, or it waits for something. */
  async function rest(id: StepId, ms: number): Promise<boolean> {
    const pause = new AbortController();
    const ended = AbortSignal.any([pause.signal, leaving]);
    const sleep = (length: number) => clock.sleep(length, ended).catch(() => undefined);
    pauses.set(id, pause);
    const length = ms * (1 + JITTER * (2 * random() - 1));
    await sleep(length);
    if (!ended.aborted && !isWatched(id) && isUnderWay(id)) await sleep(length * (HIDDEN - 1));
    pauses.delete(id);
    return !leaving.aborted && (isWatched(id) || isUnderWay(id));
  }

  const isWatched = (id: StepId) => state()?.screen === id;

  function isUnderWay(id: StepId): boolean {
    const phase = state()?.runs[id].phase;
    return phase === 'watching' || phase === 'applying';
  }

  return { watch, outdate: (id) => void outdated.add(id) };
}
