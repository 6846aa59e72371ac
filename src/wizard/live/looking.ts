import type { Clock } from '../../ports/clock.ts';
import type { AnyStep, StepContext, StepId } from '../../steps/contract.ts';
import { catalogue } from '../../text/catalogue.ts';
import { asTrouble, type Trouble } from '../../text/trouble.ts';
import type { Event } from '../intents.ts';
import type { WizardState } from '../state.ts';

/** The services that a look uses. */
export interface LookServices {
  /** The time of the site. */
  readonly clock: Clock;
  readonly steps: Readonly<Record<StepId, AnyStep>>;
  /** The world the steps act on; null while the design has errors. */
  readonly contextOf: (state: WizardState, signal: AbortSignal) => StepContext | null;
  /** When the first machine was powered on, ms of the clock; null before that. */
  readonly begunAt?: () => number | null;
  /** 0 to 1, for the jitter of the pauses. */
  readonly random: () => number;
}

/** What looking needs besides: the state, and whom to tell. */
interface LookingServices extends LookServices {
  readonly state: () => WizardState | undefined;
  readonly tell: (event: Event) => void;
  /** Aborted when the program ends. */
  readonly leaving: AbortSignal;
}

/** The looks of all steps: one at a time for each, and again as long as there is something to wait for. */
export interface Looking {
  /** Looks now, or right after a look that is under way. */
  watch(id: StepId): Promise<void>;
  /** The result of a look that is under way predates something that was done: drop it. */
  outdate(id: StepId): void;
}

/** How much less often to look at a waiting step that is not on the screen: every 10 s instead of 3 s. */
const HIDDEN = 10 / 3;
/** Looks of many sessions at one API must not fall into step: each pause is up to this much shorter or longer. */
const JITTER = 0.2;

/** How old the time on the screen may be when a look begins, or ends without news (ms of the clock). */
const TICK = 5000;

/** A person may have edited the answers of a session until they are no design any more. */
export const withoutDesign = (): Trouble => ({
  code: 'design-errors',
  title: catalogue().screens.step.needsDesign,
  cause: catalogue().screens.step.noDesign,
  whatToDo: catalogue().screens.step.needsDesignFix,
});

/** The looks over these services; no look at a step before the first `watch`. */
export function createLooking(services: LookingServices): Looking {
  const { clock, steps, contextOf, random, state, tell, leaving } = services;
  const watching = new Set<StepId>();
  const askedAgain = new Set<StepId>();
  const pauses = new Map<StepId, AbortController>();
  const outdated = new Set<StepId>();
  let ticked = Number.NEGATIVE_INFINITY;
  const tick = (now: number) => {
    ticked = now;
    tell({ type: 'clock/ticked', now, begunAt: services.begunAt?.() ?? null });
  };

  /**
   * Looks at the world, then again and again while there is something to wait for: often while a person watches, less
   * often while another screen is shown, so that events get their time and the rail stays true.
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

  /** One look. Returns how long to wait for the next one (ms of the clock), or null: nothing to wait for. */
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
    // Each tick draws the screen: the time of the look before is recent enough, unless it is long ago.
    if (began - ticked > TICK) tick(began);
    let isDone = false;
    const before = state();
    try {
      const seen = await step.look(context);
      const { probe } = seen;
      const plan = probe.state === 'needed' || probe.state === 'blocked' ? await seen.plan() : null;
      isDone = probe.state === 'done';
      // A look from before the act ended would offer the act once more; the look that follows it is under way.
      if (!outdated.has(id)) tell({ type: 'step/looked', step: id, probe, plan });
    } catch (error) {
      tell({ type: 'step/failed', step: id, during: 'look', trouble: asTrouble(error) });
    }
    const ended = clock.now();
    if (state() !== before || ended - ticked > TICK) tick(ended);
    // A slow look is not repeated without a rest: looking takes at most half of the time.
    return step.lookEvery === null || isDone ? null : Math.max(step.lookEvery, ended - began);
  }

  /** Waits; true when it is then time to look: the step is on the screen, or it waits for something. */
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
