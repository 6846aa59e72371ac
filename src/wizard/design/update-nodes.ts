import { isDeepStrictEqual } from 'node:util';
import { WORKER_ROLES } from '../../design/choices.ts';
import type { DesignDocument } from '../../design/paths.ts';
import { setAt } from '../../design/paths.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { InputOf } from '../intents.ts';
import { clampIndex, NO_FILTER } from '../list-filter.ts';
import { goBack } from '../navigation.ts';
import type { Overlay } from '../overlays/overlay.ts';
import type { WizardState } from '../state.ts';
import { createTextField } from '../text-input.ts';
import { type Update, withoutEffects } from '../update-result.ts';
import { enterForm, suggestNode } from './active-form.ts';
import { FILL_KINDS, fillDown, type NodeDraft, readNodeDrafts, SORT_KEYS, sortNodes } from './node-table.ts';
import { changeAsWizard, changeDocument, moveInHistory } from './undo.ts';

/** Whether a new node has only suggested values, and values of the node that it may be a copy of. */
function isUntouched(document: DesignDocument, index: number): boolean {
  const nodes = readNodeDrafts(document);
  const node = nodes[index];
  if (node === undefined) return false;
  const otherNodes = nodes.filter((_, otherIndex) => otherIndex !== index);
  const suggestion = suggestNode(setAt(document, `nodes.${index}`, undefined), node.role);
  const isSuggested = (key: string) => isSame(node[key] ?? '', suggestion[key] ?? '');
  return (
    UNIQUE_KEYS.every((key) => isSuggested(key) || (node[key] ?? '') === '') &&
    Object.keys(node)
      .filter((key) => !UNIQUE_KEYS.some((uniqueKey) => uniqueKey === key))
      .every((key) => isSuggested(key) || otherNodes.some((otherNode) => isSame(otherNode[key], node[key])))
  );
}

/** The keys whose values are unique to a node. */
const UNIQUE_KEYS = ['name', 'ip', 'mac'] as const;

/**
 * Updates the suggested values after the role of a new node changed. Values that are still the suggestion for the old
 * role become that for the new one.
 */
export function updateSuggestion(
  oldDocument: DesignDocument,
  newDocument: DesignDocument,
  index: number,
): DesignDocument {
  const [oldNode, node] = [readNodeDrafts(oldDocument)[index], readNodeDrafts(newDocument)[index]];
  if (oldNode === undefined || node === undefined || oldNode.role === node.role) return newDocument;
  const documentWithoutNode = setAt(newDocument, `nodes.${index}`, undefined);
  const [oldSuggestion, newSuggestion] = [
    suggestNode(documentWithoutNode, oldNode.role),
    suggestNode(documentWithoutNode, node.role),
  ];
  const replacedValues = Object.entries(newSuggestion).filter(([key]) => isSame(node[key], oldSuggestion[key]));
  return setAt(newDocument, `nodes.${index}`, { ...node, ...Object.fromEntries(replacedValues) });
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

type NodeIntent = InputOf<'node'>;

const words = () => catalogue().screens.nodes;

/** Handles an input to the node table. Undo covers deleting, sorting and filling down. */
export function updateNodes(state: WizardState, intent: NodeIntent): Update {
  const nodes = readNodeDrafts(state.document);
  const { row } = state.nodes;
  switch (intent.type) {
    case 'node/move':
      return withoutEffects({
        ...state,
        nodes: { ...state.nodes, row: clampIndex(row + intent.by, nodes.length) },
        notice: null,
      });
    case 'node/refuse':
      return withoutEffects({
        ...state,
        // The filter may hide the node.
        nodes: { ...state.nodes, row: intent.row, ...(intent.row === row ? {} : { filter: NO_FILTER }) },
        notice: { kind: 'error', text: intent.reason, context: { kind: 'not-now' } },
      });
    case 'node/edit':
      return nodes.length === 0 ? withoutEffects(state) : withoutEffects(openEditor(state, row, false));
    case 'node/close':
      return closeEditor(state);
    case 'node/add':
      return insertNode(state, nodes.length, suggestNode(state.document, suggestRole(nodes[row])));
    case 'node/duplicate': {
      const node = nodes[row];
      if (!node) return withoutEffects(state);
      const { name, ip, mac } = suggestNode(state.document, node.role);
      return insertNode(state, row + 1, { ...node, name, ip, mac });
    }
    case 'node/delete': {
      const node = nodes[row];
      if (!node) return withoutEffects(state);
      const nextState = changeDocument(state, setAt(state.document, `nodes.${row}`, undefined));
      return {
        state: {
          ...nextState,
          nodes: { ...state.nodes, row: clampIndex(row, nodes.length - 1), edit: null },
          notice: { kind: 'info', text: words().deleted(String(node.name ?? '')) },
        },
        effects: [{ type: 'save' }],
      };
    }
    case 'node/sort':
      return sortTable(state);
    case 'node/fill-open':
      return withoutEffects({ ...state, overlay: { kind: 'fill', choice: 0, isForAllRoles: false }, notice: null });
    case 'node/fill-move': {
      if (state.overlay?.kind !== 'fill') return withoutEffects(state);
      const choice = clampIndex(state.overlay.choice + intent.by, FILL_KINDS.length);
      return withoutEffects({ ...state, overlay: { ...state.overlay, choice } });
    }
    case 'node/fill-across': {
      if (state.overlay?.kind !== 'fill') return withoutEffects(state);
      return withoutEffects({
        ...state,
        overlay: { ...state.overlay, isForAllRoles: !state.overlay.isForAllRoles },
      });
    }
    case 'node/fill':
      return state.overlay?.kind === 'fill' ? fillTable(state, state.overlay) : withoutEffects(state);
  }
}

/** Sorts by the next sort order. The selection stays on its node. */
function sortTable(state: WizardState): Update {
  const nodes = readNodeDrafts(state.document);
  const sort = SORT_KEYS[state.nodes.sortCount % SORT_KEYS.length] ?? 'role';
  const selectedNode = nodes[state.nodes.row];
  const sortedNodes = sortNodes(nodes, sort);
  const isSorted = sortedNodes.every((node, index) => node === nodes[index]);
  const changedState = isSorted ? state : changeDocument(state, setAt(state.document, 'nodes', sortedNodes));
  const row = selectedNode === undefined ? 0 : Math.max(0, sortedNodes.indexOf(selectedNode));
  return {
    state: {
      ...changedState,
      nodes: { ...state.nodes, row, sortCount: state.nodes.sortCount + 1 },
      notice: { kind: 'info', text: words().sorted[sort] },
    },
    effects: isSorted ? [] : [{ type: 'save' }],
  };
}

function fillTable(state: WizardState, { choice, isForAllRoles }: Extract<Overlay, { kind: 'fill' }>): Update {
  const result = fillDown(state.document, state.nodes.row, FILL_KINDS[choice] ?? 'ip', isForAllRoles);
  // No value to count from, or no target: the overlay stays open and gives the reason.
  if (result === null || result.count === 0) return withoutEffects(state);
  const changedState = changeAsWizard(state, setAt(state.document, 'nodes', result.nodes));
  return {
    state: {
      ...changedState,
      overlay: null,
      notice: {
        kind: result.unfilledCount > 0 ? 'warning' : 'info',
        text: words().filled(result.count, result.unfilledCount),
      },
    },
    effects: [{ type: 'save' }],
  };
}

/** Closes the form, and removes a node that was added but never filled in. */
function closeEditor(state: WizardState): Update {
  const { edit } = state.nodes;
  const closedState: WizardState = { ...state, nodes: { ...state.nodes, edit: null }, notice: null };
  const node = edit && readNodeDrafts(state.document)[edit.index];
  // A finding of the review or of a step led to this form: Esc returns there.
  if (edit && state.correctionPath?.startsWith(`nodes.${edit.index}.`)) return goBack(closedState);
  const isBlank = node && edit.isNew && isUntouched(state.document, edit.index);
  if (!isBlank) return withoutEffects(closedState);
  const documentWithoutNode = setAt(closedState.document, `nodes.${edit.index}`, undefined);
  // Adding the node was the last change: reverting it leaves no undo step.
  const previousState = moveInHistory(closedState, 'past');
  const nextState =
    previousState !== null && isDeepStrictEqual(previousState.document, documentWithoutNode)
      ? { ...previousState, future: [] }
      : changeDocument(closedState, documentWithoutNode);
  const row = clampIndex(edit.index, readNodeDrafts(nextState.document).length);
  return { state: { ...nextState, nodes: { ...nextState.nodes, row } }, effects: [{ type: 'save' }] };
}

/** Returns the role of a node added beside another one. More control plane nodes are not suggested. */
const suggestRole = (node: NodeDraft | undefined) => WORKER_ROLES.find((role) => role === node?.role) ?? 'compute';

function insertNode(state: WizardState, index: number, node: Record<string, unknown>): Update {
  const nodes = [...readNodeDrafts(state.document)];
  nodes.splice(index, 0, node);
  const nextState = changeDocument(state, setAt(state.document, 'nodes', nodes));
  return { state: openEditor(nextState, index, true), effects: [{ type: 'save' }] };
}

function openEditor(state: WizardState, index: number, isNew: boolean): WizardState {
  const edit = { index, isNew, focus: 0, editor: createTextField(''), change: null, typeAhead: null };
  return enterForm({ ...state, nodes: { ...state.nodes, row: index, edit }, notice: null });
}
