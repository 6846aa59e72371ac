import { isDeepStrictEqual } from 'node:util';
import {
  canonicalAddress,
  formatNetwork,
  getAddressFamily,
  hasOverlap,
  type Network,
  parseNetwork,
} from '../../design/address.ts';
import {
  type DesignChange,
  type FollowUpChanges,
  findFollowUpChanges,
  isHostAddress,
} from '../../design/follow-up-changes.ts';
import { buildPartialDesign } from '../../design/parse.ts';
import { type DesignDocument, formatPath, getAt } from '../../design/paths.ts';
import { listParsedNetworks } from '../../design/rules/rule.ts';
import { isDomain, isLabel } from '../../design/text-forms.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import type { InputOf } from '../intents.ts';
import type { DesignPage, WizardState } from '../state.ts';
import { type Update, withoutEffects } from '../update-result.ts';
import { enterForm } from './active-form.ts';
import { type Field, getDisplayText, ownsPath, readFieldText } from './fields.ts';
import { readTypedNodes } from './node-table.ts';
import { FORMS, nodeFields } from './pages/index.ts';
import { findPageForPath } from './review.ts';
import { changeDocument } from './undo.ts';

const words = () => catalogue().following;

type LastValidTexts = WizardState['lastValidTexts'];

/** Reads an answer that other answers depend on. Null if it is missing or not valid. */
function readValidText(document: DesignDocument, path: string): string | null {
  const text = String(getAt(document, path) ?? '').trim();
  if (path === 'cluster.name') return isLabel(text) ? text : null;
  if (path === 'cluster.baseDomain') return isDomain(text) ? text : null;
  // A gateway never has the address of a machine of the design: with such an address, it was no gateway.
  if (path.endsWith('.gateway')) return isHostAddress(document, text) ? null : canonicalAddress(text);
  const network = parseNetwork(text);
  return network === null || overlapsOtherNetwork(document, path, network) ? null : formatNetwork(network);
}

/** Whether another network of the document overlaps a network. The rules reject both; one of them will change. */
function overlapsOtherNetwork(document: DesignDocument, path: string, network: Network): boolean {
  const design = buildPartialDesign(document);
  const all = design === null ? [] : listParsedNetworks(design);
  return all.some((other) => formatPath(other.at) !== path && hasOverlap(network, other.network));
}

/** The paths of the answers that other answers depend on. */
function listSourcePaths(document: DesignDocument): string[] {
  const machine = getAt(document, 'networks.machine');
  const networks = Array.from({ length: Array.isArray(machine) ? machine.length : 0 }, (_, index) => [
    `networks.machine.${index}.cidr`,
    `networks.machine.${index}.gateway`,
  ]);
  return [...networks.flat(), 'cluster.name', 'cluster.baseDomain'];
}

/** A changed answer, with its path. */
interface DetectedChange {
  readonly path: string;
  readonly change: DesignChange;
}

/**
 * Detects a changed answer that other answers depend on; `detected` is null if no other answer depends on it. The old
 * value is the last one that the other answers followed: while an answer is not valid, or the offer was declined, its
 * earlier text is kept.
 */
export function detectChange(
  before: DesignDocument,
  after: DesignDocument,
  lastValidTexts: LastValidTexts,
): { readonly detected: DetectedChange | null; readonly lastValidTexts: LastValidTexts } {
  let next = lastValidTexts;
  let detected: DetectedChange | null = null;
  for (const path of listSourcePaths(after)) {
    const isUnblocked = next[path] !== undefined && readValidText(before, path) === null;
    if (getAt(before, path) === getAt(after, path) && !isUnblocked) continue;
    const from = lastValidTexts[path] ?? readValidText(before, path);
    const to = readValidText(after, path);
    const { [path]: _replaced, ...others } = next;
    next = to === null && from !== null ? { ...others, [path]: from } : others;
    if (from === null || to === null || from === to) continue;
    const change = createChange(after, path, from, to);
    if (change !== null && findFollowUpChanges(after, change).replacements.length > 0) detected = { path, change };
  }
  return { detected, lastValidTexts: next };
}

function createChange(document: DesignDocument, path: string, from: string, to: string): DesignChange | null {
  if (path === 'cluster.name')
    return { kind: 'name', from, to, domain: readValidText(document, 'cluster.baseDomain') ?? '' };
  if (path === 'cluster.baseDomain') return { kind: 'domain', from, to };
  if (getAddressFamily(from) !== getAddressFamily(to)) return null;
  return { kind: path.endsWith('.gateway') ? 'gateway' : 'network', from, to };
}

/**
 * After an input that changed an answer: opens the follow-up offer over the current screen if other answers depend on
 * that answer.
 */
export function offerFollowUpChanges(before: WizardState, { state, effects }: Update): Update {
  if (before.document === state.document) return { state, effects };
  const { detected, lastValidTexts } = detectChange(before.document, state.document, state.lastValidTexts);
  const next: WizardState = { ...state, lastValidTexts };
  if (detected === null || state.leaveReason) return { state: next, effects };
  const overlay = { kind: 'follow', ...detected, top: 0, isFresh: true } as const;
  return { state: { ...next, overlay }, effects: [...effects, { type: 'wait-at-offer' }] };
}

/** Accepts the offer as one undoable change, or declines it. */
export function updateFollowUp(state: WizardState, intent: InputOf<'follow'>): Update {
  const { overlay } = state;
  if (overlay?.kind !== 'follow') return withoutEffects(state);
  if (intent.type === 'follow/scroll')
    return withoutEffects({ ...state, overlay: { ...overlay, top: clamp(overlay.top + intent.by, intent.count) } });
  if (intent.type === 'follow/noticed') return withoutEffects({ ...state, overlay: { ...overlay, isFresh: false } });
  const closed: WizardState = { ...state, overlay: null };
  if (intent.type === 'follow/decline') {
    const lastValidTexts = { ...state.lastValidTexts, [overlay.path]: overlay.change.from };
    return withoutEffects({ ...closed, lastValidTexts, notice: { kind: 'info', text: words().declined } });
  }
  const { document, replacements } = findFollowUpChanges(state.document, overlay.change);
  const changed = enterForm(changeDocument(closed, document));
  return {
    state: { ...changed, notice: { kind: 'info', text: words().accepted(replacements.length) } },
    effects: [{ type: 'save' }],
  };
}

const clamp = (top: number, count: number) => Math.max(0, Math.min(top, count - 1));

/**
 * The texts of the follow-up offer: the question, one line per replacement with its owners, and a line about addresses
 * that stay.
 */
interface FollowUpOfferText {
  readonly question: string;
  readonly lines: readonly string[];
}

/** @param changes the follow-up changes in this document */
export function describeFollowUpOffer(
  document: DesignDocument,
  change: DesignChange,
  changes: FollowUpChanges = findFollowUpChanges(document, change),
): FollowUpOfferText {
  const { replacements, unplaced } = changes;
  const width = (texts: readonly string[]) => Math.min(40, Math.max(0, ...texts.map((text) => text.length)));
  const [fromWidth, toWidth] = [width(replacements.map(({ from }) => from)), width(replacements.map(({ to }) => to))];
  return {
    question: words().questions[change.kind](replacements.length, change.to),
    lines: [
      ...replacements.map(({ from, to, paths }) => {
        const owners = [...new Set(paths.map((path) => describeOwner(document, path)))];
        return words().move(from.padEnd(fromWidth), to.padEnd(toWidth), owners.join(', '));
      }),
      ...(unplaced.length > 0 ? [words().noRoom(unplaced.join(', '))] : []),
    ],
  };
}

/** Returns the name of the node or host that a path belongs to, else the label of the field. */
function describeOwner(document: DesignDocument, path: string): string {
  const [, machine] =
    /^((?:nodes\.\d+)|services\.(?:bastion|\w+\.servers\.\d+))\.(?:ip|kernelArguments|name)/.exec(path) ?? [];
  const name = machine === undefined ? undefined : getAt(document, `${machine}.name`);
  if (typeof name === 'string' && name !== '') return name;
  const fields: readonly Field[] = Object.values(FORMS).flat();
  return fields.find((field) => ownsPath(field, path))?.words().label ?? path;
}

const changedFieldsWords = () => catalogue().pages.undo;

/** One field that differs between two documents: its place, and its text in each. */
export interface ChangedField {
  readonly page: DesignPage;
  /** The path of the field, such as `cluster.name`; `nodes.3` for a node that only one document has. */
  readonly path: string;
  /** Nodes > w1 > Address */
  readonly breadcrumb: readonly string[];
  readonly oldText: string;
  readonly newText: string;
  /** `answer`: the field has another value. The others: a node was added or removed, or the nodes are in another order. */
  readonly kind: 'answer' | 'added' | 'removed' | 'reordered';
}

/**
 * Lists the differences between two documents, field by field, in the order of the pages; nodes are compared by
 * position.
 */
export function listChangedFields(before: DesignDocument, after: DesignDocument): ChangedField[] {
  const forms = Object.values(FORMS)
    .flat()
    .flatMap((field: Field) => compareField(before, after, field));
  return [...forms, ...compareNodes(before, after)];
}

function compareField(before: DesignDocument, after: DesignDocument, field: Field): ChangedField[] {
  const [oldText, newText] = [readFieldText(before, field), readFieldText(after, field)];
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
 * Compares nodes by position if their number is equal. Otherwise reports the added or removed nodes from the first
 * difference on.
 */
function compareNodes(before: DesignDocument, after: DesignDocument): ChangedField[] {
  const [oldNodes, newNodes] = [readTypedNodes(before), readTypedNodes(after)];
  if (oldNodes.length === newNodes.length) {
    if (isReordered(oldNodes, newNodes)) return [createNodesChange('reordered', 0, [])];
    return newNodes.flatMap((node, index) =>
      isDeepStrictEqual(node, oldNodes[index]) ? [] : compareNode(before, after, index, String(node.name ?? '')),
    );
  }
  const [fewer, more] = oldNodes.length < newNodes.length ? [oldNodes, newNodes] : [newNodes, oldNodes];
  const kind = oldNodes.length < newNodes.length ? 'added' : 'removed';
  const first = more.findIndex((node, index) => !isDeepStrictEqual(node, fewer[index]));
  const found = more.slice(first, first + more.length - fewer.length);
  const nearest = Math.min(first, Math.max(0, fewer.length - 1));
  return found.map(({ name }, index) =>
    createNodesChange(kind, kind === 'added' ? first + index : nearest, [formatNodeName(String(name ?? ''))]),
  );
}

function createNodesChange(kind: ChangedField['kind'], index: number, place: readonly string[]): ChangedField {
  return {
    page: 'nodes',
    path: `nodes.${index}`,
    breadcrumb: [catalogue().screens.sidebar.nodes, ...place],
    oldText: '',
    newText: '',
    kind,
  };
}

function isReordered(oldNodes: readonly unknown[], newNodes: readonly unknown[]): boolean {
  const [before, after] = [oldNodes, newNodes].map((nodes) => nodes.map((node) => JSON.stringify(node)));
  return !isDeepStrictEqual(before, after) && isDeepStrictEqual(before?.sort(), after?.sort());
}

function compareNode(before: DesignDocument, after: DesignDocument, index: number, name: string): ChangedField[] {
  const path = `nodes.${index}`;
  return nodeFields.flatMap((field) =>
    compareField(getAt(before, path), getAt(after, path), field).map((change) => ({
      ...change,
      page: 'nodes' as const,
      path: `${path}.${field.path}`,
      breadcrumb: [catalogue().screens.sidebar.nodes, formatNodeName(name), field.words().label],
    })),
  );
}

const formatNodeName = (name: string) => (name === '' ? changedFieldsWords().unnamed : name);

/** Describes changes in one line: Nodes > w1 > Address 172.16.0.36 (was 172.16.0.99), and 16 more answers. */
export function describeChangedFields(changes: readonly ChangedField[]): string {
  const [first] = changes;
  if (first === undefined) return changedFieldsWords().other;
  const place = first.breadcrumb.map((part) => shorten(part)).join(' > ');
  const description =
    first.kind === 'answer'
      ? changedFieldsWords().answer(
          place,
          shorten(first.newText) || changedFieldsWords().none,
          shorten(first.oldText) || changedFieldsWords().none,
        )
      : changedFieldsWords()[first.kind](place);
  return changes.length === 1 ? description : changedFieldsWords().andMore(description, changes.length - 1);
}

/** The maximum width of a name or a value in the line, in columns. */
const MAX_WIDTH = 40;
const shorten = (text: string) => sanitizeLine(text, MAX_WIDTH);
