import type { Clock } from '../ports/clock.ts';
import type { Brief, BriefedAction, Page, Report, StepId } from '../steps/contract.ts';
import { haveAct } from '../steps/shared/acts.ts';
import { catalogue } from '../text/catalogue.ts';
import { asTrouble, type Trouble } from '../text/trouble.ts';
import { createFileEffects, type FileServices } from './file-effects.ts';
import type { Effect, Event } from './intents.ts';
import { createLooking, type LookServices, withoutDesign } from './live/looking.ts';
import type { Leaving, Rehearsal, Surroundings, WizardState } from './state.ts';

/** The services that the effects use. */
export interface EffectServices extends LookServices, FileServices {
  /** The time of the person. */
  readonly wallClock: Pick<Clock, 'now' | 'sleep'>;
  /** Saves the answers and the place; when it returns they survive a kill. Throws when they cannot be saved. */
  readonly save: (state: WizardState) => void;
  /** Looks at this machine and what was done on it; absent where nobody shows that. */
  readonly lookAround?: (state: WizardState) => Promise<Surroundings>;
  /** Lets the time of the rehearsal run at this pace; absent in life. */
  readonly setPace?: (pace: Rehearsal) => Promise<void>;
  /** Makes the directory of a real installation with the answers of this rehearsal; absent in life. */
  readonly beginInstallation?: (dir: string, state: WizardState) => Promise<void>;
  /** Asks the terminal to take a text into its clipboard. */
  readonly copy: (text: string) => void;
  readonly leave: (how: Leaving) => void;
}

/** The side of the wizard that touches the world: runs the effects of an update, and reports to the store. */
export interface Effects {
  readonly perform: (effect: Effect) => void;
  /** Gives the effects the store they report to. */
  readonly attach: (store: { getState: () => WizardState; dispatch: (event: Event) => void }) => void;
  /** Stops looking and aborts what runs. */
  readonly stop: () => void;
}

/** How long the cursor rests before its place is saved (ms): tabbing through a page writes to the disk once. */
const REST = 1000;
/** How long a person takes to see that this is the end, over a slow line too (ms of the person's time). */
const SEEN_AFTER = 1000;
/** How often this machine is looked at while the welcome is shown (ms of the person's time). */
const AROUND_EVERY = 15_000;

function pageOf({ title, cause, whatToDo }: Trouble): Page {
  return { title, lines: [cause, whatToDo] };
}

/**
 * The effects over these services. They report to the attached store, and to nobody once they were stopped.
 */
export function createEffects(services: EffectServices): Effects {
  const { clock, steps } = services;
  const leaving = new AbortController();
  const running = new Map<StepId, AbortController>();
  let isPlaceDue = false;
  let isLookingAround = false;
  let store: { getState: () => WizardState; dispatch: (event: Event) => void } | null = null;

  const tell = (event: Event) => {
    if (!leaving.signal.aborted) store?.dispatch(event);
  };
  const state = () => store?.getState();
  const looking = createLooking({ ...services, state, tell, leaving: leaving.signal });

  const files = createFileEffects({ services, state, tell });

  async function run(effect: Extract<Effect, { type: 'run' }>): Promise<void> {
    const { step: id, action, subject } = effect;
    const current = state();
    if (!current || running.has(id)) return;
    const cancelling = new AbortController();
    const context = services.contextOf(current, AbortSignal.any([leaving.signal, cancelling.signal]));
    if (!context) return tell({ type: 'step/failed', step: id, during: 'run', trouble: withoutDesign() });
    running.set(id, cancelling);
    const step = steps[id];
    const report: Report = (line, part) => tell({ type: 'step/reported', step: id, line, ...(part ? { part } : {}) });
    try {
      await haveAct(step, context, { action, subject, shown: current.runs[id].plan }, report);
      running.delete(id);
      looking.outdate(id);
      tell({ type: 'step/applied', step: id });
    } catch (error) {
      running.delete(id);
      // Whatever the act reports on its way out, a person stopped it: that is no failure.
      if (cancelling.signal.aborted) {
        looking.outdate(id);
        tell({ type: 'step/cancelled', step: id });
      } else tell({ type: 'step/failed', step: id, during: 'run', trouble: asTrouble(error) });
    }
  }

  /** One that fails says why in its place. */
  async function brief(id: StepId, action: BriefedAction, subject: string | null): Promise<void> {
    const current = state();
    const context = current && services.contextOf(current, leaving.signal);
    const question = catalogue().screens.step.question[action](subject ?? catalogue().steps.titles[id]);
    const plain = (lines: readonly string[]): Brief => ({ question, lines, instead: [] });
    try {
      const told = context ? await steps[id].brief?.(context, subject, action) : undefined;
      tell({ type: 'step/briefed', step: id, action, subject, brief: told ?? plain([]) });
    } catch (error) {
      const { lines, title } = pageOf(asTrouble(error));
      tell({ type: 'step/briefed', step: id, action, subject, brief: plain([title, ...lines]) });
    }
  }

  /** A page that fails says why in its place. */
  async function show(id: StepId, subject: string): Promise<void> {
    const current = state();
    const context = current && services.contextOf(current, leaving.signal);
    try {
      const page = context ? await steps[id].show?.(context, subject) : undefined;
      if (page) tell({ type: 'step/shown', step: id, subject, page });
      else tell({ type: 'step/shown', step: id, subject, page: pageOf(withoutDesign()) });
    } catch (error) {
      tell({ type: 'step/shown', step: id, subject, page: pageOf(asTrouble(error)) });
    }
  }

  /** What is wrong with the installation, whatever the screen is about. */
  async function diagnose(): Promise<void> {
    const current = state();
    const context = current && services.contextOf(current, leaving.signal);
    if (!context) return tell({ type: 'diagnosis/made', page: pageOf(withoutDesign()) });
    try {
      // It reads much that no screen needs: loaded when it is asked for.
      const { diagnosisPage } = await import('../steps/diagnose/index.ts');
      tell({ type: 'diagnosis/made', page: await diagnosisPage(context) });
    } catch (error) {
      tell({ type: 'diagnosis/made', page: pageOf(asTrouble(error)) });
    }
  }

  /** While the welcome is shown. Tells only what is new: every event draws the screen. */
  async function lookAround(): Promise<void> {
    if (services.lookAround === undefined || isLookingAround) return;
    isLookingAround = true;
    for (let current = state(); current?.screen === 'welcome' && !leaving.signal.aborted; current = state()) {
      const around = await services.lookAround(current).catch(() => null);
      if (around !== null && JSON.stringify(around) !== JSON.stringify(state()?.welcome.around))
        tell({ type: 'welcome/looked', around });
      await services.wallClock.sleep(AROUND_EVERY, leaving.signal).catch(() => undefined);
    }
    isLookingAround = false;
  }

  /** In the time of people, however fast a rehearsal plays. */
  async function restAtEnd(): Promise<void> {
    await services.wallClock.sleep(SEEN_AFTER, leaving.signal).catch(() => undefined);
    tell({ type: 'end/rested' });
  }

  async function setPace({ before, after }: Extract<Effect, { type: 'set-pace' }>): Promise<void> {
    try {
      await services.setPace?.(after);
    } catch (error) {
      const { title, cause, whatToDo } = asTrouble(error);
      tell({ type: 'rehearsal/refused', before, said: `${title}: ${cause} ${whatToDo}` });
    }
  }

  async function beginInstallation(dir: string): Promise<void> {
    const current = state();
    if (!current) return;
    try {
      await services.beginInstallation?.(dir, current);
      tell({ type: 'install/begun' });
    } catch (error) {
      const { title, cause, whatToDo } = asTrouble(error);
      tell({ type: 'install/refused', said: `${title}: ${cause} ${whatToDo}` });
    }
  }

  async function savePlace(): Promise<void> {
    if (isPlaceDue) return;
    isPlaceDue = true;
    await clock.sleep(REST, leaving.signal).catch(() => undefined);
    isPlaceDue = false;
    if (!leaving.signal.aborted) save();
  }

  function save(): void {
    const current = state();
    if (!current) return;
    try {
      services.save(current);
      tell({ type: 'session/saved', at: services.wallClock.now() });
    } catch (error) {
      tell({ type: 'session/save-failed', trouble: asTrouble(error) });
    }
  }

  return {
    perform(effect) {
      switch (effect.type) {
        case 'save':
          return save();
        case 'copy':
          return services.copy(effect.text);
        case 'write-commands':
          return void files.writeCommands(effect.lines);
        case 'save-place':
          return void savePlace();
        case 'judge-credentials':
          return void files.judgeCredentials();
        case 'make-ssh-key':
          return void files.makeSshKey();
        case 'begin-installation':
          return void beginInstallation(effect.dir);
        case 'set-pace':
          return void setPace(effect);
        case 'keep-pasted':
          return void files.keepPasted(effect);
        case 'import':
          return void files.offerImport(effect.path);
        case 'keep-imported':
          return void files.keepImported(effect.path);
        case 'look':
          return void looking.watch(effect.step);
        case 'look-around':
          return void lookAround();
        case 'rest-at-end':
          return void restAtEnd();
        case 'run':
          void run(effect);
          return void looking.watch(effect.step);
        case 'brief':
          return void brief(effect.step, effect.action, effect.subject);
        case 'show':
          return void show(effect.step, effect.subject);
        case 'diagnose':
          return void diagnose();
        case 'cancel':
          return running.get(effect.step)?.abort();
        case 'leave':
          // A save that failed on the way out has cancelled the leaving.
          return state()?.isLeaving === null ? undefined : services.leave(effect.how);
      }
    },
    attach: (attached) => {
      store = attached;
    },
    stop: () => leaving.abort(),
  };
}
