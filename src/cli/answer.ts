import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { answerHolder, holderOf, questionOfHolder } from '../session/ask-holder.ts';
import type { OpenQuestion } from '../session/conversation.ts';
import { describeOwner } from '../session/describe-owner.ts';
import { configDirectory, defaultDirectory } from '../session/directories.ts';
import type { FoundOwner } from '../session/owner-files.ts';
import type { Plan, StepContext } from '../steps/contract.ts';
import { STEPS } from '../steps/registry.ts';
import { haveAct } from '../steps/shared/acts.ts';
import { catalogue, commandLine } from '../text/catalogue.ts';
import { jsonText } from '../text/json-text.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { TroubleError } from '../text/trouble.ts';
import { answerOf, describeQuestion, knownQuestion, planChecksum } from './session/pending-question.ts';
import { neededSession } from './session/saved-session.ts';
import { type Live, withLive } from './shared/live.ts';
import type { LiveIo } from './shared/live-io.ts';
import { troubleText } from './shared/trouble-text.ts';
import { UsageError } from './shared/usage.ts';
import type { Programs } from './shared/world.ts';

const words = () => catalogue().holder.answer;

/**
 * `upi-wizard answer [--dir D] [yes|no|TEXT] [--json]`: shows the question that waits for an answer, or answers it: for
 * the wizard that asks it, or where none runs by carrying out what was asked about.
 * @returns 0 shown, or answered and carried out; 4 when there is none, or the answer was not taken or its act failed
 */
export async function answerCommand(argv: readonly string[], io: LiveIo, programs: Programs): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { dir: { type: 'string' }, json: { type: 'boolean', default: false } },
  });
  const [text, extra] = positionals;
  if (extra !== undefined) throw new UsageError(catalogue().live.unexpectedArgument(sanitizeLine(extra, 80)));
  const { dir: named } = values;
  const dir = named === undefined ? defaultDirectory(io.cwd, configDirectory({ ...io.env })) : resolve(io.cwd, named);
  const holder = await holderOf(dir);
  if (text === undefined) return await show(dir, holder, io, values.json);
  if (holder !== null) return await answerElsewhere(dir, holder, text, io);
  const act = (live: Live) => answerHere(live, text, io);
  return await withLive({ dir, isDirectoryOnly: true }, io, programs, act, {
    writes: true,
    program: 'upi-wizard answer',
  });
}

async function show(dir: string, holder: FoundOwner | null, io: LiveIo, isJson: boolean): Promise<number> {
  let question: OpenQuestion | null;
  if (holder === null) {
    const saved = savedIn(dir, io);
    if (saved === 'unreadable') return 4;
    question = saved;
  } else {
    const asked = await questionOfHolder(dir, holder);
    if (asked === 'silent') return refuse(io, words().silent(describeOwner(holder.owner, holder.liveness)));
    question = asked.question;
  }
  if (isJson) io.stdout(jsonText({ question: question && { ...question, isHeld: holder !== null } }));
  else io.stdout(question === null ? `${words().none}\n` : textOf(question, dir));
  return 0;
}

function savedIn(dir: string, io: LiveIo): OpenQuestion | null | 'unreadable' {
  try {
    const { question } = neededSession(dir);
    const known = question && knownQuestion(question);
    return question && known && describeQuestion(known.step, { ...question, action: known.action }, null);
  } catch (error) {
    if (!(error instanceof TroubleError)) throw error;
    io.stderr(troubleText(error.trouble));
    return 'unreadable';
  }
}

function textOf({ title, question, lines, words: typed }: OpenQuestion, dir: string): string {
  const how = words().howTo(
    commandLine('answer', '--dir', dir, typed === null ? 'yes' : (typed[0] ?? words().reasonWord)),
  );
  return `${[title, question, ...lines.map((line) => `  ${line}`), how].join('\n')}\n`;
}

async function answerElsewhere(dir: string, holder: FoundOwner, text: string, io: LiveIo): Promise<number> {
  const who = describeOwner(holder.owner, holder.liveness);
  const answered = await answerHolder(dir, holder, text);
  if (answered === 'silent') return refuse(io, words().silent(who));
  if (answered.refused !== null) return refuse(io, words().refused(sanitizeLine(answered.refused)));
  io.stderr(`${words().taken(who)}\n`);
  return 0;
}

/** The lock is ours. The question is gone from the session before its act begins, so that no yes counts twice. */
async function answerHere({ session, question, keepQuestion }: Live, text: string, io: LiveIo): Promise<number> {
  if (question === null || session === null) return refuse(io, words().none);
  const known = knownQuestion(question);
  if (known === null) return refuse(io, words().unknown);
  const answer = answerOf(text, question.words);
  if ('refused' in answer) return refuse(io, words().refused(answer.refused));
  if (!answer.isYes) {
    keepQuestion(null);
    io.stderr(`${words().declined}\n`);
    return 0;
  }
  const { context } = session;
  const step = STEPS[known.step];
  let shown: Plan | null = null;
  if (known.action === 'apply') {
    const seen = await step.look(context);
    if (seen.probe.state === 'done') {
      keepQuestion(null);
      io.stderr(`${words().settled}\n`);
      return 0;
    }
    const plan = await seen.plan();
    shown = plan;
    const checksum = planChecksum(plan);
    if (checksum !== question.plan) {
      // A yes was to what was shown: this is shown now, and asked about anew.
      keepQuestion({ ...question, plan: checksum });
      refuse(io, words().changed);
      io.stderr(textOf(describeQuestion(known.step, { ...question, action: known.action }, plan), context.dir));
      return 4;
    }
  }
  keepQuestion(null);
  const subject = known.action === 'override' ? text.trim() : question.subject;
  return await carryOut(known, { subject, shown }, context, io);
}

async function carryOut(
  { step: id, action }: NonNullable<ReturnType<typeof knownQuestion>>,
  about: { readonly subject: string | null; readonly shown: Plan | null },
  context: StepContext,
  io: LiveIo,
): Promise<number> {
  const { doing } = catalogue().plain;
  await haveAct(STEPS[id], context, { action, ...about }, (line) => io.stdout(`${doing(line)}\n`));
  const { probe } = await STEPS[id].look(context);
  io.stdout(`${doing(probe.summary)}\n`);
  return probe.state === 'blocked' ? 4 : 0;
}

function refuse(io: LiveIo, why: string): number {
  io.stderr(`${why}\n`);
  return 4;
}
