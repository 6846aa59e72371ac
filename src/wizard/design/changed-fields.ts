import { isDeepStrictEqual } from 'node:util';
import { type DesignDocument, getAt } from '../../design/paths.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { clampIndex } from '../list-filter.ts';
import type { DesignPage } from '../state.ts';
import { type Field, getDisplayText, readFieldText } from './fields.ts';
import { type NodeDraft, readNodeDrafts } from './node-table.ts';
import { FORMS, nodeFields } from './pages/index.ts';
import { findPageForPath } from './review.ts';

const words = () => catalogue().pages.undo;

/** One field that differs between two documents: its place, and its text in each. */
export interface ChangedField {
  readonly page: DesignPage;
  /** The path of the field, such as `cluster.name`; `nodes.3` for a node that only one document has. */
  readonly path: string;
  /** The labels of the place, such as Nodes > w1 > Address. */
  readonly breadcrumb: readonly string[];
  readonly oldText: string;
  readonly newText: string;
  /**
   * `answer`: the field has another value. Otherwise a node was added or removed, or the nodes are in another order.
   */
  readonly kind: 'answer' | 'added' | 'removed' | 'reordered';
}

/** Lists the differences between two documents, field by field, in the order of the pages. */
export function listChangedFields(oldDocument: DesignDocument, newDocument: DesignDocument): ChangedField[] {
  const formChanges = Object.values(FORMS)
    .flat()
    .flatMap((field: Field) => compareField(oldDocument, newDocument, field));
  return [...formChanges, ...compareNodes(oldDocument, newDocument)];
}

function compareField(oldDocument: DesignDocument, newDocument: DesignDocument, field: Field): ChangedField[] {
  const [oldText, newText] = [readFieldText(oldDocument, field), readFieldText(newDocument, field)];
  if (oldText === newText) return [];
  const page = findPageForPath(field.path);
  const breadcrumb = [catalogue().screens.sidebar[page], field.words().label];
  return [
    {
      page,
      path: field.path,
      breadcrumb,
      oldText: getDisplayText(field, oldText),
      newText: getDisplayText(field, newText),
      kind: 'answer',
    },
  ];
}

/**
 * Compares nodes by position if their number is equal; the same nodes in another order are one change. Otherwise
 * reports the nodes that were added or removed in one place. If more than that has changed, compares the nodes by name,
 * if names are unique.
 */
function compareNodes(oldDocument: DesignDocument, newDocument: DesignDocument): ChangedField[] {
  const [oldNodes, newNodes] = [readNodeDrafts(oldDocument), readNodeDrafts(newDocument)];
  if (oldNodes.length === newNodes.length) {
    if (isReordered(oldNodes, newNodes)) return [createNodesChange('reordered', 0, [])];
    return newNodes.flatMap((node, index) =>
      isDeepStrictEqual(node, oldNodes[index])
        ? []
        : compareNode(oldDocument, newDocument, { oldIndex: index, newIndex: index }, String(node.name ?? '')),
    );
  }
  const [shorterList, longerList] = oldNodes.length < newNodes.length ? [oldNodes, newNodes] : [newNodes, oldNodes];
  const kind = oldNodes.length < newNodes.length ? 'added' : 'removed';
  const firstIndex = longerList.findIndex((node, index) => !isDeepStrictEqual(node, shorterList[index]));
  const changedNodes = longerList.slice(firstIndex, firstIndex + longerList.length - shorterList.length);
  const hasOtherChanges = !isDeepStrictEqual(
    longerList.filter((node) => !changedNodes.includes(node)),
    shorterList,
  );
  if (hasOtherChanges && [oldNodes, newNodes].every(haveUniqueNames)) return compareByName(oldDocument, newDocument);
  const nearestIndex = Math.min(firstIndex, Math.max(0, shorterList.length - 1));
  return changedNodes.map(({ name }, index) =>
    createNodesChange(kind, kind === 'added' ? firstIndex + index : nearestIndex, [formatNodeName(String(name ?? ''))]),
  );
}

const haveUniqueNames = (nodes: readonly NodeDraft[]) => new Set(nodes.map(({ name }) => name)).size === nodes.length;

/** Compares nodes by name: added ones first, then the answers of those in both lists, then removed ones. */
function compareByName(oldDocument: DesignDocument, newDocument: DesignDocument): ChangedField[] {
  const [oldNodes, newNodes] = [readNodeDrafts(oldDocument), readNodeDrafts(newDocument)];
  const findIndex = (nodes: readonly NodeDraft[], { name }: NodeDraft) => nodes.findIndex((node) => node.name === name);
  const formatName = ({ name }: NodeDraft) => formatNodeName(String(name ?? ''));
  return [
    ...newNodes.flatMap((node, index) =>
      findIndex(oldNodes, node) < 0 ? [createNodesChange('added', index, [formatName(node)])] : [],
    ),
    ...newNodes.flatMap((node, newIndex) => {
      const oldIndex = findIndex(oldNodes, node);
      return oldIndex < 0 ? [] : compareNode(oldDocument, newDocument, { oldIndex, newIndex }, String(node.name ?? ''));
    }),
    ...oldNodes.flatMap((node, index) =>
      findIndex(newNodes, node) < 0
        ? [createNodesChange('removed', clampIndex(index, newNodes.length), [formatName(node)])]
        : [],
    ),
  ];
}

function createNodesChange(kind: ChangedField['kind'], index: number, nodeLabels: readonly string[]): ChangedField {
  return {
    page: 'nodes',
    path: `nodes.${index}`,
    breadcrumb: [catalogue().screens.sidebar.nodes, ...nodeLabels],
    oldText: '',
    newText: '',
    kind,
  };
}

function isReordered(oldNodes: readonly unknown[], newNodes: readonly unknown[]): boolean {
  const [oldTexts, newTexts] = [oldNodes, newNodes].map((nodes) => nodes.map((node) => JSON.stringify(node)));
  return !isDeepStrictEqual(oldTexts, newTexts) && isDeepStrictEqual(oldTexts?.sort(), newTexts?.sort());
}

function compareNode(
  oldDocument: DesignDocument,
  newDocument: DesignDocument,
  { oldIndex, newIndex }: { readonly oldIndex: number; readonly newIndex: number },
  name: string,
): ChangedField[] {
  const path = `nodes.${newIndex}`;
  return nodeFields.flatMap((field) =>
    compareField(getAt(oldDocument, `nodes.${oldIndex}`), getAt(newDocument, path), field).map((change) => ({
      ...change,
      page: 'nodes' as const,
      path: `${path}.${field.path}`,
      breadcrumb: [catalogue().screens.sidebar.nodes, formatNodeName(name), field.words().label],
    })),
  );
}

const formatNodeName = (name: string) => (name === '' ? words().unnamed : name);

/** Describes changes in one line: Nodes > w1 > Address 172.16.0.36 (was 172.16.0.99), and 16 more answers. */
export function describeChangedFields(changes: readonly ChangedField[]): string {
  const [firstChange] = changes;
  if (firstChange === undefined) return words().unnamedChange;
  const breadcrumb = firstChange.breadcrumb.map((part) => shorten(part)).join(' > ');
  const description =
    firstChange.kind === 'answer'
      ? describeChangedField(firstChange, breadcrumb)
      : words()[firstChange.kind](breadcrumb);
  return changes.length === 1 ? description : words().withMoreChanges(description, changes.length - 1);
}

/** Describes a changed answer: the place, its new text, and the old one in brackets. */
export function describeChangedField({ newText, oldText }: ChangedField, breadcrumb: string): string {
  return words().answer(
    sanitizeLine(breadcrumb),
    shorten(newText) || words().emptyAnswer,
    shorten(oldText) || words().emptyAnswer,
  );
}

/** The maximum width of a name or a value in the line, in columns. */
const MAX_WIDTH = 40;
const shorten = (text: string) => sanitizeLine(text, MAX_WIDTH);
