import { detectPastedSecret } from '../../design/credentials.ts';
import type { ImportedDesign } from '../../design/imports/imported-design.ts';
import { EMPTY_DESIGN, importDesign, isImportFailure, mergeImport } from '../../design/imports/index.ts';
import { buildPartialDesign, checkDocument } from '../../design/parse.ts';
import type { DesignDocument } from '../../design/paths.ts';
import { setAt } from '../../design/paths.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { Secret } from '../../platform/secrets.ts';
import { enterForm, getFocusedField } from '../design/active-form.ts';
import { describeChangedField, listChangedFields } from '../design/changed-fields.ts';
import { formatProblem } from '../design/fields.ts';
import { createNode, mergeNodes, type NodeDraft, readNodeDrafts } from '../design/node-table.ts';
import { describePath } from '../design/review.ts';
import { changeAsWizard, changeDocument } from '../design/undo.ts';
import type { Event, InputOf, Intent } from '../intents.ts';
import { clampIndex } from '../list-filter.ts';
import { goTo } from '../navigation.ts';
import { filterErrors, getPageRules, type NoticeContext, type WizardState } from '../state.ts';
import { createTextField, editText } from '../text-input.ts';
import { type Update, withoutEffects } from '../update-result.ts';
import type { ImportOffer, ImportState } from './overlay.ts';

const words = () => catalogue().imports;

/** How to apply an offer: nodes replace the table or merge by name; a design starts over or merges into the answers. */
type ImportMode = 'replace-nodes' | 'merge-nodes' | 'new-design' | 'merge-answers';

type ImportIntent = InputOf<'import'>;
/** Intents that are valid only while the overlay is open. */
type OpenImportIntent = Exclude<ImportIntent, { type: 'import/open' | 'import/paste' }>;

// The maximum number of characters: enough for ten thousand nodes. Longer input was pasted by mistake.
const MAX_LINES_LENGTH = 1_000_000;

const EMPTY_FILE_INPUT = { phase: 'file', editor: createTextField(''), refusal: null } as const;
const EMPTY_LINES_INPUT = { phase: 'lines', lines: '', refusal: null } as const;

/** Lists the modes for an offer, the likelier one first. */
export function listImportModes(offer: ImportOffer): readonly ImportMode[] {
  const hasNodesOnly = Object.keys(offer.document).every((key) => key === 'nodes');
  return hasNodesOnly ? ['replace-nodes', 'merge-nodes'] : ['new-design', 'merge-answers'];
}

/** Handles an input to an import. Nothing is imported before the user accepts the offer. */
export function updateImport(state: WizardState, input: ImportIntent): Update {
  switch (input.type) {
    case 'import/open':
      return withoutEffects({
        ...setImportState(state, input.from === 'file' ? EMPTY_FILE_INPUT : EMPTY_LINES_INPUT),
        notice: null,
      });
    case 'import/paste':
      return withoutEffects({ ...setImportState(state, offerLines(state, input.text)), notice: null });
    default:
      return state.overlay?.kind === 'import'
        ? updateOpenImport(state, state.overlay.importState, input)
        : withoutEffects(state);
  }
}

function setImportState(state: WizardState, importState: ImportState): WizardState {
  return { ...state, overlay: { kind: 'import', importState } };
}

function updateOpenImport(state: WizardState, importState: ImportState, input: OpenImportIntent): Update {
  switch (input.type) {
    case 'import/edit':
      return withoutEffects(setImportState(state, editImport(importState, input.event)));
    case 'import/enter':
      return enterImport(state, importState);
    case 'import/finish': {
      if (importState.phase !== 'lines') return withoutEffects(state);
      const result = offerLines(state, importState.lines);
      const isDropped = result.phase === 'lines' && input.onError === 'discard';
      return withoutEffects(setImportState(state, isDropped ? { ...result, lines: '' } : result));
    }
    case 'import/move': {
      if (importState.phase !== 'offered') return withoutEffects(state);
      const choice = Math.min(Math.max(importState.choice + input.by, 0), 1);
      return withoutEffects(setImportState(state, { ...importState, choice }));
    }
    case 'import/scroll': {
      if (importState.phase !== 'offered') return withoutEffects(state);
      const top = clampIndex(importState.top + input.by, input.count);
      return withoutEffects(setImportState(state, { ...importState, top }));
    }
    case 'import/close':
      return withoutEffects({ ...state, overlay: null });
    case 'import/offered':
      return withoutEffects(setImportState(state, createOfferState(state, input.offer, null)));
    case 'import/refused': {
      const { editor } = 'editor' in importState ? importState : EMPTY_FILE_INPUT;
      return withoutEffects(setImportState(state, { ...EMPTY_FILE_INPUT, editor, refusal: input.message }));
    }
  }
}

function editImport(
  importState: ImportState,
  event: Extract<ImportIntent, { type: 'import/edit' }>['event'],
): ImportState {
  if (importState.phase === 'file')
    return { ...importState, editor: editText(importState.editor, event), refusal: null };
  if (importState.phase !== 'lines' || importState.lines.length > MAX_LINES_LENGTH) return importState;
  const { lines } = importState;
  if (event.kind === 'key') {
    if (event.name === 'backspace') return { ...importState, lines: lines.slice(0, -1), refusal: null };
    return event.name === 'tab' ? { ...importState, lines: `${lines}\t` } : importState;
  }
  return { ...importState, lines: lines + event.text, refusal: null };
}

/** Handles Enter: reads the file, ends a line, or accepts the offer in the selected mode. */
function enterImport(state: WizardState, importState: ImportState): Update {
  switch (importState.phase) {
    case 'file': {
      const path = importState.editor.text.trim();
      if (path === '') return withoutEffects(setImportState(state, { ...importState, refusal: words().screen.noPath }));
      return {
        state: setImportState(state, { phase: 'reading', editor: importState.editor }),
        effects: [{ type: 'import', path }],
      };
    }
    case 'lines':
      return withoutEffects(setImportState(state, { ...importState, lines: `${importState.lines}\n` }));
    case 'reading':
      return withoutEffects(state);
    case 'offered':
      return acceptOffer(
        state,
        importState.offer,
        listImportModes(importState.offer)[importState.choice] ?? 'merge-answers',
      );
  }
}

/** Offers the content of typed or pasted lines. A whole file with secrets must be read from disk. */
function offerLines(state: WizardState, lines: string): ImportState {
  const result = importDesign(joinDoubledNewlines(lines));
  if (isImportFailure(result)) return { phase: 'lines', lines, refusal: `${result.problem}. ${result.fix}` };
  if (result.files.length > 0) return { phase: 'lines', lines: '', refusal: words().screen.secretPaste };
  const { kind, document, notes } = result;
  return createOfferState(state, { path: null, kind, document, notes, secrets: [] }, lines);
}

/**
 * Joins doubled newlines: the empty lines would double every line number. A terminal that types pasted lines with CR LF
 * sends two newlines for each, and so does tmux, which pastes CR for LF.
 */
const joinDoubledNewlines = (text: string): string =>
  /[^\n]\n[^\n]/.test(text) ? text : text.replaceAll('\n\n', '\n');

/**
 * Creates the state of an offer. For nodes alone, merging is selected if it gives fewer errors than replacing the
 * table.
 */
function createOfferState(state: WizardState, offer: ImportOffer, lines: string | null): ImportState {
  const modes = listImportModes(offer);
  const countErrors = (mode: ImportMode) => listErrorsAfterImport(state, offer, mode).length;
  const shouldMerge = modes.includes('merge-nodes') && countErrors('merge-nodes') < countErrors('replace-nodes');
  return { phase: 'offered', offer, choice: shouldMerge ? modes.indexOf('merge-nodes') : 0, top: 0, lines };
}

function acceptOffer(state: WizardState, offer: ImportOffer, mode: ImportMode): Update {
  const document = buildDocument(state.document, offer.document, mode);
  // The new table may be shorter than the row that was selected.
  const row = clampIndex(state.nodes.row, readNodeDrafts(document).length);
  const stateWithoutOverlay: WizardState = { ...state, overlay: null, nodes: { ...state.nodes, row } };
  const changedState = changeAsWizard(stateWithoutOverlay, document);
  const isNodeMode = mode === 'replace-nodes' || mode === 'merge-nodes';
  const wrongRows = isNodeMode ? listRowsWithErrors(changedState) : [];
  const [firstWrongRow = row] = wrongRows;
  const selectedState = { ...changedState, nodes: { ...changedState.nodes, row: firstWrongRow } };
  const nextUpdate = goTo(selectedState, isNodeMode ? 'nodes' : 'review');
  const drafts = readNodeDrafts(document);
  const wrongNames = wrongRows.map((index) => String(drafts[index]?.name ?? index + 1));
  const notice = { kind: 'info' as const, text: words().screen.imported(drafts.length, wrongNames) };
  const effects =
    offer.path !== null && offer.secrets.length > 0 ? [{ type: 'save-imported' as const, path: offer.path }] : [];
  return { state: { ...nextUpdate.state, notice }, effects: [...nextUpdate.effects, ...effects] };
}

/** Lists the rows of the nodes that have errors, in their order. */
function listRowsWithErrors({ problems }: WizardState): readonly number[] {
  const rows = filterErrors(problems).flatMap(({ path }) => /^nodes\.(\d+)/.exec(path)?.[1] ?? []);
  return [...new Set(rows.map(Number))].toSorted((a, b) => a - b);
}

function buildDocument(document: unknown, importedDocument: ImportedDesign['document'], mode: ImportMode): unknown {
  const nodes = readNodeDrafts(importedDocument);
  switch (mode) {
    case 'replace-nodes':
      return setAt(document, 'nodes', nodes.map(createNode));
    case 'merge-nodes':
      return setAt(document, 'nodes', mergeNodes(readNodeDrafts(document), nodes).nodes);
    case 'new-design':
      return mergeImport(EMPTY_DESIGN, importedDocument);
    case 'merge-answers':
      return mergeImport(document, importedDocument);
  }
}

/** Returns the nodes of an offer, and how many of them would be added to the table or changed in it. */
export function previewNodes(
  state: Pick<WizardState, 'document'>,
  offer: ImportOffer,
): { readonly nodes: readonly NodeDraft[]; readonly addedCount: number; readonly changedCount: number } {
  const nodes = readNodeDrafts(offer.document);
  const { addedCount, changedCount } = mergeNodes(readNodeDrafts(state.document), nodes);
  return { nodes, addedCount, changedCount };
}

/** The maximum number of changes that an offer lists. */
const MAX_CHANGES = 12;

/**
 * Lists what an import changes, with old and new values. Beyond `MAX_CHANGES`, the last line gives only their number.
 */
export function listImportChanges(state: WizardState, offer: ImportOffer, mode: ImportMode): readonly string[] {
  const changes = listChangedFields(state.document, buildDocument(state.document, offer.document, mode));
  const lines = changes.slice(0, MAX_CHANGES).map((change) => {
    const { added, removed, reordered } = words().screen;
    const isNode = change.page === 'nodes' && change.breadcrumb.length > 1;
    const breadcrumb = change.breadcrumb.slice(isNode ? 1 : 0).join(' > ');
    if (change.kind === 'answer') return describeChangedField(change, breadcrumb);
    return change.kind === 'reordered' ? reordered : change.kind === 'added' ? added(breadcrumb) : removed(breadcrumb);
  });
  return changes.length > MAX_CHANGES ? [...lines, words().screen.moreChanges(changes.length - MAX_CHANGES)] : lines;
}

/** Describes another topology or other numbers of nodes after an import; null if it changes neither. */
export function describeSizeChange(state: WizardState, offer: ImportOffer, mode: ImportMode): string | null {
  const [oldSize, newSize] = [state.document, buildDocument(state.document, offer.document, mode)].map(describeSize);
  return oldSize && newSize && oldSize !== newSize ? words().screen.sizeChange(oldSize, newSize) : null;
}

/** Describes the topology and the number of nodes; null if the document does not determine them. */
function describeSize(document: DesignDocument): string | null {
  const design = buildPartialDesign(document);
  return design && words().screen.size(design.topology, design.nodes.length);
}

/** Lists the answers that are missing or wrong in the resulting design, each with its page. */
export function listErrorsAfterImport(state: WizardState, offer: ImportOffer, mode: ImportMode): readonly string[] {
  const document = buildDocument(state.document, offer.document, mode);
  const { problems } = checkDocument(document);
  return filterErrors(problems).map(
    (problem) => `${describePath(document, problem.path)}: ${formatProblem(problem, document)}`,
  );
}

const pastedCredentialsWords = () => catalogue().pages.credentials.pasted;

/** The fields that name a credential file. Instead of the path, the credential itself may be pasted there. */
const FILE_FIELDS = { 'pull-secret': 'credentials.pullSecretFile', 'ssh-key': 'credentials.sshKeyFile' } as const;

/**
 * Handles a paste of credentials: in the field that names their file they are written to a file, and elsewhere they are
 * rejected. Null for any other input. The pasted text is never in the state.
 */
export function updatePastedCredential(state: WizardState, input: Intent | Event): Update | null {
  const text = getInputText(input);
  if (text === null) return null;
  // JSON that arrives as single keys comes from a terminal that does not mark a paste: the remaining keys would be
  // shown as text.
  if (isBrace(input) || isRestOfSecret(state, input))
    return refusePaste(state, pastedCredentialsWords().sentAsKeys, { kind: 'secret-as-keys' });
  const kind = detectPastedSecret(text);
  const path = input.type === 'field/edit' && state.overlay === null ? getFocusedField(state)?.path : undefined;
  // In this field, all input that begins like JSON is meant as a pull secret: the check then reports the error.
  if (path === FILE_FIELDS['pull-secret'] && (kind === 'pull-secret' || /^\s*\{/.test(text)))
    return saveCredential('pull-secret', text);
  if (path === FILE_FIELDS['ssh-key'] && kind === 'ssh-key') return saveCredential('ssh-key', text);
  if (kind === 'private-key') return refusePaste(state, pastedCredentialsWords().privateKey);
  if (kind === 'pull-secret') return refusePaste(state, describePullSecretField(state));
  return null;

  function saveCredential(credential: keyof typeof FILE_FIELDS, secret: string): Update {
    const effects = [{ type: 'save-pasted', credential, text: new Secret(secret) } as const];
    return { state: { ...state, notice: null }, effects };
  }
}

/** Says where a pull secret belongs: names its field if its page is open, else its page. */
function describePullSecretField({ screen, overlay }: WizardState): string {
  const { pasted, pullSecretFile } = catalogue().pages.credentials;
  const isOnPage = overlay === null && getPageRules(screen).credentialFiles === 'entered';
  return isOnPage ? pasted.wrongField(pullSecretFile.label) : pasted.wrongPage;
}

/** Returns the text that an input would bring into the state; null if it has none. */
function getInputText(input: Intent | Event): string | null {
  if (input.type === 'import/paste') return input.text;
  if (!('event' in input) || input.event.kind === 'key') return null;
  return input.event.text;
}

const isBrace = (input: Intent | Event) =>
  input.type === 'field/edit' && input.event.kind === 'char' && input.event.text === '{';

const isRestOfSecret = ({ notice }: WizardState, input: Intent | Event) =>
  input.type === 'field/edit' && input.event.kind === 'char' && notice?.context?.kind === 'secret-as-keys';

function refusePaste(state: WizardState, text: string, context?: NoticeContext): Update {
  const { overlay } = state;
  if (overlay?.kind === 'import' && 'refusal' in overlay.importState)
    return withoutEffects({
      ...state,
      overlay: { ...overlay, importState: { ...overlay.importState, refusal: text } },
    });
  return withoutEffects({ ...state, notice: { kind: 'error', text, ...(context && { context }) } });
}

/**
 * Sets a credential file in the design after the file was written, on any screen.
 * @param noticeText the sentence that reports it
 */
export function setCredentialFile(
  state: WizardState,
  credential: keyof typeof FILE_FIELDS,
  file: string,
  noticeText: string,
): Update {
  const changedState = changeDocument(state, setAt(state.document, FILE_FIELDS[credential], file));
  const focusedState =
    getPageRules(changedState.screen).credentialFiles === 'entered' ? enterForm(changedState) : changedState;
  return {
    state: { ...focusedState, notice: { kind: 'info', text: noticeText } },
    effects: [{ type: 'save' }, { type: 'review-credentials' }],
  };
}
