import { pastedSecretIn } from '../design/pasted-secrets.ts';
import { catalogue } from '../text/catalogue.ts';
import { graphemesOf } from '../text/width.ts';
import { choicesOf, editingOf, focusedField } from '../wizard/design/editing.ts';
import { type Field, fieldHelp, fieldText, shownText } from '../wizard/design/fields.ts';
import { hasMore } from '../wizard/design/update-form.ts';
import type { Intent } from '../wizard/intents.ts';
import { isReadOnly, type WizardState } from '../wizard/state.ts';
import type { KeyEvent } from '../wizard/typing/key-event.ts';
import { optionNamed } from '../wizard/typing/type-ahead.ts';
import type { Answer, Turn } from './turn.ts';

const words = () => catalogue().plain;

const ACCEPT: Intent = { type: 'field/accept' };

/** The question under the cursor of a form; null where no form is open. */
export function fieldTurn(state: WizardState): Turn | null {
  const editing = editingOf(state);
  const field = focusedField(state);
  if (!editing || !field) return null;
  const value = fieldText(editing.part, field);
  const choices = choicesOf(field);
  const { label, why } = field.words();
  return {
    kind: 'text',
    id: `${state.screen} ${editing.prefix}${field.path}`,
    intro: [
      '',
      ...(isReadOnly(state) ? [words().readOnly] : []),
      why,
      ...choices.map((choice, index) => words().numbered(index + 1, shownText(field, choice))),
    ],
    prompt: words().ask(label, shownText(field, value), field.isOptional ?? false),
    accept: (line) => accepted(state, field, line),
  };
}

function accepted(state: WizardState, field: Field, line: string): Answer {
  const editing = editingOf(state);
  const focus = editing?.form.focus ?? 0;
  const { signs } = words();
  const text = line.trim();
  const choices = choicesOf(field);
  if (isReadOnly(state) && text === words().signs.edit) return { intents: [{ type: 'document/unlock' }] };
  switch (text) {
    case '':
      return { intents: [ACCEPT] };
    case signs.help:
      return {
        say: [fieldHelp(field, state.document), ...words().fieldSigns(hasMore(state))].filter((each) => each !== ''),
      };
    case signs.back:
    case words().menu.back:
      if (focus > 0) return { intents: [{ type: 'field/move', by: -1 }] };
      return { intents: [state.nodes.edit ? { type: 'node/close' } : { type: 'screen/back' }] };
    case signs.undo:
      return { intents: [{ type: 'document/undo' }] };
    case signs.redo:
      return { intents: [{ type: 'document/redo' }] };
    case signs.more:
      return { intents: [{ type: 'field/more' }] };
    case signs.rest:
      // Stops by itself at the first that is wrong, and the last leads on: no more than there are.
      return { intents: Array.from({ length: (editing?.fields.length ?? 0) - focus }, () => ACCEPT) };
    case signs.leave:
      return { intents: [{ type: 'session/quit' }] };
    case signs.none:
      if (isReadOnly(state)) return { say: [words().readOnly] };
      if (field.isOptional) return { intents: [...typing(''), ACCEPT] };
  }
  // A line of these goes the way of a paste: letter by letter it would be in the answers.
  if (pastedSecretIn(text) !== null) return { intents: [{ type: 'field/edit', event: { kind: 'paste', text } }] };
  if (isReadOnly(state)) return { say: [words().readOnly] };
  if (choices.length === 0) return { intents: [...typing(text), ACCEPT] };
  const labels = choices.map((choice) => shownText(field, choice));
  const named = choices.includes(text) ? choices.indexOf(text) : optionNamed(labels, text);
  const index = named < 0 && /^\d+$/.test(text) ? Number(text) - 1 : named;
  if (choices[index] === undefined) return { say: [words().chooseOne(choices.length)] };
  const at = choices.indexOf(editing?.form.editor.text ?? '');
  return { intents: [{ type: 'choice/move', by: index - at }, ACCEPT] };
}

/** Types a text over what stands there. */
export function typing(text: string): Intent[] {
  const clear: readonly KeyEvent[] = [
    { kind: 'key', name: 'ctrl-e' },
    { kind: 'key', name: 'ctrl-u' },
  ];
  const events = [...clear, ...graphemesOf(text).map((grapheme): KeyEvent => ({ kind: 'char', text: grapheme }))];
  return events.map((event) => ({ type: 'field/edit', event }));
}
