import type { Finding } from '../../checks/check.ts';
import { checkDocument } from '../../design/parse.ts';
import type { DesignDocument } from '../../design/paths.ts';
import { catalogue, isYesAnswer, setInstallDirectory } from '../../i18n/catalogue.ts';
import { createLineInput } from '../../plain/menu.ts';
import { mergeFindings, wrapOutput } from '../../plain/output.ts';
import { askDesign, createQuestionPrompt, formatReview } from '../../plain/questions.ts';
import type { PlainIo } from '../../plain/run-steps.ts';
import { runSteps } from '../../plain/run-steps.ts';
import { limitHeapGrowth } from '../../platform/memory.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import type { SiteClient } from '../../rehearsal/site-client.ts';
import { STEP_IDS, type StepId } from '../../steps/contract.ts';
import { withStepEvents } from '../../steps/events.ts';
import { STEPS } from '../../steps/registry.ts';
import { checkCredentialFiles } from '../../steps/shared/files/credentials.ts';
import { getTerminalSize } from '../../terminal/capabilities.ts';
import { SCREEN_IDS, type ScreenId } from '../../wizard/state.ts';
import { describeRunningSite, listSiteScreens, openRunningSite, UNCHANGED_OPTIONS } from '../rehearsal-site.ts';
import { getDesignInForce, updateAnswers } from '../session/design-in-force.ts';
import type { OpenedDirectory } from '../session/open-directory.ts';
import { formatSessionEnd, servePeersOfProgram } from '../session/session-holder.ts';
import { createPlace } from '../session/working-session.ts';
import type { Launcher } from '../shared/context.ts';
import { type CommandIo, formatUserError } from '../shared/io.ts';
import { createRuntime, createSiteRuntime, createStepContext } from '../shared/runtime.ts';
import { createFrontEndEventQueue, saveOnEventCommand } from './events.ts';
import { createWelcomeCard } from './full-screen.ts';
import { saveMirror } from './mirror.ts';
import { type OverrideOption, parseTypedReason, resolveOverride } from './override-option.ts';

const words = () => catalogue().plain;

/**
 * Creates the output of lines. A terminal gets sentences wrapped between words, as in the dialog; a pipe whole lines.
 */
export function createLinePrinter(io: CommandIo): (text: string) => void {
  return (text) => {
    const lines = process.stdout.isTTY ? wrapOutput(text, getTerminalSize(process.stdout).columns) : [text];
    io.stdout(lines.map((line) => `${line}\n`).join(''));
  };
}

/**
 * Runs the steps in plain lines, raises their events, and prints whether everything is verified.
 * @param prompts questions before dangerous actions and about failed checks, and a callback that records the step
 * reached
 * @param screens the available screens: only their steps run
 * @returns the exit code: 0 verified, 4 not
 */
export async function runPlainSteps(
  io: CommandIo,
  contextOptions: Omit<Parameters<typeof createStepContext>[0], 'base'>,
  prompts: Pick<PlainIo, 'confirm' | 'requestOverrideReason' | 'confirmWord' | 'onCurrentStep'>,
  screens: readonly ScreenId[] = SCREEN_IDS,
): Promise<0 | 4> {
  const print = createLinePrinter(io);
  limitHeapGrowth();
  setInstallDirectory(contextOptions.dir);
  const events = createFrontEndEventQueue(contextOptions.dir, (message) => io.stderr(`${message}\n`));
  const context = createStepContext({ ...contextOptions, base: contextOptions.dir });
  // A large module that only a failed step needs: loaded on demand.
  const diagnose = async () => await (await import('../../steps/diagnose/index.ts')).diagnoseFailure(context);
  const result = await runSteps(context, { print, diagnose, ...prompts }, withStepEvents(STEPS, events), screens);
  await events.waitUntilIdle();
  const openIssues = mergeFindings(result.findings.filter(({ severity }) => severity !== 'note')).map(
    ({ title }) => title,
  );
  print(result.isVerified ? words().verified : words().notVerified([...new Set(openIssues)]));
  return result.isVerified ? 0 : 4;
}

/** Asks for the design line by line and runs the steps, on any terminal or none; then releases the directory. */
export async function runPlainWizard(
  options: OpenedDirectory & {
    readonly io: CommandIo;
    readonly launcher: Launcher;
    /** The value of `--on-event`; undefined without it. */
    readonly onEvent: string | undefined;
    /** The directory of `--mirror`; null: off; undefined without it. */
    readonly mirror: string | null | undefined;
    /** The value of `--override`; null without it. */
    readonly override: OverrideOption | null;
    /** Whether the answers are those of `--answers`: no question about the design is left. */
    readonly hasAnswers: boolean;
  },
): Promise<number> {
  const { dir, lock, session, io, launcher, onEvent, override, mirror, hasAnswers } = options;
  const abortController = new AbortController();
  servePeersOfProgram(lock, (reason, peer) => {
    // Every accepted answer and every fact is already saved.
    abortController.abort(new Error('another session'));
    for (const line of formatSessionEnd(reason, peer, dir)) io.stderr(`${line}\n`);
    process.exit(0);
  });
  const print = createLinePrinter(io);
  const input = createLineInput(process.stdin);
  const ask = createQuestionPrompt(input, io.stdout, process.stdin.isTTY === true);
  const askIgnoringTypeAhead = async (prompt: string) => await ask(prompt, { ignoresTypeAhead: true });
  let site: SiteClient | null = null;
  try {
    print(words().directory(dir));
    const onEventNotice = saveOnEventCommand(dir, onEvent);
    if (onEventNotice !== null) print(onEventNotice);
    const mirrorNotice = saveMirror(session.stepState, mirror);
    if (mirrorNotice !== null) print(mirrorNotice);
    for (const notice of session.notices) io.stderr(formatUserError(notice));
    const card = await createWelcomeCard(dir, lock, session);
    for (const line of card === null ? [] : [...card.lines, '']) print(line);
    // A user who left in the middle of the design has not decided to continue with it.
    const isAtStep = (STEP_IDS as readonly string[]).includes(session.getState().place.screen);
    const designInForce = getDesignInForce(session.getState());
    const save = (document: DesignDocument) => session.update(updateAnswers(session.getState(), document));
    const design =
      isAtStep || hasAnswers ? designInForce.design : await askDesign(session.getState().design, { print, ask, save });
    if (design === null) return 3;
    if (isAtStep && designInForce.isLastValid) print(catalogue().clusterCommands.target.lastGood(sanitizeLine(dir)));
    if (!isAtStep) session.update(createPlace('generate', session.getState()));
    const onCurrentStep = (step: StepId) => session.update(createPlace(step, session.getState()));
    const { stepState, probeCache } = session;
    const { programs } = launcher;
    if (session.getState().rehearsal !== null)
      site = await openRunningSite({ dir, ...UNCHANGED_OPTIONS }, design, session, io, programs);
    const runtime = site === null ? createRuntime(dir) : createSiteRuntime(site);
    const { assertHeld } = lock;
    const { signal } = abortController;
    const contextOptions = {
      runtime,
      programs,
      dir,
      design,
      stepState,
      probeCache,
      signal,
      assertLockHeld: assertHeld,
    };
    if (!isAtStep) {
      const { design: document, rehearsal } = session.getState();
      const { credentials } = createStepContext({ ...contextOptions, base: dir });
      const credentialProblems = await checkCredentialFiles(credentials, design);
      const { problems } = checkDocument(document);
      const reviewed = { document, problems, credentialProblems, nodes: { edit: null }, welcome: { rehearsal } };
      for (const line of formatReview(reviewed)) print(line);
    }
    const askReason = async () => parseTypedReason(await askIgnoringTypeAhead(words().typeReason), print);
    const requestOverrideReason =
      override === null
        ? askReason
        : async (failedChecks: readonly Finding[]) => resolveOverride(override, failedChecks, print);
    const confirm = async () => isYesAnswer((await askIgnoringTypeAhead(words().confirm)) ?? '');
    const confirmWord = async (word: string) =>
      (await askIgnoringTypeAhead(words().typeWord(word)))?.trim().toLowerCase() === word.toLowerCase();
    const prompts = { confirm, requestOverrideReason, confirmWord, onCurrentStep };
    return await runPlainSteps(io, contextOptions, prompts, site === null ? SCREEN_IDS : listSiteScreens(site));
  } finally {
    input.close();
    if (site !== null) io.stderr(`${describeRunningSite(dir)}\n`);
    lock.release();
  }
}
