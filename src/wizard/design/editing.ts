import type { FormState, ScreenId, WizardState } from '../state.ts';
import { textFieldOf } from '../typing/text-field.ts';
import { type Document, getAt } from './document.ts';
import { type Field, fieldProblems, fieldText, ownsPath, visibleFields } from './fields.ts';
import { FORMS, type FormId } from './pages/index.ts';
import { nodeFields } from './pages/nodes.ts';

/** The form under edit: the fields, the values they are in, and how to put them back. */
export interface Editing {
  readonly fields: readonly Field[];
  readonly form: FormState;
  /** The part of the document that the fields' paths are relative to. */
  readonly part: Document;
  readonly prefix: string;
  readonly put: (state: WizardState, form: FormState) => WizardState;
}

export function isForm(screen: ScreenId): screen is FormId {
  return screen in FORMS;
}

/** The form under the cursor: a page's, or the one over the node table; null on other screens. */
export function editingOf(state: WizardState): Editing | null {
  if (isForm(state.screen)) {
    const id = state.screen;
    return {
      fields: visibleFields(FORMS[id], state.document, state.isMoreShown),
      form: state.forms[id],
      part: state.document,
      prefix: '',
      put: (next, form) => ({ ...next, forms: { ...next.forms, [id]: form } }),
    };
  }
  const edit = state.nodes.edit;
  if (state.screen !== 'nodes' || !edit) return null;
  const part = getAt(state.document, `nodes.${edit.index}`);
  return {
    fields: visibleFields(nodeFields, part, state.isMoreShown),
    form: edit,
    part,
    prefix: `nodes.${edit.index}.`,
    put: (next, form) => ({ ...next, nodes: { ...next.nodes, edit: { ...edit, ...form } } }),
  };
}

/** The field with the cursor. */
export function focusedField(state: WizardState): Field | null {
  const editing = editingOf(state);
  return editing?.fields[editing.form.focus] ?? null;
}

/** Problems beside a field of the form under the cursor. */
export function problemsBeside(state: WizardState, field: Field) {
  const prefix = editingOf(state)?.prefix ?? '';
  const owned = {
    ...field,
    path: `${prefix}${field.path}`,
    alsoOwns: field.alsoOwns?.map((path) => `${prefix}${path}`),
  };
  return fieldProblems([...state.problems, ...state.credentialProblems], owned);
}

/** The answer that is in use while the one as typed is wrong; null where there is none, or where it is the same. */
export function answerInForce(state: WizardState, field: Field): string | null {
  const editing = editingOf(state);
  if (!editing || state.design !== null || state.inForce === null) return null;
  const { document } = state.inForce;
  const part = editing.prefix === '' ? document : getAt(document, editing.prefix.slice(0, -1));
  const text = fieldText(part, field);
  return text === '' || text === fieldText(editing.part, field) ? null : text;
}

/** Puts the cursor on a form's field (by path), behind its text. */
export function enterForm(state: WizardState, path?: string): WizardState {
  const asked = path === undefined ? state : withQuestionOf(state, path);
  const editing = editingOf(asked);
  if (!editing) return state;
  const wanted = path === undefined ? -1 : indexOfPath(editing, path);
  const focus = wanted >= 0 ? wanted : path === undefined ? Math.min(editing.form.focus, editing.fields.length - 1) : 0;
  return focusOn(asked, focus);
}

/** The field at a path, or the first one in a part of the document that no field has to itself; -1: none. */
function indexOfPath({ fields, prefix }: Editing, path: string): number {
  const local = path.startsWith(prefix) ? path.slice(prefix.length) : path;
  const owner = fields.findIndex((field) => ownsPath(field, local));
  return owner >= 0 ? owner : fields.findIndex((field) => field.path.startsWith(`${local}.`));
}

/** The state that asks the question at a path, also a rarely needed one. */
function withQuestionOf(state: WizardState, path: string): WizardState {
  const editing = editingOf(state);
  if (!editing || state.isMoreShown || indexOfPath(editing, path) >= 0) return state;
  const more: WizardState = { ...state, isMoreShown: true };
  const asked = editingOf(more);
  return asked && indexOfPath(asked, path) >= 0 ? more : state;
}

/** Puts the cursor on the field with this index. */
export function focusOn(state: WizardState, focus: number): WizardState {
  const editing = editingOf(state);
  const field = editing?.fields[focus];
  if (!editing || !field) return state;
  return editing.put(state, { focus, editor: textFieldOf(fieldText(editing.part, field)), made: null, ahead: null });
}

/** The values of a field with a choice; none for a typed field. */
export function choicesOf(field: Field): readonly string[] {
  return field.type === 'flag' ? ['false', 'true'] : (field.choices ?? []);
}

/** Whether a person answers a field by choosing (Left and Right) and not by typing. */
export const isChoice = (field: Field) => choicesOf(field).length > 0;
