import { createInterface } from 'node:readline/promises';
import type { Finding } from '../../checks/check.ts';
import { catalogue, isYesAnswer } from '../../i18n/catalogue.ts';
import { askDesign, createLineReader } from '../../plain/questions.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';

import { STEP_IDS, type StepId } from '../../steps/contract.ts';
import type { DesignDocument } from '../../wizard/design/document.ts';
import { getEffectiveDesign, updateAnswers } from '../session/effective-design.ts';
import type { OpenedDirectory } from '../session/open-directory.ts';
import { createPlace } from '../session/saved-answers.ts';
import { formatSessionEnd, holdForProgram } from '../session/session-holder.ts';
import type { CommandIo } from '../shared/io.ts';
import { formatUserError } from '../shared/user-error-text.ts';
import { saveOnEventCommand } from './events.ts';
import type { Launcher } from './launcher.ts';
import { type OverrideOption, parseTypedReason, resolveOverride } from './override.ts';
import { runPlainSteps } from './plain-steps.ts';
import { createWelcomeCard } from './welcome-card.ts';

const plainWords = () => catalogue().plain;

/** Asks for the design line by line and runs the steps, on any terminal or none; then releases the directory. */
export async function runPlainWizard(
  options: OpenedDirectory & {
    readonly io: CommandIo;
    readonly launcher: Launcher;
    /** The value of `--on-event`; undefined without it. */
    readonly onEvent: string | undefined;
    /** The value of `--override`; null without it. */
    readonly override: OverrideOption | null;
  },
): Promise<number> {
  const { dir, lock, session, runtime, io, launcher, onEvent, override } = options;
  const abort = new AbortController();
  holdForProgram(lock, (reason, peer) => {
    // Every accepted answer and every fact is already saved.
    abort.abort(new Error('another session'));
    for (const line of formatSessionEnd(reason, peer, dir)) io.stderr(`${line}\n`);
    process.exit(0);
  });
  const print = (line: string) => io.stdout(`${line}\n`);
  const readline = createInterface({ input: process.stdin });
  const ask = createLineReader(readline, io.stdout, process.stdin.isTTY === true);
  const askFresh = async (prompt: string) => await ask(prompt, { isFresh: true });
  try {
    print(plainWords().directory(dir));
    const onEventNotice = saveOnEventCommand(dir, onEvent);
    if (onEventNotice !== null) print(onEventNotice);
    for (const notice of session.notices) io.stderr(formatUserError(notice));
    const card = await createWelcomeCard(dir, lock, session);
    for (const line of card === null ? [] : [...card.lines, '']) print(line);
    // A user who left in the middle of the design has not decided to continue with it.
    const isDecided = (STEP_IDS as readonly string[]).includes(session.current().place.screen);
    const effective = getEffectiveDesign(session.current());
    const save = (document: DesignDocument) => session.update(updateAnswers(session.current(), document));
    const design = isDecided ? effective.design : await askDesign(session.current().design, { print, ask, save });
    if (design === null) return 3;
    if (isDecided && effective.isLastGood) print(catalogue().live.target.lastGood(sanitizeLine(dir)));
    if (!isDecided) session.update(createPlace('generate', session.current()));
    const onCurrentStep = (step: StepId) => session.update(createPlace(step, session.current()));
    const { stepState, probeCache } = session;
    const { programs } = launcher;
    const { assertHeld } = lock;
    const { signal } = abort;
    const contextOptions = { runtime, programs, dir, design, stepState, probeCache, signal, check: assertHeld };
    const askReason = async () => parseTypedReason(await askFresh(plainWords().typeReason), print);
    const requestOverrideReason =
      override === null ? askReason : async (failed: readonly Finding[]) => resolveOverride(override, failed, print);
    const confirm = async () => isYesAnswer((await askFresh(plainWords().confirm)) ?? '');
    const confirmWord = async (word: string) =>
      (await askFresh(plainWords().typeWord(word)))?.trim().toLowerCase() === word.toLowerCase();
    return await runPlainSteps(io, contextOptions, { confirm, requestOverrideReason, confirmWord, onCurrentStep });
  } finally {
    readline.close();
    lock.release();
  }
}
