import type { Finding } from '../../checks/check.ts';
import { isImportFailure } from '../../design/imports/index.ts';
import type { Design } from '../../design/model.ts';
import { buildPartialDesign, checkDocument } from '../../design/parse.ts';
import { getAt } from '../../design/paths.ts';
import { systemClock } from '../../platform/clock.ts';
import { getConfigDirectory, listSessions } from '../../session/install-directories.ts';
import type { SessionLock } from '../../session/lock.ts';
import { readSession } from '../../session/session-file.ts';
import type { SessionState } from '../../session/state.ts';
import { type AnyStep, mapSteps, type StepContext, type StepId } from '../../steps/contract.ts';
import { withStepEvents } from '../../steps/events.ts';
import { STEPS } from '../../steps/registry.ts';
import { checkCredentialFiles, savePastedCredential } from '../../steps/shared/files/credentials.ts';
import { readImport, saveImportedSecrets } from '../../steps/shared/files/imports.ts';
import { createSshKey } from '../../steps/shared/files/ssh-key.ts';
import { writeCommands } from '../../steps/shared/files/stage-output.ts';
import { recordStepCompletion } from '../../steps/step-state.ts';
import type { EffectServices } from '../../wizard/effects.ts';
import type { FrontEndHandle } from '../../wizard/front-end.ts';
import { isApprovingCertificates } from '../../wizard/live/update-step.ts';
import {
  getScreenIndex,
  type Installation,
  isScreen,
  type LeaveReason,
  type MachineOverview,
  type RehearsalPace,
  type ScreenId,
  type WizardState,
} from '../../wizard/state.ts';
import { toSavedQuestion } from '../session/session-holder.ts';
import {
  createExampleDocument,
  getFurthestScreen,
  toSavedAnswers,
  toSavedPlace,
  type WorkingSession,
} from '../session/working-session.ts';
import { formatClusterName, hasReport } from '../sessions.ts';
import type { Launcher } from '../shared/context.ts';
import type { CommandIo } from '../shared/io.ts';
import { createStepContext, type Runtime } from '../shared/runtime.ts';
import type { createFrontEndEventQueue } from './events.ts';

/** The screen where decisions end: from here on, the design is the user's own and not the example. */
const DECISION_SCREEN = 'review';

/**
 * Probes this machine and lists the other installations, for the welcome screen.
 * @param createContextFor creates the context that the wizard works with
 */
async function probeThisHost(
  { welcome: { dir }, design: currentDesign, furthestScreenIndex }: WizardState,
  createContextFor: (design: Design, signal: AbortSignal) => StepContext,
  io: CommandIo,
): Promise<MachineOverview> {
  // Loaded after the first frame.
  const [{ inspectMachine }, { getTerminalProperties }] = await Promise.all([
    import('../../steps/doctor.ts'),
    import('../shared/process-io.ts'),
  ]);
  const design = currentDesign ?? checkDocument(createExampleDocument()).design;
  const result =
    design === null
      ? { findings: [], installer: null }
      : await inspectMachine({
          ...createContextFor(design, new AbortController().signal),
          hasSavedDesign: currentDesign !== null && furthestScreenIndex > getScreenIndex(DECISION_SCREEN),
          terminal: getTerminalProperties(io.env),
        });
  return { ...result, otherInstallations: listOtherInstallations(dir, io) };
}

/** Lists the other installations that can be read, without the one in `dir`. */
export function listOtherInstallations(dir: string, io: CommandIo): Installation[] {
  return listSessions(getConfigDirectory({ ...io.env }))
    .filter((session) => session.dir !== dir)
    .flatMap((session) => {
      const state = tryReadSession(session.dir);
      if (state === null || !isScreen(state.place.screen)) return [];
      return [
        {
          dir: session.dir,
          cluster: formatClusterName(state),
          screen: state.place.screen === 'welcome' ? getFurthestScreen(state) : state.place.screen,
          isFinished: hasReport(session.dir, state),
          isRehearsal: state.rehearsal !== null,
          savedAt: session.savedAt,
        },
      ];
    });
}

/** Whether an installation was left at its report. One that was left on another screen may have work in progress. */
export function isInstallationFinished(dir: string): boolean {
  const state = tryReadSession(dir);
  return state?.place.screen === 'report' && hasReport(dir, state);
}

function tryReadSession(dir: string): SessionState | null {
  try {
    return readSession(dir);
  } catch {
    // The wizard reports the error when it opens the session.
    return null;
  }
}

/** The options of a wizard run. */
export interface WizardOptions {
  readonly dir: string;
  /** The lock, which is held; the caller releases it. */
  readonly lock: SessionLock;
  readonly session: WorkingSession;
  readonly runtime: Runtime;
  readonly io: CommandIo;
  readonly launcher: Launcher;
  /** The front end, which already shows its first frame. */
  readonly frontEnd: FrontEndHandle;
  /** The value of `--on-event`; undefined without it. */
  readonly onEvent: string | undefined;
  /** The notice at the start; null: none. */
  readonly startNotice: string | null;
  /** The available screens; default: all. */
  readonly screens?: readonly ScreenId[];
  /** The rehearsal; absent for a real installation. */
  readonly rehearsal?: { readonly pace: RehearsalPace } & Required<
    Pick<EffectServices, 'setPace' | 'holdClock' | 'startInstallation'>
  >;
  /** Runs before every probe and action of a step; its findings are shown with those of the step. */
  readonly beforeStep?: (context: StepContext) => Promise<readonly Finding[]>;
  /** Ends what the caller runs, once the user has left. Its lines are printed before those on what is saved. */
  readonly beforeExit?: (reason: LeaveReason) => Promise<readonly string[]>;
}

/** Returns the time at which the first machine was powered on (ms of the clock); null before. */
export function getFirstPowerOnTime({ stepState }: WorkingSession): number | null {
  const times = Object.values(stepState.get('powered-on') ?? {});
  return times.length === 0 ? null : Math.min(...times);
}

type ContextFactory = (design: Design, signal: AbortSignal) => StepContext;

/** Creates the factory of step contexts. */
export function createContextFactory({ runtime, launcher, dir, session, lock }: WizardOptions): ContextFactory {
  const { stepState, probeCache } = session;
  const fixedOptions = {
    runtime,
    programs: launcher.programs,
    dir,
    base: dir,
    stepState,
    probeCache,
    assertLockHeld: lock.assertHeld,
  };
  return (design, signal) => createStepContext({ ...fixedOptions, design, signal });
}

/** Creates the services that the effects of the wizard use. */
export function createServices(
  { dir, session, runtime, io, rehearsal, beforeStep }: WizardOptions,
  createContextFor: ContextFactory,
  events: ReturnType<typeof createFrontEndEventQueue>,
): Parameters<FrontEndHandle['run']>[0]['services'] {
  const { stepState } = session;
  return {
    clock: runtime.clock,
    wallClock: systemClock,
    firstPowerOnAt: () => getFirstPowerOnTime(session),
    recordStepEnd: (id, isDone) => recordStepCompletion(session.stepState, id, isDone),
    steps: withStepEvents(beforeStep ? withPreparation(beforeStep) : STEPS, events),
    createContext: (state, signal) => state.inForce && createContextFor(state.inForce.design, signal),
    checkCredentials: async (state) => {
      // Wrong answers on other pages do not prevent reading the files.
      const design = state.design ?? buildPartialDesign(state.document);
      if (design === null) return [];
      const { credentials } = createContextFor(design, new AbortController().signal);
      return checkCredentialFiles(credentials, design);
    },
    createSshKey: (state) => {
      const getText = (path: string) => String(getAt(state.document, path) ?? '');
      const [publicFile, isFips] = [getText('credentials.sshKeyFile'), getText('fips') === 'true'];
      return createSshKey({ publicFile, isFips, dir, signal: new AbortController().signal });
    },
    ...(rehearsal
      ? {
          setPace: rehearsal.setPace,
          holdClock: rehearsal.holdClock,
          startInstallation: rehearsal.startInstallation,
        }
      : {}),
    savePastedCredential: (state, credential, text) =>
      savePastedCredential(credential, text, { dir, design: state.design ?? buildPartialDesign(state.document) }),
    readImport: async (path) => {
      const importResult = await readImport(path, dir);
      if (isImportFailure(importResult)) return `${importResult.problem}. ${importResult.fix}`;
      const { files, ...details } = importResult;
      return { ...details, path, secrets: files.map(({ name }) => name) };
    },
    probeThisHost: (state) => probeThisHost(state, createContextFor, io),
    saveImportedSecrets: (path) => saveImportedSecrets(path, dir),
    writeCommands: (lines) => writeCommands(dir, lines),
    save: (state) => {
      session.update({ ...toSavedAnswers(state), ...toSavedPlace(state), question: toSavedQuestion(state) });
      if (isApprovingCertificates(state) !== (stepState.get('following') ?? false))
        stepState.set('following', isApprovingCertificates(state));
    },
  };
}

/** Returns the steps, with a preparation before each probe and action. */
function withPreparation(
  prepare: (context: StepContext) => Promise<readonly Finding[]>,
): Readonly<Record<StepId, AnyStep>> {
  const wrapStep = (step: AnyStep): AnyStep => ({
    ...step,
    async probe(context) {
      const preparationFindings = await prepare(context);
      const { probe, ...result } = await step.probe(context);
      return { ...result, probe: { ...probe, findings: [...probe.findings, ...preparationFindings] } };
    },
    async apply(context, report, confirmedPlan) {
      await prepare(context);
      await step.apply(context, report, confirmedPlan);
    },
  });
  return mapSteps((id) => wrapStep(STEPS[id]));
}
