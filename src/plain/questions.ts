import type { Interface } from 'node:readline/promises';
import type { Design } from '../design/model.ts';
import { checkDocument } from '../design/parse.ts';
import { pastedSecretIn } from '../design/pasted-secrets.ts';
import { followersOf } from '../design/readdress.ts';
import { catalogue } from '../text/catalogue.ts';
import { saysYes } from '../text/yes.ts';
import { type Document, getAt } from '../wizard/design/document.ts';
import { choicesOf } from '../wizard/design/editing.ts';
import {
  acceptText,
  type Field,
  fieldHelp,
  fieldProblems,
  fieldText,
  problemText,
  shownText,
  visibleFields,
} from '../wizard/design/fields.ts';
import { changeBetween, toldOffer } from '../wizard/design/following.ts';
import { FORMS, type FormId } from '../wizard/design/pages/index.ts';
import { placeOf } from '../wizard/design/review.ts';
import { optionNamed } from '../wizard/typing/type-ahead.ts';

const words = () => catalogue().plain;

/** How to ask the questions. */
export interface QuestionIo {
  readonly print: (line: string) => void;
  /** The line a person typed, or null at the end of the input. */
  readonly ask: (prompt: string) => Promise<string | null>;
  /** Saves the answers given so far. */
  readonly save: (document: Document) => void;
}

/**
 * Asks the pages of the design one question per line: the same fields, defaults and rules as the screens. An empty line
 * keeps what is in brackets, a hyphen removes an optional answer, ? explains and quit leaves, as in the dialog.
 * @returns the design, or null when the input ended, was left, or errors remain that these questions cannot correct
 */
export async function askDesign(document: Document, io: QuestionIo): Promise<Design | null> {
  let answers = document;
  for (const page of Object.keys(FORMS) as FormId[]) {
    io.print('');
    io.print(`${catalogue().pages[page].title}: ${catalogue().pages[page].intro}`);
    for (let index = 0; ; index += 1) {
      const field = visibleFields(FORMS[page], answers)[index];
      if (!field) break;
      const answered = await askField(answers, field, io);
      if (answered === null) return null;
      answers = await askFollowers(answers, answered, io);
      io.save(answers);
    }
  }
  const nodes = getAt(answers, 'nodes');
  io.print(words().nodes(Array.isArray(nodes) ? nodes.length : 0));
  const { design, problems } = checkDocument(answers);
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) io.print(words().problems(errors.length));
  for (const { path, message, fix } of errors) io.print(words().problem(placeOf(answers, path), message, fix));
  return design;
}

async function askField(document: Document, field: Field, io: QuestionIo): Promise<Document | null> {
  io.print(words().why(field.words().why));
  const choices = choicesOf(field);
  const labels = choices.map((choice) => shownText(field, choice));
  if (choices.length > 0) io.print(words().choices(labels));
  const now = shownText(field, fieldText(document, field));
  for (;;) {
    const line = await io.ask(words().ask(field.words().label, now, field.isOptional ?? false));
    const typed = line?.trim() ?? words().signs.leave;
    if (typed === words().signs.leave) {
      io.print(line === null ? words().endOfInput : words().left);
      return null;
    }
    if (typed === words().signs.help) {
      io.print(fieldHelp(field, document));
      continue;
    }
    const text = typed === '' ? typed : (choices[optionNamed(labels, typed)] ?? typed);
    if (pastedSecretIn(text) === 'pull-secret' || pastedSecretIn(text) === 'private-key') {
      io.print(words().wrong(catalogue().pages.credentials.pasted.byFile));
      continue;
    }
    const isTaken = text === words().none && field.isOptional === true;
    const answered = text === '' ? document : acceptText(document, field, isTaken ? '' : text);
    const wrong = fieldProblems(checkDocument(answered).problems, field).find(({ severity }) => severity === 'error');
    if (!wrong) return answered;
    io.print(words().wrong(problemText(wrong, answered)));
  }
}

/** After a change that other answers follow from: offers to change them too. */
async function askFollowers(before: Document, after: Document, io: QuestionIo): Promise<Document> {
  const { change } = changeBetween(before, after, {});
  if (change === null) return after;
  const following = followersOf(after, change);
  const { question, lines } = toldOffer(after, change, following);
  io.print(question);
  for (const line of lines) io.print(`  ${line}`);
  const said = (await io.ask(words().followers))?.trim() ?? 'n';
  return said === '' || saysYes(said) ? following.document : after;
}

/**
 * A reader of lines; null when the input has ended. Keeps lines that arrive before anyone asks for them (a whole
 * scenario may come in one write), which readline's own question() would lose. A question about something dangerous (`isFresh`)
 * takes none of those from a person: what was typed at a terminal before it was there was no answer to it.
 */
export function lineReader(
  readline: Interface,
  write: (text: string) => void,
  isTerminal = false,
): (prompt: string, about?: { readonly isFresh: boolean }) => Promise<string | null> {
  const waiting: string[] = [];
  let isOver = false;
  let wake: () => void = () => undefined;
  readline.on('line', (line) => {
    waiting.push(line);
    wake();
  });
  readline.on('close', () => {
    isOver = true;
    wake();
  });
  return async (prompt, { isFresh } = { isFresh: false }) => {
    if (isFresh && isTerminal && waiting.length > 0) {
      waiting.length = 0;
      write(`${words().typedBefore}\n`);
    }
    write(prompt);
    while (waiting.length === 0 && !isOver) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return waiting.shift() ?? null;
  };
}
