import { canonicalAddress, familyOf, networkText, parseNetwork } from '../../design/address.ts';
import { type Change, type Following, followersOf } from '../../design/readdress.ts';
import { isDomain, isLabel } from '../../design/text-forms.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { InputOf } from '../intents.ts';
import type { WizardState } from '../state.ts';
import { type Update, unchanged } from '../update-result.ts';
import { type Document, getAt } from './document.ts';
import { enterForm } from './editing.ts';
import { type Field, ownsPath } from './fields.ts';
import { FORMS } from './pages/index.ts';
import { changedDocument } from './undo.ts';

const words = () => catalogue().following;

type FollowedTexts = WizardState['followed'];

/** An answer that others follow, as the document has it; null: there is none, or nobody can follow it. */
function readFollowed(document: Document, path: string): string | null {
  const text = String(getAt(document, path) ?? '').trim();
  if (path === 'cluster.name') return isLabel(text) ? text : null;
  if (path === 'cluster.baseDomain') return isDomain(text) ? text : null;
  if (path.endsWith('.gateway')) return canonicalAddress(text);
  const network = parseNetwork(text);
  return network === null ? null : networkText(network);
}

function followedPaths(document: Document): string[] {
  const machine = getAt(document, 'networks.machine');
  const networks = Array.from({ length: Array.isArray(machine) ? machine.length : 0 }, (_, index) => [
    `networks.machine.${index}.cidr`,
    `networks.machine.${index}.gateway`,
  ]);
  return [...networks.flat(), 'cluster.name', 'cluster.baseDomain'];
}

/**
 * What a changed answer offers to change with it; null where nothing follows. While an answer is no good, its last good
 * text is kept: answers follow from that to the next good one.
 */
export function changeBetween(
  before: Document,
  after: Document,
  kept: FollowedTexts,
): { readonly change: Change | null; readonly kept: FollowedTexts } {
  let next = kept;
  let change: Change | null = null;
  for (const path of followedPaths(after)) {
    if (getAt(before, path) === getAt(after, path)) continue;
    const from = readFollowed(before, path) ?? kept[path] ?? null;
    const to = readFollowed(after, path);
    const { [path]: _spoilt, ...others } = next;
    next = to === null && from !== null ? { ...others, [path]: from } : others;
    if (from === null || to === null || from === to) continue;
    const found = changeAt(after, path, from, to);
    if (found !== null && followersOf(after, found).moves.length > 0) change = found;
  }
  return { change, kept: next };
}

function changeAt(document: Document, path: string, from: string, to: string): Change | null {
  if (path === 'cluster.name')
    return { kind: 'name', from, to, domain: readFollowed(document, 'cluster.baseDomain') ?? '' };
  if (path === 'cluster.baseDomain') return { kind: 'domain', from, to };
  if (familyOf(from) !== familyOf(to)) return null;
  return { kind: path.endsWith('.gateway') ? 'gateway' : 'network', from, to };
}

/** After an input that changed an answer: offers to let the others follow, over whatever screen the person is on now. */
export function offeringToFollow(before: WizardState, { state, effects }: Update): Update {
  if (before.document === state.document) return { state, effects };
  const { change, kept } = changeBetween(before.document, state.document, state.followed);
  const offered = change === null || state.isLeaving ? state.overlay : ({ kind: 'follow', change, top: 0 } as const);
  return { state: { ...state, followed: kept, overlay: offered }, effects };
}

/** Takes the offer, as one change that undo takes back, or leaves everything as it is. */
export function updateFollowing(state: WizardState, intent: InputOf<'follow'>): Update {
  const { overlay } = state;
  if (overlay?.kind !== 'follow') return unchanged(state);
  if (intent.type === 'follow/scroll')
    return unchanged({ ...state, overlay: { ...overlay, top: clamp(overlay.top + intent.by, intent.count) } });
  const closed: WizardState = { ...state, overlay: null };
  if (intent.type === 'follow/decline')
    return unchanged({ ...closed, notice: { kind: 'info', text: words().declined } });
  const { document, moves } = followersOf(state.document, overlay.change);
  const changed = enterForm(changedDocument(closed, document));
  return {
    state: { ...changed, notice: { kind: 'info', text: words().taken(moves.length) } },
    effects: [{ type: 'save' }],
  };
}

const clamp = (top: number, count: number) => Math.max(0, Math.min(top, count - 1));

/** The offer in words: the question, what would become what and whose it is, and what stays. */
export interface ToldOffer {
  readonly question: string;
  readonly lines: readonly string[];
}

/** @param following what follows from the change in this document */
export function toldOffer(
  document: Document,
  change: Change,
  following: Following = followersOf(document, change),
): ToldOffer {
  const { moves, left } = following;
  const width = (texts: readonly string[]) => Math.min(40, Math.max(0, ...texts.map((text) => text.length)));
  const [fromWidth, toWidth] = [width(moves.map(({ from }) => from)), width(moves.map(({ to }) => to))];
  return {
    question: words().questions[change.kind](moves.length, change.to),
    lines: [
      ...moves.map(({ from, to, paths }) => {
        const owners = [...new Set(paths.map((path) => ownerOf(document, path)))];
        return words().move(from.padEnd(fromWidth), to.padEnd(toWidth), owners.join(', '));
      }),
      ...(left.length > 0 ? [words().left(left.join(', '))] : []),
    ],
  };
}

/** Whose the text at a path is: the name of a node or a host, else the name of the question. */
function ownerOf(document: Document, path: string): string {
  const [, machine] =
    /^((?:nodes\.\d+)|services\.(?:bastion|\w+\.servers\.\d+))\.(?:ip|kernelArguments|name)/.exec(path) ?? [];
  const name = machine === undefined ? undefined : getAt(document, `${machine}.name`);
  if (typeof name === 'string' && name !== '') return name;
  const fields: readonly Field[] = Object.values(FORMS).flat();
  return fields.find((field) => ownsPath(field, path))?.words().label ?? path;
}
