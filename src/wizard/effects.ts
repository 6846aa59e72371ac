import { isDeepStrictEqual } from 'node:util';
import { convertErrorToFinding } from '../checks/check.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { toUserError, type UserError } from '../i18n/user-error.ts';
import type { Clock } from '../platform/clock.ts';
import { REBOOT } from '../platform/manual-actions.ts';
import {
  type Confirmation,
  type ItemProgress,
  type Page,
  type PreviewedAction,
  type ProgressReporter,
  type StepId,
  StopRequest,
} from '../steps/contract.ts';
import { recordReboot } from '../steps/shared/machines/node-facts.ts';
import { runStepAction } from '../steps/shared/run-step-action.ts';
import { parseAction, parseTarget } from '../steps/step-action.ts';
import { createFileEffects, type FileServices, formatErrorLine } from './file-effects.ts';
import type { Effect, Event } from './intents.ts';
import { listFatalFindings } from './live/likely-cause.ts';
import { createNoDesignError, createStepProber, type ProbeServices } from './live/step-prober.ts';
import { describeRepair } from './live/update-rehearsal.ts';
import {
  getPageRules,
  isStep,
  type LeaveReason,
  type MachineOverview,
  type RehearsalPace,
  type WizardState,
} from './state.ts';

/** The services that the effects use. */
export interface EffectServices extends ProbeServices, FileServices {
  /** Real time for the user, also in a rehearsal. */
  readonly wallClock: Pick<Clock, 'now' | 'sleep'>;
  /**
   * Saves the answers and the position of the cursor. Once it has returned, they survive a kill. Throws if they cannot
   * be saved.
   */
  readonly save: (state: WizardState) => void;
  /** Probes this host and its installations; absent if the front end does not show them. */
  readonly probeThisHost?: (state: WizardState) => Promise<MachineOverview>;
  /** Sets the speed of the rehearsal's clock, or pauses it for the user; absent outside a rehearsal. */
  readonly setPace?: (pace: RehearsalPace) => Promise<void>;
  /** Stops the rehearsal's clock, or lets it run again; absent outside a rehearsal. */
  readonly holdClock?: (isHeld: boolean) => Promise<void>;
  /** Creates the directory of a real installation with the answers of this rehearsal; absent outside a rehearsal. */
  readonly startInstallation?: (dir: string, state: WizardState) => Promise<void>;
  /** Makes the terminal copy a text to its clipboard. */
  readonly copy: (text: string) => void;
  readonly leave: (reason: LeaveReason) => void;
}

/** Runs the effects of an update and reports their results to the store. */
interface Effects {
  readonly perform: (effect: Effect) => void;
  /** Sets the store that receives the results. */
  readonly attach: (store: { getState: () => WizardState; dispatch: (event: Event) => void }) => void;
  /** Ends the probes and aborts running actions. */
  readonly stop: () => void;
}

/** The delay before a new cursor position is saved (ms), so that tabbing through a page writes to the disk once. */
const SAVE_CURSOR_DELAY = 1000;
/** The time that a user needs to notice the end of the installation, also over a slow line (ms of real time). */
const END_SCREEN_DELAY = 1000;
/** A key within this time was typed ahead, and is no answer to an offer that has just appeared (ms of real time). */
const OFFER_DELAY = 500;
/** The interval of host probes while the welcome screen is shown (ms of real time). */
const HOST_PROBE_INTERVAL = 15_000;

function createErrorPage({ title, cause, remedy }: UserError): Page {
  return { title, lines: [cause, remedy] };
}

/** Creates the effects. They report to the attached store until they are stopped. */
export function createEffects(services: EffectServices): Effects {
  const { steps } = services;
  const exitController = new AbortController();
  const runningActions = new Map<StepId, AbortController>();
  let isCursorSaveDue = false;
  let isProbingHost = false;
  let store: { getState: () => WizardState; dispatch: (event: Event) => void } | null = null;

  const dispatch = (event: Event) => {
    if (!exitController.signal.aborted) store?.dispatch(event);
  };
  const getState = () => store?.getState();
  const prober = createStepProber({ ...services, getState, dispatch, exitSignal: exitController.signal });

  const files = createFileEffects({ services, getState, dispatch });

  async function runAction(effect: Extract<Effect, { type: 'run' }>): Promise<void> {
    const { step: id, action, subject, isFollowed = false } = effect;
    const currentState = getState();
    if (!currentState || runningActions.has(id)) return;
    const cancelController = new AbortController();
    const context = services.createContext(
      currentState,
      AbortSignal.any([exitController.signal, cancelController.signal]),
    );
    if (!context) return dispatch({ type: 'step/failed', step: id, during: 'run', userError: createNoDesignError() });
    runningActions.set(id, cancelController);
    const step = steps[id];
    const report: ProgressReporter = Object.assign(
      (line: string, part?: ItemProgress) =>
        dispatch({ type: 'step/reported', step: id, line, ...(part ? { part } : {}) }),
      { updateItem: (part: ItemProgress) => dispatch({ type: 'step/reported', step: id, line: null, part }) },
    );
    try {
      const run = { action: parseAction(id, action, subject), confirmedPlan: currentState.runs[id].plan };
      await (isFollowed ? step.job?.follow(context, report) : runStepAction(step, context, run, report));
      runningActions.delete(id);
      prober.invalidate(id);
      dispatch({ type: 'step/applied', step: id });
    } catch (error) {
      runningActions.delete(id);
      // The user stopped the action: errors that it reports while it aborts are no failure.
      if (cancelController.signal.aborted) {
        prober.invalidate(id);
        dispatch({ type: 'step/cancelled', step: id });
      } else dispatch({ type: 'step/failed', step: id, during: 'run', userError: toUserError(error) });
    }
  }

  function declineJobQuestion(id: StepId): void {
    const currentState = getState();
    const context = currentState && services.createContext(currentState, exitController.signal);
    if (!context) return;
    steps[id].job?.decline(context);
    prober.invalidate(id);
    void prober.watch(id);
  }

  /** Reports the confirmation text of an action. If it cannot be read, the text is the error. */
  async function previewAction(id: StepId, action: PreviewedAction, subject: string | null): Promise<void> {
    const currentState = getState();
    const context = currentState && services.createContext(currentState, exitController.signal);
    const question = catalogue().screens.step.question[action](subject ?? catalogue().steps.titles[id]);
    const createConfirmation = (lines: readonly string[]): Confirmation => ({ question, lines, alternatives: [] });
    try {
      const confirmation = context
        ? await steps[id].previewAction?.(context, subject === null ? null : parseTarget(id, subject), action)
        : undefined;
      dispatch({
        type: 'step/previewed',
        step: id,
        action,
        subject,
        confirmation: confirmation ?? createConfirmation([]),
      });
    } catch (error) {
      const { lines, title } = createErrorPage(toUserError(error));
      dispatch({
        type: 'step/previewed',
        step: id,
        action,
        subject,
        confirmation: createConfirmation([title, ...lines]),
      });
    }
  }

  /** Builds a page of a step and dispatches it. If that fails, the page shows the error. */
  async function showPage(id: StepId, subject: string): Promise<void> {
    const currentState = getState();
    const context = currentState && services.createContext(currentState, exitController.signal);
    try {
      const page = context ? await steps[id].buildPage?.(context, subject) : undefined;
      if (page) dispatch({ type: 'step/shown', step: id, subject, page });
      else dispatch({ type: 'step/shown', step: id, subject, page: createErrorPage(createNoDesignError()) });
    } catch (error) {
      dispatch({ type: 'step/shown', step: id, subject, page: createErrorPage(toUserError(error)) });
    }
  }

  let isFindingCause = false;

  /** Diagnoses in the background; a failure leaves the page of the step as it is. */
  async function findCause({ step, request }: Extract<Effect, { type: 'find-cause' }>): Promise<void> {
    const currentState = getState();
    const context = currentState && services.createContext(currentState, exitController.signal);
    if (!context || isFindingCause) return;
    isFindingCause = true;
    try {
      const { diagnoseInstallation, toMostLikelyFinding } = await import('../steps/diagnose/index.ts');
      const { diagnoses } = await diagnoseInstallation(context);
      dispatch({ type: 'diagnosis/cause-found', step, request, likelyCause: toMostLikelyFinding(context, diagnoses) });
    } catch {
      // The diagnose key reports the error when the user presses it.
    } finally {
      isFindingCause = false;
    }
    // If the findings changed meanwhile, the request for them was skipped while this diagnosis ran: it is repeated now.
    const newCause = getState()?.likelyCause;
    if (newCause && !isDeepStrictEqual(newCause.request, request))
      await findCause({ type: 'find-cause', step: newCause.step, request: newCause.request });
  }

  /** Diagnoses the installation, independent of the current screen. */
  async function diagnose(): Promise<void> {
    const currentState = getState();
    const context = currentState && services.createContext(currentState, exitController.signal);
    if (!currentState || !context)
      return dispatch({ type: 'diagnosis/ready', page: createErrorPage(createNoDesignError()) });
    try {
      // A large module that no screen needs: loaded on demand.
      const { buildDiagnosisPage } = await import('../steps/diagnose/index.ts');
      const step = isStep(currentState.screen) ? currentState.screen : undefined;
      const fatalFindings = step === undefined ? [] : listFatalFindings(currentState.runs[step]);
      const { page, likelyCause } = await buildDiagnosisPage(context, fatalFindings);
      dispatch({ type: 'diagnosis/ready', page, ...(step === undefined ? {} : { step, likelyCause }) });
    } catch (error) {
      dispatch({ type: 'diagnosis/ready', page: createErrorPage(toUserError(error)) });
    }
  }

  /**
   * Probes this host while the welcome screen is shown. Dispatches only changes, because each event redraws the screen.
   */
  async function probeHostRepeatedly(): Promise<void> {
    if (services.probeThisHost === undefined || isProbingHost) return;
    isProbingHost = true;
    for (let currentState = getState(); currentState && !exitController.signal.aborted; currentState = getState()) {
      if (!getPageRules(currentState.screen).probesHost) break;
      const overview = await services
        .probeThisHost(currentState)
        .catch((error) => getState()?.welcome.overview ?? createFailedOverview(error));
      if (JSON.stringify(overview) !== JSON.stringify(getState()?.welcome.overview))
        dispatch({ type: 'welcome/probed', overview });
      await services.wallClock.sleep(HOST_PROBE_INTERVAL, exitController.signal).catch(() => undefined);
    }
    isProbingHost = false;
  }

  /** Dispatches an event after a delay in real time, at any speed of the rehearsal. */
  async function dispatchAfter(delayMs: number, event: Event): Promise<void> {
    await services.wallClock.sleep(delayMs, exitController.signal).catch(() => undefined);
    dispatch(event);
  }

  /** Makes the rehearsal repair a fault, and probes the step on the screen again. */
  async function simulateRepair({
    fault,
    leavesFirstFinding,
  }: Extract<Effect, { type: 'simulate-repair' }>): Promise<void> {
    const currentState = getState();
    const context = currentState && services.createContext(currentState, exitController.signal);
    if (!currentState || !context) return;
    try {
      const startedAt = context.clock.now();
      await context.manualActions.simulateRepair?.(fault);
      if (fault === REBOOT) recordReboot(context, startedAt);
      const text = describeRepair(getState() ?? currentState, fault, leavesFirstFinding);
      dispatch({ type: 'notice/shown', notice: { kind: 'info', text } });
      if (isStep(currentState.screen)) void prober.watch(currentState.screen);
    } catch (error) {
      dispatch({ type: 'notice/shown', notice: { kind: 'error', text: formatErrorLine(error) } });
    }
  }

  async function setPace({ previousPace, newPace }: Extract<Effect, { type: 'set-pace' }>): Promise<void> {
    try {
      await services.setPace?.(newPace);
    } catch (error) {
      dispatch({ type: 'rehearsal/refused', previousPace, message: formatErrorLine(error) });
    }
  }

  async function startInstallation(dir: string): Promise<void> {
    const currentState = getState();
    if (!currentState) return;
    try {
      await services.startInstallation?.(dir, currentState);
      dispatch({ type: 'install/started' });
    } catch (error) {
      dispatch({ type: 'install/refused', message: formatErrorLine(error) });
    }
  }

  async function saveCursorPosition(): Promise<void> {
    if (isCursorSaveDue) return;
    isCursorSaveDue = true;
    // Real time: the clock of a rehearsal may stand still.
    await services.wallClock.sleep(SAVE_CURSOR_DELAY, exitController.signal).catch(() => undefined);
    isCursorSaveDue = false;
    if (!exitController.signal.aborted) save();
  }

  function save(): void {
    const currentState = getState();
    if (!currentState) return;
    try {
      services.save(currentState);
      // The clock of the site: in a rehearsal, the page shows simulated times beside this one.
      dispatch({ type: 'session/saved', at: services.clock.now() });
    } catch (error) {
      dispatch({ type: 'session/save-failed', userError: toUserError(error) });
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
        case 'save-cursor-position':
          return void saveCursorPosition();
        case 'review-credentials':
          return void files.reviewCredentials();
        case 'generate-ssh-key':
          return void files.generateSshKey();
        case 'start-installation':
          return void startInstallation(effect.dir);
        case 'hold-clock':
          return void services.holdClock?.(effect.isHeld).catch(() => undefined);
        case 'simulate-repair':
          return void simulateRepair(effect);
        case 'set-pace':
          return void setPace(effect);
        case 'save-pasted':
          return void files.savePastedCredential(effect);
        case 'import':
          return void files.offerImport(effect.path);
        case 'save-imported':
          return void files.saveImportedSecrets(effect.path);
        case 'probe':
          return void prober.watch(effect.step);
        case 'probe-host':
          return void probeHostRepeatedly();
        case 'wait-at-end':
          return void dispatchAfter(END_SCREEN_DELAY, { type: 'end/waited' });
        case 'wait-at-offer':
          return void dispatchAfter(OFFER_DELAY, { type: 'follow/noticed' });
        case 'run':
          void runAction(effect);
          return void prober.watch(effect.step);
        case 'preview':
          return void previewAction(effect.step, effect.action, effect.subject);
        case 'show':
          return void showPage(effect.step, effect.subject);
        case 'find-cause':
          return void findCause(effect);
        case 'diagnose':
          return void diagnose();
        case 'cancel':
          return runningActions.get(effect.step)?.abort(new StopRequest());
        case 'decline':
          return declineJobQuestion(effect.step);
        case 'leave':
          // A failed final save has cancelled the exit.
          return getState()?.leaveReason === null ? undefined : services.leave(effect.reason);
      }
    },
    attach: (newStore) => {
      store = newStore;
    },
    stop: () => exitController.abort(),
  };
}

/** Creates an overview that says only why this machine could not be checked. */
const createFailedOverview = (error: unknown): MachineOverview => ({
  findings: [convertErrorToFinding(toUserError(error))],
  installer: null,
  otherInstallations: [],
});
