import { detectPastedSecret } from '../design/pasted-secrets.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { splitGraphemes } from '../platform/width.ts';
import { getActiveForm, getFocusedField, listChoices } from '../wizard/design/active-form.ts';
import { type Field, getDisplayText, getFieldHelp, readFieldText } from '../wizard/design/fields.ts';
import { hasMoreFields } from '../wizard/design/update-form.ts';
import type { Intent } from '../wizard/intents.ts';
import { isReadOnly, type WizardState } from '../wizard/state.ts';
import type { KeyEvent } from '../wizard/typing/key-event.ts';
import { findOptionByName } from '../wizard/typing/type-ahead.ts';
import type { Prompt, PromptResult } from './prompt.ts';

const words = () => catalogue().plain;

const ACCEPT: Intent = { type: 'field/accept' };

/** Creates the prompt for the field under the cursor of a form; null if no form is open. */
export function createFieldPrompt(state: WizardState): Prompt | null {
  const editing = getActiveForm(state);
  const field = getFocusedField(state);
  if (!editing || !field) return null;
  const value = readFieldText(editing.part, field);
  const choices = listChoices(field);
  const { label, why } = field.words();
  return {
    kind: 'text',
    id: `${state.screen} ${editing.prefix}${field.path}`,
    intro: [
      '',
      ...(isReadOnly(state) ? [words().readOnly] : []),
      why,
      ...choices.map((choice, index) => words().numbered(index + 1, getDisplayText(field, choice))),
    ],
    promptText: words().prompt(label, getDisplayText(field, value), field.isOptional ?? false),
    accept: (line) => handleFieldInput(state, field, line),
  };
}

function handleFieldInput(state: WizardState, field: Field, line: string): PromptResult {
  const editing = getActiveForm(state);
  const focus = editing?.form.focus ?? 0;
  const { inputCommands } = words();
  const text = line.trim();
  const choices = listChoices(field);
  if (isReadOnly(state) && text === words().inputCommands.edit) return { intents: [{ type: 'document/unlock' }] };
  switch (text) {
    case '':
      return { intents: [ACCEPT] };
    case inputCommands.help:
      return {
        lines: [getFieldHelp(field, state.document), ...words().fieldLegend(hasMoreFields(state))].filter(
          (each) => each !== '',
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
      // Stops at the first wrong answer, and the last answer leads to the next page: never more intents than fields.
      return { intents: Array.from({ length: (editing?.fields.length ?? 0) - focus }, () => ACCEPT) };
    case inputCommands.leave:
      return { intents: [{ type: 'session/quit' }] };
    case inputCommands.none:
      if (isReadOnly(state)) return { lines: [words().readOnly] };
      if (field.isOptional) return { intents: [...createTypingIntents(''), ACCEPT] };
  }
  // A pasted secret is dispatched as a paste: typed letter by letter, it would end up in the answers.
  if (detectPastedSecret(text) !== null) return { intents: [{ type: 'field/edit', event: { kind: 'paste', text } }] };
  if (isReadOnly(state)) return { lines: [words().readOnly] };
  if (choices.length === 0) return { intents: [...createTypingIntents(text), ACCEPT] };
  const labels = choices.map((choice) => getDisplayText(field, choice));
  const nameIndex = choices.includes(text) ? choices.indexOf(text) : findOptionByName(labels, text);
  const index = nameIndex < 0 && /^\d+$/.test(text) ? Number(text) - 1 : nameIndex;
  if (choices[index] === undefined) return { lines: [words().chooseOne(choices.length)] };
  const currentIndex = choices.indexOf(editing?.form.editor.text ?? '');
  return { intents: [{ type: 'choice/move', by: index - currentIndex }, ACCEPT] };
}

/** Creates the intents that replace the text of the field by typing. */
function createTypingIntents(text: string): Intent[] {
  const clear: readonly KeyEvent[] = [
    { kind: 'key', name: 'ctrl-e' },
    { kind: 'key', name: 'ctrl-u' },
  ];
  const events = [...clear, ...splitGraphemes(text).map((grapheme): KeyEvent => ({ kind: 'char', text: grapheme }))];
  return events.map((event) => ({ type: 'field/edit', event }));
}
