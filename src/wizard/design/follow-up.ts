import {
  formatNetwork,
  getAddressFamily,
  hasOverlap,
  type Network,
  parseNetwork,
  toCanonicalAddress,
  toCanonicalCidr,
} from '../../design/address.ts';
import { applyDifference } from '../../design/differences.ts';
import {
  computeFollowUpChanges,
  type DesignChange,
  type FollowUpChanges,
  hasMachineAddressIn,
  isMachineAddress,
} from '../../design/follow-up-changes.ts';
import { buildPartialDesign } from '../../design/parse.ts';
import { type DesignDocument, formatPath, getAt } from '../../design/paths.ts';
import { listParsedNetworks } from '../../design/rules/entries.ts';
import { isDnsLabel, isDomainNotEndingInNumber } from '../../design/text-formats.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { InputOf } from '../intents.ts';
import { clampIndex } from '../list-filter.ts';
import type { WizardState } from '../state.ts';
import { type Update, withoutEffects } from '../update-result.ts';
import { enterForm } from './active-form.ts';
import { type Field, ownsPath } from './fields.ts';
import { FORMS } from './pages/index.ts';
import { changeAsWizard } from './undo.ts';

const words = () => catalogue().followUp;

type LastValidTexts = WizardState['lastValidTexts'];

/** Reads an answer that other answers depend on. Null if it is missing or not valid. */
function readValidText(document: DesignDocument, path: string): string | null {
  const text = String(getAt(document, path) ?? '').trim();
  if (path === 'cluster.name') return isDnsLabel(text) ? text : null;
  // The rules reject a domain that ends in a number.
  if (path === 'cluster.baseDomain') return isDomainNotEndingInNumber(text) ? text : null;
  // A gateway never has the address of a machine of the design: such an answer is not valid.
  if (path.endsWith('.gateway')) return isMachineAddress(document, text) ? null : toCanonicalAddress(text);
  const network = parseNetwork(text);
  // The rules reject a CIDR with host bits, such as 10.0.0.5/24.
  return network === null ||
    toCanonicalCidr(text) !== formatNetwork(network) ||
    overlapsOtherNetwork(document, path, network)
    ? null
    : formatNetwork(network);
}

/** Whether another network of the document overlaps this one: the rules reject both until the user changes one. */
function overlapsOtherNetwork(document: DesignDocument, path: string, network: Network): boolean {
  const design = buildPartialDesign(document);
  const networks = design === null ? [] : listParsedNetworks(design);
  return networks.some((other) => formatPath(other.path) !== path && hasOverlap(network, other.network));
}

/** Lists the paths of the answers that other answers depend on. */
function listSourcePaths(document: DesignDocument): string[] {
  const machineNetworks = getAt(document, 'networks.machine');
  const networks = Array.from({ length: Array.isArray(machineNetworks) ? machineNetworks.length : 0 }, (_, index) => [
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
 * Detects a changed answer that other answers depend on; `detectedChange` is null if there is none. The old value is
 * the last one that the other answers followed: while an answer is not valid, or the offer was declined, its earlier
 * text is kept.
 */
export function detectChange(
  oldDocument: DesignDocument,
  newDocument: DesignDocument,
  lastValidTexts: LastValidTexts,
): { readonly detectedChange: DetectedChange | null; readonly lastValidTexts: LastValidTexts } {
  let nextTexts = lastValidTexts;
  let detectedChange: DetectedChange | null = null;
  for (const path of listSourcePaths(newDocument)) {
    const wasInvalid = nextTexts[path] !== undefined && readValidText(oldDocument, path) === null;
    if (getAt(oldDocument, path) === getAt(newDocument, path) && !wasInvalid) continue;
    const previousText = readValidText(oldDocument, path);
    const lastFollowedText = lastValidTexts[path] ?? null;
    const from =
      previousText === null || isFollowed(oldDocument, path, lastFollowedText)
        ? (lastFollowedText ?? previousText)
        : previousText;
    const to = readValidText(newDocument, path);
    const { [path]: _replaced, ...otherTexts } = nextTexts;
    const keepsOffer =
      to === null || (from !== null && isOtherFamily(path, from, to) && isFollowed(newDocument, path, from));
    nextTexts = keepsOffer && from !== null ? { ...otherTexts, [path]: from } : otherTexts;
    if (from === null || to === null || from === to) continue;
    const change = createChange(newDocument, path, from, to);
    if (change !== null && computeFollowUpChanges(newDocument, change).replacements.length > 0)
      detectedChange = { path, change };
  }
  return { detectedChange, lastValidTexts: nextTexts };
}

/** Whether other answers may still follow an earlier answer: a network, while it contains addresses of machines. */
const isFollowed = (document: DesignDocument, path: string, text: string | null): boolean =>
  text !== null && (!path.endsWith('.cidr') || hasMachineAddressIn(document, text));

/** Whether a network was replaced by one whose addresses cannot follow: IPv6 after IPv4 is often a slip. */
const isOtherFamily = (path: string, from: string, to: string): boolean =>
  path.endsWith('.cidr') && getAddressFamily(from) !== getAddressFamily(to);

/**
 * Returns the answers that other answers of a resumed session still follow, where the saved ones are not valid: the
 * last valid ones of its history.
 */
export function restoreLastValidTexts({ document, past }: Pick<WizardState, 'document' | 'past'>): LastValidTexts {
  const invalidPaths = listSourcePaths(document).filter((path) => readValidText(document, path) === null);
  const lastValidTexts: Record<string, string> = {};
  let olderDocument = document;
  for (const change of invalidPaths.length > 0 ? past.toReversed() : []) {
    olderDocument = applyDifference(olderDocument, change);
    for (const path of invalidPaths) {
      const text = readValidText(olderDocument, path);
      if (text !== null) lastValidTexts[path] ??= text;
    }
  }
  return lastValidTexts;
}

function createChange(document: DesignDocument, path: string, from: string, to: string): DesignChange | null {
  if (path === 'cluster.name')
    return { kind: 'name', from, to, domain: readValidText(document, 'cluster.baseDomain') ?? '' };
  if (path === 'cluster.baseDomain') return { kind: 'domain', from, to };
  if (getAddressFamily(from) !== getAddressFamily(to)) return null;
  return { kind: path.endsWith('.gateway') ? 'gateway' : 'network', from, to };
}

/**
 * Opens the follow-up offer over the current screen after an input that changed an answer, if other answers depend on
 * that answer.
 */
export function offerFollowUpChanges(previousState: WizardState, { state, effects }: Update): Update {
  if (previousState.document === state.document) return { state, effects };
  const { detectedChange, lastValidTexts } = detectChange(previousState.document, state.document, state.lastValidTexts);
  const nextState: WizardState = { ...state, lastValidTexts };
  if (detectedChange === null || state.leaveReason) return { state: nextState, effects };
  const overlay = { kind: 'follow', ...detectedChange, top: 0, isFresh: true } as const;
  return { state: { ...nextState, overlay, notice: null }, effects: [...effects, { type: 'wait-at-offer' }] };
}

/** Handles an input to the follow-up offer. Accepting the offer is one undoable change. */
export function updateFollowUp(state: WizardState, intent: InputOf<'follow'>): Update {
  const { overlay } = state;
  if (overlay?.kind !== 'follow') return withoutEffects(state);
  if (intent.type === 'follow/scroll')
    return withoutEffects({
      ...state,
      overlay: { ...overlay, top: clampIndex(overlay.top + intent.by, intent.count) },
      notice: null,
    });
  if (intent.type === 'follow/noticed') return withoutEffects({ ...state, overlay: { ...overlay, isFresh: false } });
  const stateWithoutOffer: WizardState = { ...state, overlay: null };
  if (intent.type === 'follow/decline') {
    const lastValidTexts = { ...state.lastValidTexts, [overlay.path]: overlay.change.from };
    return withoutEffects({ ...stateWithoutOffer, lastValidTexts, notice: { kind: 'info', text: words().declined } });
  }
  const { document, replacements } = computeFollowUpChanges(state.document, overlay.change);
  const changedState = enterForm(changeAsWizard(stateWithoutOffer, document));
  return {
    state: { ...changedState, notice: { kind: 'info', text: words().accepted(countAnswers(replacements)) } },
    effects: [{ type: 'save' }],
  };
}

/**
 * The texts of the follow-up offer: the question, one line per replacement with its hosts, and a line about addresses
 * that stay.
 */
interface FollowUpOfferText {
  readonly question: string;
  readonly lines: readonly string[];
}

/**
 * Describes the follow-up offer.
 * @param changes the follow-up changes in this document
 */
export function describeFollowUpOffer(
  document: DesignDocument,
  change: DesignChange,
  changes: FollowUpChanges = computeFollowUpChanges(document, change),
): FollowUpOfferText {
  const { replacements, unplacedAddresses } = changes;
  const computeWidth = (texts: readonly string[]) => Math.min(40, Math.max(0, ...texts.map((text) => text.length)));
  const [fromWidth, toWidth] = [
    computeWidth(replacements.map(({ from }) => from)),
    computeWidth(replacements.map(({ to }) => to)),
  ];
  return {
    question: words().questions[change.kind](countAnswers(replacements), change.to),
    lines: [
      ...replacements.map(({ from, to, paths }) => {
        const names = [...new Set(paths.map((path) => describePathOwner(document, path)))];
        return words().replacement(from.padEnd(fromWidth), to.padEnd(toWidth), names.join(', '));
      }),
      ...(unplacedAddresses.length > 0 ? [words().unplacedAddresses(unplacedAddresses.join(', '))] : []),
    ],
  };
}

/** Counts the answers that change, as undo does: API and ingress may have the same address. */
const countAnswers = (replacements: FollowUpChanges['replacements']) =>
  replacements.reduce((sum, { paths }) => sum + paths.length, 0);

/** Returns the name of the node or host that a path belongs to, else the label of the field. */
function describePathOwner(document: DesignDocument, path: string): string {
  const [, ownerPath] =
    /^((?:nodes\.\d+)|services\.(?:bastion|\w+\.servers\.\d+))\.(?:ip|kernelArguments|name)/.exec(path) ?? [];
  const name = ownerPath === undefined ? undefined : getAt(document, `${ownerPath}.name`);
  if (typeof name === 'string' && name !== '') return name;
  const fields: readonly Field[] = Object.values(FORMS).flat();
  return fields.find((field) => ownsPath(field, path))?.words().label ?? path;
}
