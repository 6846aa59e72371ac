import { catalogue, formatCommandLine } from '../i18n/catalogue.ts';
import { UserErrorException } from '../i18n/user-error.ts';
import { formatJson, sanitizeLine } from '../platform/sanitize.ts';
import { answerHolderQuestion, findHolder, queryHolderQuestion } from '../session/holder-client.ts';
import type { FoundHolder } from '../session/holder-files.ts';
import { describeHolder } from '../session/holder-files.ts';
import { findInstallDirectory } from '../session/install-directories.ts';
import type { OpenQuestion } from '../session/session-protocol.ts';
import type { Plan, StepContext } from '../steps/contract.ts';
import { STEPS } from '../steps/registry.ts';
import { answerMoveQuestion, createQuestionPlan, findMoveJob } from '../steps/shared/moves/move-job.ts';
import type { MoveQuestion } from '../steps/shared/moves/move-run.ts';
import { runStepAction } from '../steps/shared/run-step-action.ts';
import { parseAction } from '../steps/step-action.ts';
import type { Arguments } from './commands.ts';
import { formatChanges } from './infra/output.ts';
import { requireSession } from './session/open-session.ts';
import {
  computePlanChecksum,
  describeQuestion,
  parseAnswerText,
  parseSavedQuestion,
} from './session/session-holder.ts';
import { type ClusterTarget, withClusterTarget } from './shared/cluster-target.ts';
import type { CommandContext } from './shared/context.ts';
import { formatUserError } from './shared/io.ts';
import type { ProcessIo } from './shared/process-io.ts';
import type { Programs } from './shared/runtime.ts';
import { getLineColumns } from './shared/table.ts';

const words = () => catalogue().holder.answer;

/**
 * `upi-wizard answer [--dir D] [yes|no|TEXT] [--json]`: shows the open question, or answers it. The wizard that asked
 * it acts on the answer; if none runs, this command does.
 * @returns 0 shown, or answered and carried out; 4 there is no question to answer, the answer was refused, the wizard
 * does not respond, or the action failed
 */
export async function answerCommand(
  { options, operand: text }: Arguments<'answer'>,
  { openIo, launcher }: CommandContext,
): Promise<number> {
  const io = await openIo(text === undefined ? undefined : 'acting');
  const dir = findInstallDirectory(options.dir, io);
  const jobQuestion = findMoveJob({ dir })?.question ?? null;
  if (jobQuestion !== null) return answerJobQuestion(dir, jobQuestion, text, io, options.json);
  const holder = await findHolder(dir);
  if (text === undefined)
    return await showQuestion(dir, holder, io, { isJson: options.json, programs: launcher.programs });
  if (holder !== null) return await answerRunningWizard(dir, holder, text, io);
  const act = (target: ClusterTarget) => answerSavedQuestion(target, text, io);
  return await withClusterTarget({ dir, isDirectoryOnly: true }, io, launcher.programs, act, {
    isForWriting: true,
    program: 'upi-wizard answer',
  });
}

/**
 * Answers the question of the job that applies infra moves. Needs no lock: the job and the wizard both see the answer.
 */
function answerJobQuestion(
  dir: string,
  question: MoveQuestion,
  text: string | undefined,
  io: ProcessIo,
  isJson: boolean,
): number {
  const plan = createQuestionPlan(question);
  const typedWords = plan.typedConfirmation === undefined ? null : [plan.typedConfirmation.word];
  const openQuestion: OpenQuestion = {
    ...describeQuestion('infra', { action: 'apply', subject: null, words: typedWords }, plan),
    question: [plan.question ?? '', plan.typedConfirmation?.reason ?? ''].filter(Boolean).join(' '),
  };
  if (text === undefined) {
    if (isJson) io.stdout(formatJson({ question: { ...openQuestion, isHeld: true } }));
    else io.stdout(`${formatQuestion(openQuestion, dir)}${formatChanges(plan.changes, getLineColumns(io))}`);
    return 0;
  }
  const answer = parseAnswerText(text, typedWords);
  if ('refused' in answer) return reportFailure(io, words().refused(answer.refused));
  if (!answerMoveQuestion({ dir }, answer.isYes, plan.changes)) return reportFailure(io, words().none);
  io.stderr(`${words().acceptedByJob(formatCommandLine('infra', 'job', '--follow', '--dir', dir))}\n`);
  return 0;
}

async function showQuestion(
  dir: string,
  holder: FoundHolder | null,
  io: ProcessIo,
  { isJson, programs }: { readonly isJson: boolean; readonly programs: Programs },
): Promise<number> {
  const print = (question: OpenQuestion | null) => {
    if (isJson) io.stdout(formatJson({ question: question && { ...question, isHeld: holder !== null } }));
    else io.stdout(question === null ? `${words().none}\n` : formatQuestion(question, dir));
    return 0;
  };
  if (holder !== null) {
    const response = await queryHolderQuestion(dir, holder);
    return response === 'silent'
      ? reportFailure(io, words().unresponsive(describeHolder(holder.record, holder.liveness)))
      : print(response.question);
  }
  const savedQuestion = readSavedQuestion(dir, io);
  if (savedQuestion === 'unreadable') return 4;
  if (savedQuestion === null) return print(null);
  const { step, action, question } = savedQuestion;
  if (action !== 'apply') return print(describeQuestion(step, { ...question, action }, null));
  // The lines of a running wizard are its plan: without one, it is made again.
  const printWithPlan = async ({ session }: ClusterTarget) => {
    const plan = session === null ? null : await (await STEPS[step].probe(session.context)).plan();
    return print(describeQuestion(step, { ...question, action }, plan));
  };
  return await withClusterTarget({ dir, isDirectoryOnly: true }, io, programs, printWithPlan);
}

/** Reads the saved question; null if there is none. Reports a session that cannot be read. */
function readSavedQuestion(dir: string, io: ProcessIo) {
  try {
    const { question } = requireSession(dir);
    const parsedQuestion = question && parseSavedQuestion(question);
    return question && parsedQuestion && { ...parsedQuestion, question };
  } catch (error) {
    if (!(error instanceof UserErrorException)) throw error;
    io.stderr(formatUserError(error.userError));
    return 'unreadable' as const;
  }
}

function formatQuestion({ title, question, lines, words: expectedWords }: OpenQuestion, dir: string): string {
  const hint = words().howTo(
    formatCommandLine(
      'answer',
      '--dir',
      dir,
      expectedWords === null ? 'yes' : (expectedWords[0] ?? words().reasonWord),
    ),
  );
  return `${[title, question, ...lines.map((line) => `  ${line}`), hint].join('\n')}\n`;
}

async function answerRunningWizard(dir: string, holder: FoundHolder, text: string, io: ProcessIo): Promise<number> {
  const holderText = describeHolder(holder.record, holder.liveness);
  const response = await answerHolderQuestion(dir, holder, text);
  if (response === 'silent') return reportFailure(io, words().unresponsive(holderText));
  if (response.refused !== null) return reportFailure(io, words().refused(sanitizeLine(response.refused)));
  io.stderr(`${words().accepted(holderText)}\n`);
  return 0;
}

/**
 * Answers the saved question while this process holds the lock. The question is removed before its action begins, so
 * that no yes counts twice.
 */
async function answerSavedQuestion(
  { session, question, saveQuestion }: ClusterTarget,
  text: string,
  io: ProcessIo,
): Promise<number> {
  if (question === null || session === null) return reportFailure(io, words().none);
  const parsedQuestion = parseSavedQuestion(question);
  if (parsedQuestion === null) return reportFailure(io, words().unknownQuestion);
  const answer = parseAnswerText(text, question.words);
  if ('refused' in answer) return reportFailure(io, words().refused(answer.refused));
  if (!answer.isYes) {
    saveQuestion(null);
    io.stderr(`${words().declined}\n`);
    return 0;
  }
  const { context } = session;
  const step = STEPS[parsedQuestion.step];
  let confirmedPlan: Plan | null = null;
  if (parsedQuestion.action === 'apply') {
    const result = await step.probe(context);
    if (result.probe.state === 'done') {
      saveQuestion(null);
      io.stderr(`${words().nothingLeft}\n`);
      return 0;
    }
    const plan = await result.plan();
    confirmedPlan = plan;
    const checksum = computePlanChecksum(plan);
    if (checksum !== question.plan) {
      // The yes was for the plan that was shown. The plan has changed: show it and ask again.
      saveQuestion({ ...question, plan: checksum });
      reportFailure(io, words().changedMeanwhile);
      io.stderr(
        formatQuestion(
          describeQuestion(parsedQuestion.step, { ...question, action: parsedQuestion.action }, plan),
          context.dir,
        ),
      );
      return 4;
    }
  }
  saveQuestion(null);
  const subject = parsedQuestion.action === 'override' ? text.trim() : question.subject;
  return await executeAction(parsedQuestion, { subject, confirmedPlan }, context, io);
}

async function executeAction(
  { step: id, action }: NonNullable<ReturnType<typeof parseSavedQuestion>>,
  { subject, confirmedPlan }: { readonly subject: string | null; readonly confirmedPlan: Plan | null },
  context: StepContext,
  io: ProcessIo,
): Promise<number> {
  const { progressLine } = catalogue().plain;
  const run = { action: parseAction(id, action, subject), confirmedPlan };
  await runStepAction(STEPS[id], context, run, (line) => io.stdout(`${progressLine(line)}\n`));
  const { probe } = await STEPS[id].probe(context);
  io.stdout(`${progressLine(probe.summary)}\n`);
  return probe.state === 'blocked' ? 4 : 0;
}

function reportFailure(io: ProcessIo, message: string): number {
  io.stderr(`${message}\n`);
  return 4;
}
