import { isDeepStrictEqual } from 'node:util';
import { WORKER_ROLES } from '../../design/model.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { InputOf } from '../intents.ts';
import type { Overlay } from '../overlays/overlay.ts';
import type { WizardState } from '../state.ts';
import { textFieldOf } from '../typing/text-field.ts';
import { type Update, unchanged } from '../update-result.ts';
import { setAt } from './document.ts';
import { enterForm } from './editing.ts';
import { isUntouched, offeredNode } from './new-node.ts';
import { FILLS, fillDown, SORTS, sortNodes, type TypedNode, typedNodes } from './node-table.ts';
import { changedDocument, travelled } from './undo.ts';

type NodeIntent = InputOf<'node'>;

const words = () => catalogue().screens.nodes;

/** The nodes of the document as typed. */
export function documentNodes(state: Pick<WizardState, 'document'>): readonly TypedNode[] {
  return typedNodes(state.document);
}

/** What an input makes of the node table. Undo takes back what a person deletes, sorts or fills down. */
export function updateNodes(state: WizardState, intent: NodeIntent): Update {
  const nodes = documentNodes(state);
  const { row } = state.nodes;
  switch (intent.type) {
    case 'node/move':
      return unchanged({
        ...state,
        nodes: { ...state.nodes, row: clamp(row + intent.by, nodes.length) },
        notice: null,
      });
    case 'node/edit':
      return nodes.length === 0 ? unchanged(state) : unchanged(openEditor(state, row, false));
    case 'node/close':
      return close(state);
    case 'node/add':
      return inserted(state, nodes.length, offeredNode(state.document, roleBeside(nodes[row])));
    case 'node/duplicate': {
      const node = nodes[row];
      if (!node) return unchanged(state);
      const { name, ip, mac } = offeredNode(state.document, node.role);
      return inserted(state, row + 1, { ...node, name, ip, mac });
    }
    case 'node/delete': {
      const node = nodes[row];
      if (!node) return unchanged(state);
      const next = changedDocument(state, setAt(state.document, `nodes.${row}`, undefined));
      return {
        state: {
          ...next,
          nodes: { ...state.nodes, row: clamp(row, nodes.length - 1), edit: null },
          notice: { kind: 'info', text: words().deleted(String(node.name ?? '')) },
        },
        effects: [{ type: 'save' }],
      };
    }
    case 'node/sort':
      return sorted(state);
    case 'node/fill-open':
      return unchanged({ ...state, overlay: { kind: 'fill', choice: 0, isAcross: false }, notice: null });
    case 'node/fill-move': {
      if (state.overlay?.kind !== 'fill') return unchanged(state);
      const choice = clamp(state.overlay.choice + intent.by, FILLS.length);
      return unchanged({ ...state, overlay: { ...state.overlay, choice } });
    }
    case 'node/fill-across': {
      if (state.overlay?.kind !== 'fill') return unchanged(state);
      return unchanged({ ...state, overlay: { ...state.overlay, isAcross: !state.overlay.isAcross } });
    }
    case 'node/fill':
      return state.overlay?.kind === 'fill' ? filled(state, state.overlay) : unchanged(state);
  }
}

/** Sorts by the key's next order; the selection stays with its node. */
function sorted(state: WizardState): Update {
  const nodes = documentNodes(state);
  const sort = SORTS[state.nodes.sorts % SORTS.length] ?? 'role';
  const selected = nodes[state.nodes.row];
  const next = sortNodes(nodes, sort);
  const isSame = next.every((node, index) => node === nodes[index]);
  const changed = isSame ? state : changedDocument(state, setAt(state.document, 'nodes', next));
  const row = selected === undefined ? 0 : Math.max(0, next.indexOf(selected));
  return {
    state: {
      ...changed,
      nodes: { ...state.nodes, row, sorts: state.nodes.sorts + 1 },
      notice: { kind: 'info', text: words().sorted[sort] },
    },
    effects: isSame ? [] : [{ type: 'save' }],
  };
}

function filled(state: WizardState, { choice, isAcross }: Extract<Overlay, { kind: 'fill' }>): Update {
  const result = fillDown(state.document, state.nodes.row, FILLS[choice] ?? 'ip', isAcross);
  // Nothing to count from: the question stays, and says why.
  if (result === null || result.count === 0) return unchanged(state);
  const changed = changedDocument(state, setAt(state.document, 'nodes', result.nodes));
  return {
    state: {
      ...changed,
      overlay: null,
      notice: { kind: result.left > 0 ? 'warning' : 'info', text: words().filled(result.count, result.left) },
    },
    effects: [{ type: 'save' }],
  };
}

/** Leaves the form; removes a node that was added and never filled in. */
function close(state: WizardState): Update {
  const { edit } = state.nodes;
  const closed: WizardState = { ...state, nodes: { ...state.nodes, edit: null }, notice: null };
  const node = edit && documentNodes(state)[edit.index];
  const isBlank = node && edit.isNew && isUntouched(state.document, edit.index);
  if (!isBlank) return unchanged(closed);
  const without = setAt(closed.document, `nodes.${edit.index}`, undefined);
  // Nothing came of it: then there is nothing to take back either.
  const before = travelled(closed, 'past');
  const next =
    before !== null && isDeepStrictEqual(before.document, without)
      ? { ...before, future: [] }
      : changedDocument(closed, without);
  const row = clamp(edit.index, documentNodes(next).length);
  return { state: { ...next, nodes: { ...next.nodes, row } }, effects: [{ type: 'save' }] };
}

/** The role of a node that is added beside another: of masters there are enough. */
const roleBeside = (node: TypedNode | undefined) => WORKER_ROLES.find((role) => role === node?.role) ?? 'compute';

function inserted(state: WizardState, index: number, node: Record<string, unknown>): Update {
  const nodes = [...documentNodes(state)];
  nodes.splice(index, 0, node);
  const next = changedDocument(state, setAt(state.document, 'nodes', nodes));
  return { state: openEditor(next, index, true), effects: [{ type: 'save' }] };
}

function openEditor(state: WizardState, index: number, isNew: boolean): WizardState {
  const edit = { index, isNew, focus: 0, editor: textFieldOf(''), made: null, ahead: null };
  return enterForm({ ...state, nodes: { ...state.nodes, row: index, edit }, notice: null });
}

function clamp(row: number, count: number): number {
  return Math.max(0, Math.min(row, count - 1));
}
