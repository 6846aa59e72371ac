import { setAt } from '../../design/document-draft.ts';
import { type DesignDocument, getAt } from '../../design/paths.ts';
import { type FormState, filterErrors, type ScreenId, type WizardState } from '../state.ts';
import { createTextField } from '../text-input.ts';
import { getMatchingExample, isDefaultAnswer, isWizardAnswer } from './default-answer.ts';
import { type Field, listFieldProblems, listVisibleFields, ownsPath, readFieldText } from './fields.ts';
import { FORMS, type FormId, nodeFields } from './pages/index.ts';

/** The form under edit: its fields, the part of the document that holds their values, and how to write it back. */
export interface ActiveForm {
  readonly fields: readonly Field[];
  readonly form: FormState;
  /** The part of the document that the fields' paths are relative to. */
  readonly part: DesignDocument;
  /** The path of `part`, with a dot at its end; empty: the whole document. */
  readonly prefix: string;
  readonly writeBack: (state: WizardState, form: FormState) => WizardState;
}

function isForm(screen: ScreenId): screen is FormId {
  return screen in FORMS;
}

/** Returns the form under the cursor: a page's, or the one over the node table; null on other screens. */
export function getActiveForm(state: WizardState): ActiveForm | null {
  if (isForm(state.screen)) {
    const id = state.screen;
    return {
      fields: listVisibleFields(FORMS[id], state.document, state.areAdvancedFieldsShown),
      form: state.forms[id],
      part: state.document,
      prefix: '',
      writeBack: (next, form) => ({ ...next, forms: { ...next.forms, [id]: form } }),
    };
  }
  const edit = state.nodes.edit;
  if (state.screen !== 'nodes' || !edit) return null;
  const part = getAt(state.document, `nodes.${edit.index}`);
  return {
    fields: listVisibleFields(nodeFields, part, state.areAdvancedFieldsShown),
    form: edit,
    part,
    prefix: `nodes.${edit.index}.`,
    writeBack: (next, form) => ({ ...next, nodes: { ...next.nodes, edit: { ...edit, ...form } } }),
  };
}

/** Returns the field with the cursor; null without an open form. */
export function getFocusedField(state: WizardState): Field | null {
  const activeForm = getActiveForm(state);
  return activeForm?.fields[activeForm.form.focus] ?? null;
}

/** Lists the problems that are shown beside a field of the form under the cursor. */
export function listActiveFieldProblems(state: WizardState, field: Field) {
  const prefix = getActiveForm(state)?.prefix ?? '';
  const documentField = {
    ...field,
    path: `${prefix}${field.path}`,
    extraPaths: field.extraPaths?.map((path) => `${prefix}${path}`),
  };
  return listFieldProblems([...state.problems, ...state.credentialProblems], documentField);
}

/** Returns the field's value in force while the design has errors; null if it is empty or equals the typed one. */
export function getValueInForce(state: WizardState, field: Field): string | null {
  const activeForm = getActiveForm(state);
  if (!activeForm || state.design !== null || state.inForce === null) return null;
  const text = readFieldText(getFormPart(state.inForce.document, activeForm), field);
  return text === '' || text === readFieldText(activeForm.part, field) ? null : text;
}

/** Returns the part of a document that the fields of a form are in. */
export const getFormPart = (document: DesignDocument, { prefix }: ActiveForm): DesignDocument =>
  prefix === '' ? document : getAt(document, prefix.slice(0, -1));

/**
 * Returns the document by which the open form is laid out. An answer with an error is replaced by its last valid text,
 * the answer in force, or else that of the example.
 */
export function getLaidOutDocument(state: WizardState): DesignDocument {
  const { document, design, inForce, lastValidTexts } = state;
  const { fields, prefix } = getActiveForm(state) ?? { fields: [], prefix: '' };
  const reference = (design === null ? inForce?.document : null) ?? getMatchingExample(state);
  return fields
    .filter((field) => filterErrors(listActiveFieldProblems(state, field)).length > 0)
    .map(({ path }) => `${prefix}${path}`)
    .reduce((old, path) => setAt(old, path, lastValidTexts[path] ?? getAt(reference, path)), document);
}

/** Moves the cursor to a form's field (by path), at the end of its text; for a field of a node, in the node's form. */
export function enterForm(state: WizardState, path?: string): WizardState {
  const revealedState = path === undefined ? state : revealField(openNodeForm(state, path), path);
  const activeForm = getActiveForm(revealedState);
  if (!activeForm) return state;
  const fieldIndex = path === undefined ? -1 : findFieldIndex(activeForm, path);
  const focus =
    fieldIndex >= 0
      ? fieldIndex
      : path === undefined
        ? Math.min(activeForm.form.focus, activeForm.fields.length - 1)
        : 0;
  return focusField(revealedState, focus);
}

function openNodeForm(state: WizardState, path: string): WizardState {
  const index = Number(/^nodes\.(\d+)\./.exec(path)?.[1] ?? -1);
  const { edit } = state.nodes;
  const isNode = state.screen === 'nodes' && getAt(state.document, `nodes.${index}`) !== undefined;
  if (!isNode || edit?.index === index) return state;
  const form = { index, isNew: false, focus: 0, editor: createTextField(''), change: null, typeAhead: null };
  return { ...state, nodes: { ...state.nodes, edit: form } };
}

/**
 * Finds the index of the field at a path; -1 if there is none. If no single field owns that part of the document, the
 * first field in it counts.
 */
function findFieldIndex({ fields, prefix }: ActiveForm, path: string): number {
  const localPath = path.startsWith(prefix) ? path.slice(prefix.length) : path;
  const ownerIndex = fields.findIndex((field) => ownsPath(field, localPath));
  return ownerIndex >= 0 ? ownerIndex : fields.findIndex((field) => field.path.startsWith(`${localPath}.`));
}

/** Returns the state that shows the field at a path, even if the field is rarely needed. */
function revealField(state: WizardState, path: string): WizardState {
  const activeForm = getActiveForm(state);
  if (!activeForm || state.areAdvancedFieldsShown || findFieldIndex(activeForm, path) >= 0) return state;
  const expandedState: WizardState = { ...state, areAdvancedFieldsShown: true };
  const expandedForm = getActiveForm(expandedState);
  return expandedForm && findFieldIndex(expandedForm, path) >= 0 ? expandedState : state;
}

/** Moves the cursor to the field with this index. */
export function focusField(state: WizardState, focus: number): WizardState {
  const activeForm = getActiveForm(state);
  const field = activeForm?.fields[focus];
  if (!activeForm || !field) return state;
  return activeForm.writeBack(state, {
    focus,
    editor: createTextField(readFieldText(activeForm.part, field), isReplacedByTyping(state, activeForm, field)),
    change: null,
    typeAhead: null,
  });
}

/** Lists the values of a field with a choice; none for a typed field. */
export function listChoices(field: Field): readonly string[] {
  return field.type === 'flag' ? ['false', 'true'] : (field.choices ?? []);
}

/** Whether the user answers a field by choosing (Left and Right) and not by typing. */
export const isChoice = (field: Field) => listChoices(field).length > 0;

/** Whether typed text replaces the answer of a field: the user typed none of it, and the field is no choice. */
const isReplacedByTyping = (state: WizardState, { prefix }: ActiveForm, field: Field) => {
  const path = `${prefix}${field.path}`;
  return !isChoice(field) && (isDefaultAnswer(state, path) || isWizardAnswer(state, path));
};
