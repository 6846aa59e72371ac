import { createInterface } from 'node:readline/promises';
import type { Finding } from '../../diagnosis/finding.ts';
import { askDesign, lineReader } from '../../plain/questions.ts';
import { STEP_IDS, type StepId } from '../../steps/contract.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { saysYes } from '../../text/yes.ts';
import type { Document } from '../../wizard/design/document.ts';
import { holdProgram, leftLines } from '../session/holding.ts';
import { designInForce, nextAnswers } from '../session/in-force.ts';
import type { OpenedDirectory } from '../session/open-directory.ts';
import { placeAt } from '../session/saved-answers.ts';
import type { CommandIo } from '../shared/io.ts';
import { troubleText } from '../shared/trouble-text.ts';
import { keepOnEvent } from './events.ts';
import type { Host } from './host.ts';
import { type OverrideOption, reasonFor, reasonIn } from './override.ts';
import { takeSteps } from './plain-steps.ts';
import { welcomeCard } from './welcome-card.ts';

const plainWords = () => catalogue().plain;

/** Asks the design line by line and takes the steps, on a terminal of any kind or none at all; then the directory is free. */
export async function plainWizard(
  options: OpenedDirectory & {
    readonly io: CommandIo;
    readonly host: Host;
    /** What `--on-event` says; undefined without it. */
    readonly onEvent: string | undefined;
    /** What `--override` says; null without it. */
    readonly override: OverrideOption | null;
  },
): Promise<number> {
  const { dir, lock, saved, world, io, host, onEvent, override } = options;
  const abort = new AbortController();
  holdProgram(lock, (how, guest) => {
    // Every accepted answer and every fact is saved already.
    abort.abort(new Error('another session'));
    for (const line of leftLines(how, guest, dir)) io.stderr(`${line}\n`);
    process.exit(0);
  });
  const print = (line: string) => io.stdout(`${line}\n`);
  const readline = createInterface({ input: process.stdin });
  const ask = lineReader(readline, io.stdout, process.stdin.isTTY === true);
  const askAnew = async (prompt: string) => await ask(prompt, { isFresh: true });
  try {
    print(plainWords().directory(dir));
    const said = keepOnEvent(dir, onEvent);
    if (said !== null) print(said);
    for (const notice of saved.notices) io.stderr(troubleText(notice));
    const card = await welcomeCard(dir, lock, saved);
    for (const line of card === null ? [] : [...card.lines, '']) print(line);
    // Somebody who left in the middle of the design has not decided to go on with it.
    const isDecided = (STEP_IDS as readonly string[]).includes(saved.current().place.screen);
    const inForce = designInForce(saved.current());
    const save = (document: Document) => saved.update(nextAnswers(saved.current(), document));
    const design = isDecided ? inForce.design : await askDesign(saved.current().design, { print, ask, save });
    if (design === null) return 3;
    if (isDecided && inForce.isLastGood) print(catalogue().live.target.lastGood(sanitizeLine(dir)));
    if (!isDecided) saved.update(placeAt('generate', saved.current()));
    const at = (step: StepId) => saved.update(placeAt(step, saved.current()));
    const { memory, recollection } = saved;
    const { programs } = host;
    const { check } = lock;
    const { signal } = abort;
    const where = { world, programs, dir, design, memory, recollection, signal, check };
    const askReason = async () => reasonIn(await askAnew(plainWords().typeReason), print);
    const reason =
      override === null ? askReason : async (failed: readonly Finding[]) => reasonFor(override, failed, print);
    const confirm = async () => saysYes((await askAnew(plainWords().confirm)) ?? '');
    const typeWord = async (word: string) =>
      (await askAnew(plainWords().typeWord(word)))?.trim().toLowerCase() === word.toLowerCase();
    return await takeSteps(io, where, { confirm, reason, typeWord, at });
  } finally {
    readline.close();
    lock.release();
  }
}
