import { isDeepStrictEqual } from 'node:util';
import { NODE_ROLES, TOPOLOGIES, type Topology } from '../../design/choices.ts';
import { renderExampleDesign } from '../../design/example.ts';
import { type DesignDocument, getAt, setAt } from '../../design/paths.ts';
import { parseYamlText } from '../../design/yaml.ts';
import { type FormState, filterErrors, type ScreenId, type WizardState } from '../state.ts';
import { createTextField } from '../text-input.ts';
import { type Field, listFieldProblems, listVisibleFields, ownsPath, readFieldText } from './fields.ts';
import { computeFillValues, createNode, type NodeDraft, readNodeDrafts } from './node-table.ts';
import { FORMS, type FormId, nodeFields } from './pages/index.ts';

/** Caches the examples by topology: parsing one takes longer than a key press may take. */
const examplesByTopology = new Map<Topology, DesignDocument>();

/** Returns the document of the example design with this topology. */
export function getExampleDocument(topology: Topology): DesignDocument {
  const cachedDocument = examplesByTopology.get(topology);
  if (cachedDocument !== undefined) return cachedDocument;
  const { document } = parseYamlText(renderExampleDesign({ topology }));
  examplesByTopology.set(topology, document);
  return document;
}

/** Returns the document of the example with the topology of the design. */
export function getMatchingExample({ document }: Pick<WizardState, 'document'>): DesignDocument {
  return getExampleDocument(TOPOLOGIES.find((candidate) => candidate === getAt(document, 'topology')) ?? 'standard');
}

/** The document, and the node whose form is open. */
export type AnswerContext = Pick<WizardState, 'document'> & { readonly nodes: Pick<WizardState['nodes'], 'edit'> };

/**
 * Whether an answer is still a default that the user may not have looked at: that of the schema, that of the example
 * design, or the suggestion for a new node. An empty text is no default.
 * @param path in the document
 */
function isDefaultAnswer({ document, nodes: { edit } }: AnswerContext, path: string): boolean {
  const value = getAt(document, path);
  if (value === undefined || value === null) return true;
  const [, index = '', key = ''] = /^nodes\.(\d+)\.(\w+)$/.exec(path) ?? [];
  if (edit?.isNew && Number(index) === edit.index) {
    const documentWithoutNode = setAt(document, `nodes.${index}`, undefined);
    return isDeepStrictEqual(value, suggestNode(documentWithoutNode, readNodeDrafts(document)[edit.index]?.role)[key]);
  }
  return isDeepStrictEqual(value, getAt(getMatchingExample({ document }), path));
}

/**
 * Whether an answer is still the value that the wizard moved, filled or imported.
 * @param path in the document
 */
function isWizardAnswer({ document, wizardAnswers }: WizardState, path: string): boolean {
  const value = getAt(document, path);
  return Object.entries(wizardAnswers).some(([changedPath, newValue]) => {
    if (path === changedPath) return isDeepStrictEqual(value, newValue);
    return (
      path.startsWith(`${changedPath}.`) &&
      isDeepStrictEqual(value, getAt(newValue, path.slice(changedPath.length + 1)))
    );
  });
}

/** Answers that no two sites share: the example's are right only by chance. */
const SITE_ANSWER_PATHS =
  /^(?:cluster\.(?:name|baseDomain)|networks\.(?:machine\.\d+\.(?:cidr|gateway)|company|router)|endpoints\.\w+|nodes\.\d+\.(?:ip|mac)|services\.(?:bastion\.ip|(?:dns|loadBalancer)\.servers\.\d+\.ip|dns\.forwarders|time\.servers))$/;

/** Whether an answer describes the site. */
export const isSiteAnswer = (path: string): boolean => SITE_ANSWER_PATHS.test(path);

/** Whether an answer about the site is still the example's; for a MAC address, that of any node of the example. */
export function isExampleAnswer(state: AnswerContext, path: string): boolean {
  const value = getAt(state.document, path);
  if (!isSiteAnswer(path) || value === undefined || value === null || value === '') return false;
  if (/^nodes\.\d+\.mac$/.test(path)) return readNodeDrafts(getMatchingExample(state)).some(({ mac }) => mac === value);
  return isDefaultAnswer(state, path);
}

/**
 * Suggests a new node: the size of its role, and the next name and address after the other nodes of the role. A MAC
 * address cannot be suggested.
 */
export function suggestNode(document: DesignDocument, role: unknown): NodeDraft {
  const nodes = readNodeDrafts(document);
  const lastNodeOfRole = nodes.findLast((node) => node.role === role);
  // The new node is beyond the end of the table: all nodes count as others, so no name or address is used twice.
  const suggestValue = (fill: 'name' | 'ip') =>
    lastNodeOfRole === undefined ? {} : (computeFillValues(document, lastNodeOfRole, [nodes.length], fill)?.[0] ?? {});
  return createNode({
    role: NODE_ROLES.find((candidate) => candidate === role) ?? 'compute',
    ...suggestValue('name'),
    ...suggestValue('ip'),
  });
}

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
