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
import { isDomain, isLabel } from '../../design/text-formats.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { InputOf } from '../intents.ts';
import type { WizardState } from '../state.ts';
import { type Update, withoutEffects } from '../update-result.ts';
import { enterForm } from './active-form.ts';
import { type Field, ownsPath } from './fields.ts';
import { FORMS } from './pages/index.ts';
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
  const networks = design === null ? [] : listParsedNetworks(design);
  return networks.some((other) => formatPath(other.at) !== path && hasOverlap(network, other.network));
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
    const wasInvalid = next[path] !== undefined && readValidText(before, path) === null;
    if (getAt(before, path) === getAt(after, path) && !wasInvalid) continue;
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
  const stateWithoutOffer: WizardState = { ...state, overlay: null };
  if (intent.type === 'follow/decline') {
    const lastValidTexts = { ...state.lastValidTexts, [overlay.path]: overlay.change.from };
    return withoutEffects({ ...stateWithoutOffer, lastValidTexts, notice: { kind: 'info', text: words().declined } });
  }
  const { document, replacements } = findFollowUpChanges(state.document, overlay.change);
  const changed = enterForm(changeDocument(stateWithoutOffer, document));
  return {
    state: { ...changed, notice: { kind: 'info', text: words().accepted(replacements.length) } },
    effects: [{ type: 'save' }],
  };
}

const clamp = (top: number, count: number) => Math.max(0, Math.min(top, count - 1));

/**
 * The texts of the follow-up offer: the question, one line per replacement with its hosts, and a line about addresses
 * that stay.
 */
interface FollowUpOfferText {
  readonly question: string;
  readonly lines: readonly string[];
}

/** Describes the follow-up offer. @param changes the follow-up changes in this document */
export function describeFollowUpOffer(
  document: DesignDocument,
  change: DesignChange,
  changes: FollowUpChanges = findFollowUpChanges(document, change),
): FollowUpOfferText {
  const { replacements, unplaced } = changes;
  const computeWidth = (texts: readonly string[]) => Math.min(40, Math.max(0, ...texts.map((text) => text.length)));
  const [fromWidth, toWidth] = [
    computeWidth(replacements.map(({ from }) => from)),
    computeWidth(replacements.map(({ to }) => to)),
  ];
  return {
    question: words().questions[change.kind](replacements.length, change.to),
    lines: [
      ...replacements.map(({ from, to, paths }) => {
        const names = [...new Set(paths.map((path) => describePath(document, path)))];
        return words().replacement(from.padEnd(fromWidth), to.padEnd(toWidth), names.join(', '));
      }),
      ...(unplaced.length > 0 ? [words().unplacedAddresses(unplaced.join(', '))] : []),
    ],
  };
}

/** Returns the name of the node or host that a path belongs to, else the label of the field. */
function describePath(document: DesignDocument, path: string): string {
  const [, machine] =
    /^((?:nodes\.\d+)|services\.(?:bastion|\w+\.servers\.\d+))\.(?:ip|kernelArguments|name)/.exec(path) ?? [];
  const name = machine === undefined ? undefined : getAt(document, `${machine}.name`);
  if (typeof name === 'string' && name !== '') return name;
  const fields: readonly Field[] = Object.values(FORMS).flat();
  return fields.find((field) => ownsPath(field, path))?.words().label ?? path;
}
