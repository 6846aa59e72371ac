import type { Imported } from '../../design/imports/imported.ts';
import { EMPTY_DESIGN, importText, isRefused, withImported } from '../../design/imports/index.ts';
import { checkDocument } from '../../design/parse.ts';
import { catalogue } from '../../text/catalogue.ts';
import { setAt } from '../design/document.ts';
import { joinNodes, newNode, type TypedNode, typedNodes } from '../design/node-table.ts';
import { changedDocument } from '../design/undo.ts';
import type { InputOf } from '../intents.ts';
import { goTo } from '../navigate.ts';
import type { WizardState } from '../state.ts';
import { editText, textFieldOf } from '../typing/text-field.ts';
import { type Update, unchanged } from '../update-result.ts';
import type { ImportOffer, ImportState } from './overlay.ts';

const words = () => catalogue().imports;

/** How to take an offer: nodes replace the table or merge by name; a design starts over or merges into the answers. */
export type ImportWay = 'replace-nodes' | 'join-nodes' | 'alone' | 'over';

type ImportIntent = InputOf<'import'>;
/** Intents that mean something only while it is open. */
type OpenIntent = Exclude<ImportIntent, { type: 'import/open' | 'import/paste' }>;

// Ten thousand nodes; anything longer was pasted by mistake.
const MOST_LINES = 1_000_000;

const NO_FILE = { phase: 'file', editor: textFieldOf(''), refusal: null } as const;
const NO_LINES = { phase: 'lines', lines: '', refusal: null } as const;

/** The ways to take an offer, the likelier first. */
export function waysOf(offer: ImportOffer): readonly ImportWay[] {
  const hasNodesOnly = Object.keys(offer.document).every((key) => key === 'nodes');
  return hasNodesOnly ? ['replace-nodes', 'join-nodes'] : ['alone', 'over'];
}

/** What an input makes of an import. Nothing is imported before a person takes the offer. */
export function updateImport(state: WizardState, input: ImportIntent): Update {
  switch (input.type) {
    case 'import/open':
      return unchanged({ ...opened(state, input.from === 'file' ? NO_FILE : NO_LINES), notice: null });
    case 'import/paste':
      return unchanged({ ...opened(state, offerLines(state, input.text)), notice: null });
    default:
      return state.overlay?.kind === 'import' ? updateOpen(state, state.overlay.importing, input) : unchanged(state);
  }
}

function opened(state: WizardState, importing: ImportState): WizardState {
  return { ...state, overlay: { kind: 'import', importing } };
}

function updateOpen(state: WizardState, importing: ImportState, input: OpenIntent): Update {
  switch (input.type) {
    case 'import/edit':
      return unchanged(opened(state, edited(importing, input.event)));
    case 'import/enter':
      return entered(state, importing);
    case 'import/finish':
      return unchanged(importing.phase === 'lines' ? opened(state, offerLines(state, importing.lines)) : state);
    case 'import/move': {
      if (importing.phase !== 'offered') return unchanged(state);
      const choice = Math.min(Math.max(importing.choice + input.by, 0), 1);
      return unchanged(opened(state, { ...importing, choice }));
    }
    case 'import/read': {
      if (importing.phase !== 'offered') return unchanged(state);
      const top = Math.max(0, Math.min(importing.top + input.by, input.count - 1));
      return unchanged(opened(state, { ...importing, top }));
    }
    case 'import/close':
      return unchanged({ ...state, overlay: null });
    case 'import/offered':
      return unchanged(opened(state, offered(state, input.offer)));
    case 'import/refused': {
      const { editor } = 'editor' in importing ? importing : NO_FILE;
      return unchanged(opened(state, { ...NO_FILE, editor, refusal: input.said }));
    }
  }
}

function edited(importing: ImportState, event: Extract<ImportIntent, { type: 'import/edit' }>['event']): ImportState {
  if (importing.phase === 'file') return { ...importing, editor: editText(importing.editor, event), refusal: null };
  if (importing.phase !== 'lines' || importing.lines.length > MOST_LINES) return importing;
  const { lines } = importing;
  if (event.kind === 'key') {
    if (event.name === 'backspace') return { ...importing, lines: lines.slice(0, -1), refusal: null };
    return event.name === 'tab' ? { ...importing, lines: `${lines}\t` } : importing;
  }
  return { ...importing, lines: lines + event.text, refusal: null };
}

/** Enter: reads the file, ends a line, or takes the offer in the selected way. */
function entered(state: WizardState, importing: ImportState): Update {
  switch (importing.phase) {
    case 'file': {
      const path = importing.editor.text.trim();
      if (path === '') return unchanged(opened(state, { ...importing, refusal: words().screen.noPath }));
      return {
        state: opened(state, { phase: 'reading', editor: importing.editor }),
        effects: [{ type: 'import', path }],
      };
    }
    case 'lines':
      return unchanged(opened(state, { ...importing, lines: `${importing.lines}\n` }));
    case 'reading':
      return unchanged(state);
    case 'offered':
      return taken(state, importing.offer, waysOf(importing.offer)[importing.choice] ?? 'over');
  }
}

/** Pasted lines are a list of nodes: a whole file with secrets is read from disk. */
function offerLines(state: WizardState, lines: string): ImportState {
  const result = importText(lines);
  if (isRefused(result)) return { phase: 'lines', lines, refusal: `${result.problem}. ${result.fix}` };
  if (result.files.length > 0) return { phase: 'lines', lines: '', refusal: words().screen.secretPaste };
  const { kind, document, notes } = result;
  return offered(state, { path: null, kind, document, notes, secrets: [] });
}

/** For nodes alone it selects the way that leaves fewer problems: three more nodes do not replace a whole table. */
function offered(state: WizardState, offer: ImportOffer): ImportState {
  const ways = waysOf(offer);
  const errors = (way: ImportWay) => errorsAfter(state, offer, way);
  const mustJoin = ways.includes('join-nodes') && errors('join-nodes') < errors('replace-nodes');
  return { phase: 'offered', offer, choice: mustJoin ? ways.indexOf('join-nodes') : 0, top: 0 };
}

function taken(state: WizardState, offer: ImportOffer, way: ImportWay): Update {
  const closed: WizardState = { ...state, overlay: null };
  const document = documentFor(state.document, offer.document, way);
  const changed = changedDocument(closed, document);
  const isNodes = way === 'replace-nodes' || way === 'join-nodes';
  const gone = goTo(changed, isNodes ? 'nodes' : 'review');
  const notice = { kind: 'info' as const, text: words().screen.taken(typedNodes(document).length) };
  const effects =
    offer.path !== null && offer.secrets.length > 0 ? [{ type: 'keep-imported' as const, path: offer.path }] : [];
  return { state: { ...gone.state, notice }, effects: [...gone.effects, ...effects] };
}

function documentFor(document: unknown, imported: Imported['document'], way: ImportWay): unknown {
  const nodes = typedNodes(imported);
  switch (way) {
    case 'replace-nodes':
      return setAt(document, 'nodes', nodes.map(newNode));
    case 'join-nodes':
      return setAt(document, 'nodes', joinNodes(typedNodes(document), nodes).nodes);
    case 'alone':
      return withImported(EMPTY_DESIGN, imported);
    case 'over':
      return withImported(document, imported);
  }
}

/** The nodes that an offer brings, and what they would do to the table. */
export function offeredNodes(
  state: Pick<WizardState, 'document'>,
  offer: ImportOffer,
): { readonly nodes: readonly TypedNode[]; readonly added: number; readonly changed: number } {
  const nodes = typedNodes(offer.document);
  const { added, changed } = joinNodes(typedNodes(state.document), nodes);
  return { nodes, added, changed };
}

/** The resulting design, judged: how many answers are still missing or wrong. */
export function errorsAfter(state: WizardState, offer: ImportOffer, way: ImportWay): number {
  const { problems } = checkDocument(documentFor(state.document, offer.document, way));
  return problems.filter(({ severity }) => severity === 'error').length;
}
