import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { catalogue, formatCommandLine, getExplicitLanguageArgs, setInstallDirectory } from '../../i18n/catalogue.ts';
import { MINUTE, systemClock } from '../../platform/clock.ts';
import type { SessionLock } from '../../session/lock.ts';
import { findPreviousRun } from '../../session/previous-run.ts';
import { findUnusedDirectory } from '../../session/session-file.ts';
import type { Page, StepContext } from '../../steps/contract.ts';
import { STEPS } from '../../steps/registry.ts';
import { workspace } from '../../steps/shared/workspace.ts';
import type { StepState } from '../../steps/step-state.ts';
import { deriveUnfinishedSteps } from '../../steps/unfinished-steps.ts';
import { summarizeAbsence } from '../../steps/welcome-back/absence-summary.ts';
import {
  describeClusterChanges,
  type PendingSnapshot,
  readSnapshotOnReturn,
} from '../../steps/welcome-back/cluster-changes.ts';
import { buildWelcomeBackPage } from '../../steps/welcome-back/page.ts';
import type { FrontEndHandle } from '../../wizard/front-end.ts';
import { createInitialState } from '../../wizard/initial-state.ts';
import type { Intent } from '../../wizard/intents.ts';
import { getScreenIndex, isScreen, type LeaveReason } from '../../wizard/state.ts';
import type { WizardStore } from '../../wizard/store.ts';
import { getDesignInForce } from '../session/design-in-force.ts';
import {
  createRestorePromptIntents,
  formatSessionEnd,
  getLossReason,
  holdForWizard,
  markTerminalInUse,
} from '../session/session-holder.ts';
import { getFurthestScreen, restoreAnswers, type WorkingSession } from '../session/working-session.ts';
import { openErrorLog } from '../shared/error-log.ts';
import { createFrontEndEventQueue, raiseQuestionEvents, saveOnEventCommand } from './events.ts';
import {
  createContextFactory,
  createServices,
  getFirstPowerOnTime,
  isInstallationFinished,
  type WizardOptions,
} from './services.ts';

/**
 * Creates the card about what happened while the user was away; null after a short absence, or if nothing has begun.
 */
export async function createWelcomeCard(
  dir: string,
  { record }: SessionLock,
  session: WorkingSession,
): Promise<Page | null> {
  const { place, question } = session.getState();
  const { screen } = place;
  if (!session.isResumed || !isScreen(screen) || screen === 'welcome') return null;
  const { user, from } = record;
  return await buildWelcomeBackPage(dir, {
    user,
    from,
    now: systemClock.now(),
    screenName: catalogue().screens.sidebar[screen],
    pendingStep: question?.step ?? null,
  });
}

/**
 * Adds the changes in the cluster to the card, once the cluster has answered, if the card is still shown.
 * @param speed speed of the site's time relative to real time
 * @param snapshot see `readSnapshotOnReturn`
 * @param leftAt when the wizard ran last, ms of the context's clock, which may have stood still since;
 *   null: not recorded
 */
export async function addClusterChanges(
  { getState, dispatch }: Pick<WizardStore, 'getState' | 'dispatch'>,
  card: Page,
  context: StepContext,
  speed: number,
  snapshot: PendingSnapshot,
  leftAt: number | null = null,
): Promise<void> {
  const absence = systemClock.now() - (findPreviousRun(context.dir)?.endedAt ?? systemClock.now());
  const since = leftAt ?? context.clock.now() - absence * speed;
  const changes = describeClusterChanges(context, await snapshot, since);
  const { overlay } = getState();
  if (changes.length === 0 || overlay?.kind !== 'page' || overlay.page !== card) return;
  const lines = changes.map((line) => catalogue().welcomeBack.line(line));
  dispatch({ type: 'overlay/show', page: { ...card, lines: [...card.lines, ...lines] } });
}

/** Time for which the sentence about the absence is shown, in ms of the user's time. */
const ABSENCE_DISPLAY_MS = MINUTE;

/**
 * Shows what happened since the wizard was left, on the page to which the user returns, and removes it after a
 * while.
 */
async function showAbsence(
  { dispatch }: Pick<WizardStore, 'dispatch'>,
  context: StepContext,
  leftAt: number,
  snapshot: PendingSnapshot,
) {
  const text = await summarizeAbsence(context, leftAt, snapshot).catch(() => null);
  if (text === null || context.signal.aborted) return;
  dispatch({ type: 'session/absence', text });
  await systemClock.sleep(ABSENCE_DISPLAY_MS, context.signal).catch(() => undefined);
  if (!context.signal.aborted) dispatch({ type: 'session/absence', text: null });
}

const words = () => catalogue().cli;

/** The reason why the wizard ended, and its exit code. */
export interface WizardResult {
  readonly reason: LeaveReason;
  readonly code: number;
}

/** Runs the wizard on full screens until the user leaves. */
export async function runFullScreenWizard(options: WizardOptions): Promise<WizardResult> {
  const { dir, lock, session, runtime, io, frontEnd, rehearsal } = options;
  setInstallDirectory(dir);
  const log = openErrorLog(dir);
  const resumeCommand = formatResumeCommand(options);
  const createContextFor = createContextFactory(options);
  const holder = holdForWizard(lock);
  const exitController = new AbortController();
  let notify: (message: string) => void = () => undefined;
  const events = createFrontEndEventQueue(dir, (message) => notify(message));
  const onEventNotice = saveOnEventCommand(dir, options.onEvent);
  let getNextDirectory = (): string | null => null;
  const terminalMark = markTerminalInUse(dir, runtime.clock);
  const card = await createWelcomeCard(dir, lock, session);
  const leftAt = session.stepState.get('left-at') ?? null;
  // Cleared at once: a wizard that is killed records no new time, and the old one would be wrong.
  if (leftAt !== null) session.stepState.set('left-at', null);
  const recordLeaving = () => session.stepState.set('left-at', runtime.clock.now());
  // A signal, or the loss of the terminal, ends the process without a reason to leave.
  const recordExit = () => {
    try {
      recordLeaving();
    } catch {
      // The disk is full, or another session has taken over: the mark of the terminal has the time.
    }
  };
  // First: the lock is released at the exit, too.
  process.prependOnceListener('exit', recordExit);
  const reason = await frontEnd.run({
    initialState: createInitialState({
      dir,
      document: session.getState().design,
      now: runtime.clock.now(),
      firstPowerOnAt: getFirstPowerOnTime(session),
      isResumed: session.isResumed,
      rehearsal: rehearsal?.pace ?? null,
      ...(options.screens ? { screens: options.screens } : {}),
      furthestScreen: getFurthestScreen(session.getState()),
      savedParts: restoreAnswers(session.getState()),
      unfinishedSteps: readUnfinishedSteps(session),
    }),
    startIntents: [
      { type: 'welcome/probe' },
      ...createStartIntents(session, terminalMark.wasAbrupt, options.startNotice ?? onEventNotice),
      ...(card === null ? [] : [{ type: 'overlay/show', page: card } as const]),
    ],
    services: createServices(options, createContextFor, events),
    onStoreReady: (store) => {
      holder.begin(store);
      raiseQuestionEvents(store, events);
      const { design: currentDesign } = store.getState();
      if (currentDesign !== null && (card !== null || leftAt !== null)) {
        const context = createContextFor(currentDesign, exitController.signal);
        const snapshot = readSnapshotOnReturn(context);
        // The line front end prints the card only once, so it has nothing to update.
        const isCardRedrawn = !frontEnd.options.includes('--plain');
        if (card !== null && isCardRedrawn)
          void addClusterChanges(
            store,
            card,
            context,
            rehearsal?.pace.speed ?? 1,
            snapshot,
            leftAt ?? terminalMark.ranLastAt,
          );
        if (leftAt !== null) void showAbsence(store, context, leftAt, snapshot);
      }
      notify = (text) => store.dispatch({ type: 'notice/show', notice: { kind: 'warning', text } });
      getNextDirectory = () => store.getState().welcome.nextDir;
    },
    resumeCommand,
    logPath: log.path,
    log: log.write,
    describeExit: () => describeSavedWork(dir, session.stepState, resumeCommand),
  });
  process.off('exit', recordExit);
  if (reason === 'quit' || reason === 'interrupt') recordLeaving();
  terminalMark.end();
  holder.stop();
  exitController.abort();
  events.detach();
  const exitLines = (await options.beforeExit?.(reason)) ?? [];
  const printLines = (lines: readonly string[]) => io.stderr(lines.map((line) => `${line}\n`).join(''));
  if (reason !== 'rehearse' && reason !== 'new' && reason !== 'open') {
    const { code, lines } = buildExitReport(reason, options, holder.getPeer());
    // The process ends after these lines: nothing that they report is still in progress.
    printLines([...exitLines, ...lines]);
    return { reason, code };
  }
  // The next wizard has its own directory, so this one is released first.
  lock.release();
  const directories = { cwd: io.cwd, ownDir: dir, openedDir: getNextDirectory() };
  // The next program takes a moment to draw its first frame.
  if (reason === 'rehearse') io.stderr(`${words().rehearsalStarting(findRehearsalDirectory(dir))}\n`);
  const code = spawnWizard(buildNextArgv(reason, directories), frontEnd);
  printLines(exitLines);
  return { reason, code };
}

/**
 * Reads the steps that the last probe did not find done. If an older version saved the session without them, derives
 * the steps before its furthest screen from its other facts.
 */
export function readUnfinishedSteps({ stepState, isResumed, getState }: WorkingSession): readonly string[] {
  const recordedSteps = stepState.get('unfinished');
  const { design } = getDesignInForce(getState());
  if (recordedSteps !== undefined || !isResumed || design === null) return recordedSteps ?? [];
  const furthestIndex = getScreenIndex(getFurthestScreen(getState()));
  const derivedSteps = deriveUnfinishedSteps(design, stepState).filter((id) => getScreenIndex(id) < furthestIndex);
  // Recorded, because the first record of another step would replace the missing one.
  if (derivedSteps.length > 0) stepState.set('unfinished', derivedSteps);
  return derivedSteps;
}

const formatResumeCommand = ({ dir, frontEnd }: WizardOptions) => formatCommandLine('--dir', dir, ...frontEnd.options);

/** Builds the last lines that the user reads, and the exit code. */
function buildExitReport(
  reason: Exclude<LeaveReason, 'rehearse' | 'new' | 'open'>,
  options: WizardOptions,
  peer: Parameters<typeof formatSessionEnd>[1],
): { readonly code: number; readonly lines: readonly string[] } {
  const { dir, lock } = options;
  switch (reason) {
    case 'unsaved':
      return { code: 4, lines: [words().notSavedIn(dir), words().resume(formatResumeCommand(options))] };
    case 'lost': {
      const { title, cause, remedy } = getLossReason(lock);
      return { code: 4, lines: [`${title}: ${cause} ${remedy}`] };
    }
    case 'taken-over':
    case 'detached':
      return { code: 0, lines: [...formatSessionEnd(reason, peer, dir), ...describeJobs(dir)] };
    case 'quit':
    case 'interrupt':
      return {
        code: reason === 'interrupt' ? 130 : 0,
        lines: describeSavedWork(dir, options.session.stepState, formatResumeCommand(options)),
      };
    case 'install':
      return { code: 0, lines: [] };
  }
}

/**
 * Runs another wizard on this terminal, as a new process. The current front end must have released the terminal and
 * its handlers.
 */
export function spawnWizard(argv: readonly string[], { options }: Pick<FrontEndHandle, 'options'>): number {
  const [script = ''] = process.argv.slice(1);
  const args = [script, ...argv, ...options, ...getExplicitLanguageArgs()];
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
}

/** Describes what a user who leaves finds later: the report, what is saved, what continues and what does not. */
export function describeSavedWork(dir: string, stepState: StepState, resumeCommand: string): string[] {
  const reportLines = isInstallationFinished(dir) ? [words().reportIn(workspace(dir).report)] : [];
  const approvalCommand = formatCommandLine('csr', 'approve', '--follow', '--dir', dir);
  const approvalLines = stepState.get('following') ? [words().approvalsStop(approvalCommand)] : [];
  return [...reportLines, words().savedIn(dir), ...describeJobs(dir), ...approvalLines, words().resume(resumeCommand)];
}

/** Describes the actions that continue in jobs after the wizard has ended. */
function describeJobs(dir: string): string[] {
  return Object.values(STEPS).flatMap(({ job }) => job?.describe({ dir }) ?? []);
}

/** Creates the intents that lead to the saved screen; a notice there reports what happened to the saved answers. */
function createStartIntents(session: WorkingSession, wasAbrupt: boolean, startNotice: string | null): Intent[] {
  const { place, question, unfinished } = session.getState();
  const screenIntents: Intent[] =
    session.isResumed && isScreen(place.screen)
      ? [{ type: 'screen/go', screen: place.screen, ...(place.field ? { field: place.field } : {}) }]
      : [];
  const noticeTexts = session.notices.map(({ title, cause, remedy }) => `${title}: ${cause} ${remedy}`);
  // Only one notice fits: the one about the answers matters more.
  const otherNotice = startNotice ?? (wasAbrupt && unfinished === null ? words().abruptEnd : null);
  const texts = noticeTexts.length === 0 && otherNotice !== null ? [otherNotice] : noticeTexts;
  const restorePromptIntents = question === null ? [] : createRestorePromptIntents(question);
  return [
    ...restorePromptIntents,
    ...(session.stepState.get('following') ? [{ type: 'step/follow-again' } as const] : []),
    ...screenIntents,
    ...(unfinished === null ? [] : [{ type: 'session/restore-text', unfinished } as const]),
    ...texts.map((text): Intent => ({ type: 'notice/show', notice: { kind: 'warning', text } })),
  ];
}

/** Finds an unused directory for a new rehearsal beside the install directory. */
const findRehearsalDirectory = (installDir: string) => findUnusedDirectory(dirname(installDir), 'upi-rehearsal');

/**
 * Builds the arguments of the next wizard, for a rehearsal, a new installation or an existing one.
 * @param dirs.ownDir the install directory of this wizard
 * @param dirs.openedDir the directory of the installation to open
 */
export function buildNextArgv(
  reason: 'rehearse' | 'new' | 'open',
  dirs: { readonly cwd: string; readonly ownDir: string; readonly openedDir: string | null },
): readonly string[] {
  switch (reason) {
    case 'rehearse':
      return ['rehearse', '--dir', findRehearsalDirectory(dirs.ownDir)];
    case 'new':
      return ['--dir', findUnusedDirectory(dirs.cwd, 'upi-cluster')];
    case 'open':
      return ['--dir', dirs.openedDir ?? findUnusedDirectory(dirs.cwd, 'upi-cluster')];
  }
}
