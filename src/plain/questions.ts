import { TOPOLOGIES } from '../design/choices.ts';
import { detectPastedSecret } from '../design/credentials.ts';
import { computeFollowUpChanges } from '../design/follow-up-changes.ts';
import type { Design } from '../design/model.ts';
import { checkDocument } from '../design/parse.ts';
import { type DesignDocument, getAt } from '../design/paths.ts';
import { catalogue, isYesAnswer } from '../i18n/catalogue.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { splitGraphemes } from '../platform/text.ts';
import {
  type ActiveForm,
  getActiveForm,
  getExampleDocument,
  getFocusedField,
  isSiteAnswer,
  listActiveFieldProblems,
  listChoices,
} from '../wizard/design/active-form.ts';
import {
  type Field,
  formatProblem,
  getDisplayText,
  getFieldHelp,
  listFieldProblems,
  listVisibleFields,
  readFieldText,
  writeFieldText,
} from '../wizard/design/fields.ts';
import { describeFollowUpOffer, detectChange } from '../wizard/design/follow-up.ts';
import { FORMS, type FormId } from '../wizard/design/pages/index.ts';
import {
  describePath,
  isExampleSite,
  listExampleAnswers,
  listReviewProblems,
  type ReviewContext,
} from '../wizard/design/review.ts';
import { hasAdvancedFields } from '../wizard/design/update-form.ts';
import type { Intent } from '../wizard/intents.ts';
import { filterErrors, isReadOnly, type WizardState } from '../wizard/state.ts';
import { findOptionByName, type KeyEvent } from '../wizard/text-input.ts';
import type { LineInput, Prompt, PromptResult } from './menu.ts';
import { toOutputLines } from './output.ts';

const words = () => catalogue().plain;

interface QuestionIo {
  readonly print: (line: string) => void;
  /** The line that the user typed, or null at the end of the input. */
  readonly ask: (prompt: string) => Promise<string | null>;
  /** Saves the answers given so far. */
  readonly save: (document: DesignDocument) => void;
}

/**
 * Asks the pages of the design one question per line: the same fields, defaults and rules as on the screens. An empty
 * line keeps the value in brackets, a hyphen removes an optional answer, ? explains and quit leaves, as in the dialog.
 * @returns the design; null if the input ended, the user left, or errors remain that these questions cannot correct
 */
export async function askDesign(document: DesignDocument, io: QuestionIo): Promise<Design | null> {
  let answers = document;
  for (const page of Object.keys(FORMS) as FormId[]) {
    io.print('');
    io.print(`${catalogue().pages[page].title}: ${catalogue().pages[page].intro}`);
    for (let index = 0; ; index += 1) {
      const fields = listVisibleFields(FORMS[page], answers);
      const field = fields[index];
      if (!field) break;
      const { label, reason } = field.words();
      io.print(words().explanation(words().question(label, index + 1, fields.length, reason)));
      const updatedDocument = await askField(answers, field, io);
      if (updatedDocument === null) return null;
      answers = await askFollowUps(answers, updatedDocument, io);
      io.save(answers);
    }
  }
  const nodes = getAt(answers, 'nodes');
  io.print(words().nodes(Array.isArray(nodes) ? nodes.length : 0));
  const { design, problems } = checkDocument(answers);
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) io.print(words().problems(errors.length));
  for (const { path, message, fix } of errors) io.print(words().problem(describePath(answers, path), message, fix));
  return design;
}

/** Formats what Review says about the answers: problems, and answers about the site that are still the example's. */
export function formatReview(state: ReviewContext): string[] {
  const { title, count, pages, fieldLocation, exampleSite, exampleTitle, exampleAnswer } = catalogue().pages.review;
  const problems = listReviewProblems(state);
  const errorCount = problems.filter(({ severity }) => severity === 'error').length;
  const exampleAnswers = listExampleAnswers(state);
  const isAllExample = state.welcome.rehearsal === null && isExampleSite(state);
  return [
    ...(problems.length > 0 ? [`${title}: ${count(errorCount, problems.length - errorCount)}`] : []),
    ...problems.map(({ page, subject, message, fix }) =>
      words().problem(subject.length > 0 ? fieldLocation(pages[page], subject.join(': ')) : pages[page], message, fix),
    ),
    ...(isAllExample ? [words().notice('warning', exampleSite.details[0] ?? '')] : []),
    ...(exampleAnswers.length > 0 ? [exampleTitle] : []),
    ...exampleAnswers.map(({ label, text }) => `  ${exampleAnswer(label, text)}`),
  ].flatMap(toOutputLines);
}

async function askField(document: DesignDocument, field: Field, io: QuestionIo): Promise<DesignDocument | null> {
  const choices = listChoices(field);
  const labels = choices.map((choice) => getDisplayText(field, choice));
  if (choices.length > 0) io.print(words().choices(labels));
  const currentText = getDisplayText(field, readFieldText(document, field));
  for (;;) {
    const line = await io.ask(words().prompt(field.words().label, currentText, field.isOptional ?? false));
    const input = line?.trim() ?? words().inputCommands.leave;
    if (input === words().inputCommands.leave) {
      io.print(line === null ? words().endOfInput : words().answersSaved);
      return null;
    }
    if (input === words().inputCommands.help) {
      io.print(getFieldHelp(field, document));
      continue;
    }
    const text = input === '' ? input : (choices[findOptionByName(labels, input)] ?? input);
    if (detectPastedSecret(text) === 'pull-secret' || detectPastedSecret(text) === 'private-key') {
      io.print(words().rejected(catalogue().pages.credentials.pasted.useFile));
      continue;
    }
    const isCleared = text === words().none && field.isOptional === true;
    const updatedDocument = text === '' ? document : writeFieldText(document, field, isCleared ? '' : text);
    const error = listFieldProblems(checkDocument(updatedDocument).problems, field).find(
      ({ severity }) => severity === 'error',
    );
    if (!error) return updatedDocument;
    io.print(words().rejected(formatProblem(error, updatedDocument)));
  }
}

/** Offers to update the answers that depend on the changed answer. */
async function askFollowUps(
  previousDocument: DesignDocument,
  updatedDocument: DesignDocument,
  io: QuestionIo,
): Promise<DesignDocument> {
  const { detectedChange } = detectChange(previousDocument, updatedDocument, {});
  if (detectedChange === null) return updatedDocument;
  const { change } = detectedChange;
  const followUps = computeFollowUpChanges(updatedDocument, change);
  const { question, lines } = describeFollowUpOffer(updatedDocument, change, followUps);
  io.print(question);
  for (const line of lines) io.print(`  ${line}`);
  const answer = (await io.ask(words().followUpPrompt))?.trim() ?? '';
  return isYesAnswer(answer) ? followUps.document : updatedDocument;
}

/**
 * Creates the function that asks one question and resolves to the line of the answer; null when the input has ended.
 * Queued lines answer at once. A question about something dangerous (`ignoresTypeAhead`) discards the queued lines of a
 * terminal: they were typed before the question appeared. Lines of a file or a pipe are written behind their prompt,
 * except for secrets.
 */
export function createQuestionPrompt(
  input: LineInput,
  write: (text: string) => void,
  isTerminal = false,
): (prompt: string, options?: { readonly ignoresTypeAhead: boolean }) => Promise<string | null> {
  return async (prompt, { ignoresTypeAhead } = { ignoresTypeAhead: false }) => {
    if (ignoresTypeAhead && isTerminal && input.discardLines()) write(`${words().staleInput}\n`);
    write(prompt);
    await input.waitForLine();
    const line = input.takeLine();
    // A terminal shows what is typed; the transcript of a script would lack it.
    if (!isTerminal)
      write(`${line === null || detectPastedSecret(line) === null ? sanitizeLine(line ?? '') : words().secret}\n`);
    return line;
  };
}

// Discards a refused line: the user types it again, and leaving must not save it as an answer.
const ACCEPT_INTENT: Intent = { type: 'field/accept', onError: 'discard' };

/** Creates the prompt for the field under the cursor of a form; null if no form is open. */
export function createFieldPrompt(state: WizardState): Prompt | null {
  const activeForm = getActiveForm(state);
  const field = getFocusedField(state);
  if (!activeForm || !field) return null;
  // A text of the last session that was not accepted is in the editor only.
  const value = activeForm.form.editor.text;
  const choices = listChoices(field);
  const { label, reason } = field.words();
  const nodeName =
    activeForm.prefix === '' ? '' : sanitizeLine(String(getAt(state.document, `${activeForm.prefix}name`) ?? ''));
  const isRefused = value !== '' && filterErrors(listActiveFieldProblems(state, field)).length > 0;
  const defaultAnswer = isRefused ? findDefaultAnswer(state, activeForm, field) : null;
  const formatPrompt = (text: string) => words().prompt(label, getDisplayText(field, text), field.isOptional ?? false);
  return {
    kind: 'text',
    id: `${state.screen} ${activeForm.prefix}${field.path}`,
    intro: [
      '',
      ...(isReadOnly(state) ? [words().readOnly] : []),
      words().question(
        nodeName === '' ? label : words().nodeField(nodeName, label),
        activeForm.form.focus + 1,
        activeForm.fields.length,
        reason,
      ),
      ...choices.map((choice, index) => words().numbered(index + 1, getDisplayText(field, choice))),
    ],
    promptText:
      isRefused && defaultAnswer === null
        ? words().promptInstead(label, getDisplayText(field, value))
        : formatPrompt(defaultAnswer ?? value),
    accept: (line) => interpretFieldInput(state, field, line.trim() === '' ? (defaultAnswer ?? line) : line),
  };
}

/**
 * Finds the default of a field whose answer is wrong since an earlier session or an import. Null if there is none,
 * or if the answer describes the site: an example is no answer then.
 */
function findDefaultAnswer({ document }: WizardState, { prefix }: ActiveForm, field: Field): string | null {
  if (prefix !== '' || isSiteAnswer(field.path)) return null;
  const topology = TOPOLOGIES.find((candidate) => candidate === getAt(document, 'topology')) ?? 'standard';
  const text = readFieldText(getExampleDocument(topology), field);
  return text === '' ? null : text;
}

function interpretFieldInput(state: WizardState, field: Field, line: string): PromptResult {
  const activeForm = getActiveForm(state);
  const focus = activeForm?.form.focus ?? 0;
  const { inputCommands } = words();
  const text = line.trim();
  const choices = listChoices(field);
  if (isReadOnly(state) && text === words().inputCommands.edit) return { intents: [{ type: 'document/unlock' }] };
  switch (text) {
    case '':
      return { intents: [ACCEPT_INTENT] };
    case inputCommands.help:
      return {
        lines: [getFieldHelp(field, state.document), ...words().fieldLegend(hasAdvancedFields(state))].filter(
          (line) => line !== '',
        ),
      };
    case inputCommands.back:
    case words().menu.back:
      if (focus > 0) return { intents: [{ type: 'field/move', by: -1 }] };
      return { intents: [state.nodes.edit ? { type: 'node/close' } : { type: 'screen/back' }] };
    case inputCommands.undo:
      return { intents: [{ type: 'document/undo' }] };
    case inputCommands.redo:
      return { intents: [{ type: 'document/redo' }] };
    case inputCommands.more:
      return { intents: [{ type: 'field/more' }] };
    case inputCommands.rest:
      // One intent for each remaining field: accepting stops at a wrong answer, and the last one leads to the next
      // page.
      return { intents: Array.from({ length: (activeForm?.fields.length ?? 0) - focus }, () => ACCEPT_INTENT) };
    case inputCommands.leave:
      return { intents: [{ type: 'session/quit' }] };
    case inputCommands.none:
      if (isReadOnly(state)) return { lines: [words().readOnly] };
      if (field.isOptional) return { intents: [...createTypingIntents(''), ACCEPT_INTENT] };
  }
  // A pasted secret is dispatched as a paste: typed letter by letter, it would end up in the answers.
  if (detectPastedSecret(text) !== null) return { intents: [{ type: 'field/edit', event: { kind: 'paste', text } }] };
  if (isReadOnly(state)) return { lines: [words().readOnly] };
  if (choices.length === 0) return { intents: [...createTypingIntents(text), ACCEPT_INTENT] };
  const labels = choices.map((choice) => getDisplayText(field, choice));
  const nameIndex = choices.includes(text) ? choices.indexOf(text) : findOptionByName(labels, text);
  const index = nameIndex < 0 && /^\d+$/.test(text) ? Number(text) - 1 : nameIndex;
  if (choices[index] === undefined) return { lines: [words().chooseByWord(choices.length)] };
  const currentIndex = choices.indexOf(activeForm?.form.editor.text ?? '');
  return { intents: [{ type: 'choice/move', by: index - currentIndex }, ACCEPT_INTENT] };
}

/** Creates the intents that replace the text of the field by typing. */
function createTypingIntents(text: string): Intent[] {
  const clearEvents: readonly KeyEvent[] = [
    { kind: 'key', name: 'ctrl-e' },
    { kind: 'key', name: 'ctrl-u' },
  ];
  const events = [
    ...clearEvents,
    ...splitGraphemes(text).map((grapheme): KeyEvent => ({ kind: 'char', text: grapheme })),
  ];
  return events.map((event) => ({ type: 'field/edit', event }));
}
