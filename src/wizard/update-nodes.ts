import { documentNodes as listedNodes } from '../design/imports/imported.ts';
import { readNodeList } from '../design/imports/node-list.ts';
import { pages } from '../text/en/pages.ts';
import { type Document, getAt, setAt } from './document.ts';
import { withDocument } from './editing.ts';
import { fieldText } from './fields.ts';
import type { Intent } from './intents.ts';
import { nodeFields } from './pages/nodes.ts';
import type { Notice, WizardState } from './state.ts';
import { textFieldOf } from './text-field.ts';
import { type Update, unchanged } from './update-result.ts';

type NodeIntent = Extract<Intent, { type: `node/${string}` }>;

/** The nodes of the document as they were typed. */
export function documentNodes(state: Pick<WizardState, 'document'>): readonly Record<string, unknown>[] {
  const nodes = getAt(state.document, 'nodes');
  if (!Array.isArray(nodes)) return [];
  return nodes.map((node: unknown) =>
    typeof node === 'object' && node !== null ? (node as Record<string, unknown>) : {},
  );
}

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
      return inserted(state, nodes.length, newNode({}));
    case 'node/duplicate': {
      const node = nodes[row];
      // What must be unique is left to be typed.
      return node ? inserted(state, row + 1, { ...node, name: '', ip: '', mac: '' }) : unchanged(state);
    }
    case 'node/delete': {
      if (!nodes[row]) return unchanged(state);
      const name = String(nodes[row]?.name ?? '');
      const left = setAt(state.document, `nodes.${row}`, undefined);
      return replaced(state, left, clamp(row, nodes.length - 1), pages.nodes.deleted(name));
    }
    case 'node/paste':
      return pasted(state, intent.text);
    case 'node/undo': {
      const last = state.nodes.before.at(-1);
      if (last === undefined) return unchanged(state);
      const next = withDocument(state, setAt(state.document, 'nodes', last));
      const kept = { row: clamp(row, documentNodes(next).length), edit: null, before: state.nodes.before.slice(0, -1) };
      const notice: Notice = { kind: 'info', text: pages.nodes.restored };
      return { state: { ...next, nodes: kept, notice }, effects: [{ type: 'save' }] };
    }
  }
}

/** Leaves the form; a node that was added and never filled in goes again. */
function close(state: WizardState): Update {
  const { edit } = state.nodes;
  const closed: WizardState = { ...state, nodes: { ...state.nodes, edit: null }, notice: null };
  const node = edit && documentNodes(state)[edit.index];
  const isBlank = node && edit.isNew && UNIQUE.every((key) => (node[key] ?? '') === '');
  if (!isBlank) return unchanged(closed);
  const { state: without, effects } = updateNodes(closed, { type: 'node/delete' });
  // What was never filled in is no loss: nothing is said, and there is nothing to bring back.
  return { state: { ...without, nodes: { ...without.nodes, before: closed.nodes.before }, notice: null }, effects };
}

/** What a node never shares with another, and therefore has to be typed. */
const UNIQUE = ['name', 'ip', 'mac'] as const;

function inserted(state: WizardState, index: number, node: Record<string, unknown>): Update {
  const nodes = [...documentNodes(state)];
  nodes.splice(index, 0, node);
  const next = withDocument(state, setAt(state.document, 'nodes', nodes));
  const opened = openEditor(next, index, true);
  return { state: { ...opened, nodes: { ...opened.nodes, before: [] } }, effects: [{ type: 'save' }] };
}

/** How many times one can go back. */
const KEPT_LISTS = 50;

/** Another list of nodes in place of the present one, which can be brought back. */
function replaced(state: WizardState, document: Document, row: number, text: string): Update {
  const before = [...state.nodes.before, getAt(state.document, 'nodes')].slice(-KEPT_LISTS);
  const notice: Notice = { kind: 'info', text };
  return {
    state: { ...withDocument(state, document), nodes: { row, edit: null, before }, notice },
    effects: [{ type: 'save' }],
  };
}

/** Nodes from a spreadsheet or another list: those with a name that is there change, the others come after the last. */
function pasted(state: WizardState, text: string): Update {
  const found = readNodeList(text);
  if (!found || found.rows.length === 0) {
    return unchanged({ ...state, notice: { kind: 'warning', text: pages.nodes.notPasted } });
  }
  const old = documentNodes(state);
  const rows: readonly Record<string, unknown>[] = listedNodes(found.rows);
  const changed = old.map((node) => ({ ...node, ...told(rows.find(({ name }) => name === node.name) ?? {}) }));
  const added = rows.filter(({ name }) => !old.some((node) => node.name === name)).map(newNode);
  const document = setAt(state.document, 'nodes', [...changed, ...added]);
  const words = pages.nodes.pasted(added.length, rows.length - added.length, found.notes);
  return replaced(state, document, clamp(added.length > 0 ? old.length : 0, old.length + added.length), words);
}

/** What a row tells: an address or a MAC that it has not leaves the old one. */
function told(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== ''));
}

/** A node with the sizes that its role needs at least, as far as they are not known. */
function newNode(known: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isLarge = known.role === 'bootstrap' || known.role === 'control-plane';
  return {
    ...{ name: '', role: 'compute', ip: '', mac: '' },
    ...{ vcpu: isLarge ? 4 : 2, memoryGiB: isLarge ? 16 : 8, diskGiB: 120, installDisk: '/dev/sda' },
    ...known,
  };
}

function openEditor(state: WizardState, index: number, isNew: boolean): WizardState {
  const first = nodeFields[0];
  const node = documentNodes(state)[index];
  if (!first || !node) return state;
  return {
    ...state,
    nodes: {
      ...state.nodes,
      row: index,
      edit: { index, isNew, focus: 0, editor: textFieldOf(fieldText(node, first)) },
    },
    notice: null,
  };
}

function clamp(row: number, count: number): number {
  return Math.max(0, Math.min(row, count - 1));
}
