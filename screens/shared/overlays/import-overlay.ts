import { catalogue } from '../../../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../../../src/i18n/shortcuts.ts';
import { wrapLines } from '../../../src/platform/text.ts';
import type { Binding } from '../../../src/rows/bindings.ts';
import { createTextFieldRow, createTextValueRow } from '../../../src/rows/form.ts';
import { createRow, EMPTY_ROW, type PageRow, type Viewport } from '../../../src/rows/page-rows.ts';
import { createSpinnerRow } from '../../../src/rows/progress.ts';
import { createSelectRows } from '../../../src/rows/select.ts';
import { createNoticeRows, createParagraphRows, createTextRows, getLastTop } from '../../../src/rows/text.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { ImportState } from '../../../src/wizard/overlays/overlay.ts';
import {
  describeSizeChange,
  listErrorsAfterImport,
  listImportChanges,
  listImportModes,
  previewNodes,
} from '../../../src/wizard/overlays/update-import.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import type { KeyEvent } from '../../../src/wizard/text-input.ts';
import {
  createListBindings,
  createOverlayUndoBindings,
  createQuitBindings,
  getJumpDistance,
  skipExcess,
} from '../bindings.ts';

const words = () => catalogue().imports;

const keys = () => catalogue().screens.keys;

/** Returns the keys of the import overlay in its current phase. */
export function createImportBindings(
  state: WizardState,
  importState: ImportState,
  viewport: Viewport,
): Binding<Intent>[] {
  const { phase } = importState;
  const closeBinding: Binding<Intent> = { keys: ['escape'], label: keys().back, intent: { type: 'import/close' } };
  const undoAndQuitBindings = [
    ...createOverlayUndoBindings({ isTyping: phase !== 'offered' }),
    ...createQuitBindings(),
  ];
  const createEnterBinding = (label: string): Binding<Intent> => ({
    keys: ['enter'],
    label,
    intent: { type: 'import/enter' },
  });
  switch (phase) {
    case 'lines':
      return [
        { keys: ['ctrl-d'], label: keys().linesDone, intent: { type: 'import/finish' } },
        createEnterBinding(keys().lineDone),
        closeBinding,
        ...undoAndQuitBindings,
      ];
    case 'offered':
      return [
        createEnterBinding(keys().take),
        ...createListBindings({
          label: keys().row,
          toIntent: (by): Intent => ({ type: 'import/move', by }),
          hasTab: true,
        }).filter(({ keys: names }) => !names.some((name) => name.startsWith('page-'))),
        ...(importState.phase === 'offered' ? createOfferScrollBindings(state, importState, viewport) : []),
        closeBinding,
        ...undoAndQuitBindings,
      ];
    case 'file':
    case 'reading':
      return [createEnterBinding(keys().read), closeBinding, ...undoAndQuitBindings];
  }
}

/** Creates the keys that scroll the description of an offer; hidden, if it fits above the choices. */
function createOfferScrollBindings(
  state: WizardState,
  importState: StateInPhase<'offered'>,
  viewport: Viewport,
): Binding<Intent>[] {
  const { lines, lastTop } = layOutOffer(state, importState, viewport);
  const scroll = (by: number): Intent => ({
    type: 'import/scroll',
    by: skipExcess(by, { top: importState.top, lastTop }),
    count: lines.length,
  });
  return [
    { keys: ['right', ' ', 'page-down'], label: keys().readOn, intent: scroll(5), isHidden: lastTop === 0 },
    { keys: ['left', 'page-up'], label: keys().readBack, intent: scroll(-5), isHidden: true },
  ];
}

/**
 * Returns the intent of typed text, which edits the file name or the pasted lines. In an offer, a letter selects the
 * option that begins with it.
 */
export function getImportIntent(importState: ImportState, event: KeyEvent): Intent {
  if (importState.phase !== 'offered') return { type: 'import/edit', event };
  const labels = listImportModes(importState.offer).map((mode) => words().screen.modes[mode]);
  return { type: 'import/move', by: getJumpDistance(labels, importState.choice, event) };
}

/**
 * Returns the rows of the import overlay, which replaces the body of the screen.
 *
 *     Import existing files
 *
 *     nodes.csv was read as a table of nodes.
 *     12 nodes: 10 new, 2 that replace a node of the same name.
 *     After the import nothing is missing.
 *
 *     ▸ Replace the node table              removes the current nodes; u reverts it
 *       Merge them into the table, by name  the other nodes stay
 */
export function importRows(state: WizardState, importState: ImportState, viewport: Viewport): PageRow[] {
  const refusal = 'refusal' in importState ? importState.refusal : null;
  return [
    createRow(isPasted(importState) ? words().screen.pastedTitle : words().screen.title, 'text', true),
    EMPTY_ROW,
    ...phaseRows(state, importState, viewport),
    ...(refusal === null
      ? []
      : [EMPTY_ROW, ...createNoticeRows({ kind: 'error', text: refusal, height: 8 }, viewport)]),
  ];
}

/** Whether the text comes from the terminal, not from a file. */
const isPasted = (importState: ImportState) =>
  importState.phase === 'lines' || (importState.phase === 'offered' && importState.offer.path === null);

type StateInPhase<Name extends ImportState['phase']> = Extract<ImportState, { phase: Name }>;

function phaseRows(state: WizardState, importState: ImportState, viewport: Viewport): PageRow[] {
  const label = { text: `${words().screen.file}  `, tone: 'focus' } as const;
  switch (importState.phase) {
    case 'file':
      return [
        createTextFieldRow(label, importState.editor, viewport),
        EMPTY_ROW,
        ...createParagraphRows(words().screen.fileWhy, viewport, { tone: 'muted', height: 5 }),
      ];
    case 'reading':
      return [
        createTextValueRow(label, importState.editor.text, viewport),
        EMPTY_ROW,
        createSpinnerRow(words().screen.reading, viewport),
      ];
    case 'lines':
      return pastedLineRows(importState, viewport);
    case 'offered':
      return offerRows(state, importState, viewport);
  }
}

function pastedLineRows(importState: StateInPhase<'lines'>, viewport: Viewport): PageRow[] {
  const lines = importState.lines.split('\n');
  const height = Math.max(1, viewport.rows - 11);
  const rows = Math.min(height, lines.length);
  return [
    ...createParagraphRows(`${words().screen.lines} ${words().screen.linesEnd}`, viewport, { tone: 'muted' }),
    EMPTY_ROW,
    ...createTextRows({ lines, top: getLastTop(lines.length, height) }, { ...viewport, rows }),
    createRow(words().screen.lineCount(lines.filter((line) => line.trim() !== '').length), 'muted'),
  ];
}

/** Rows below the choices: the label and the hint of the selected one, where its row cuts them. */
const MAX_HINT_ROWS = 2;

/** Lays out the description of an offer: its lines, and how many of them are visible above the choices. */
function layOutOffer(state: WizardState, { offer, choice }: StateInPhase<'offered'>, viewport: Viewport) {
  const modes = listImportModes(offer);
  const { nodes, addedCount, changedCount } = previewNodes(state, offer);
  const mode = modes[choice] ?? 'merge-answers';
  const errors = listErrorsAfterImport(state, offer, mode);
  const changes = listImportChanges(state, offer, mode);
  const sizeChange = describeSizeChange(state, offer, mode);
  const importedKeys = Object.keys(offer.document).filter((key) => key !== 'apiVersion' && key !== 'kind');
  const texts = [
    words().screen.readAs(offer.path ?? words().screen.pasted, words().kinds[offer.kind]),
    ...(sizeChange === null ? [] : [sizeChange]),
    ...(importedKeys.length === 1 && importedKeys[0] === 'nodes' ? [] : [words().screen.keys(importedKeys.join(', '))]),
    ...(nodes.length > 0 ? [words().screen.nodes(nodes.length, addedCount, changedCount)] : []),
    // The notes say which cells could not be read: the errors follow from that. Both come before the many changes.
    ...offer.notes,
    words().screen.remainingErrors(errors.length),
    ...errors.map((error) => `- ${error}`),
    ...(changes.length > 0 ? [words().screen.changes, ...changes.map((change) => `- ${change}`)] : []),
    ...(offer.secrets.length > 0 ? [words().screen.secrets(offer.secrets.join(', '))] : []),
  ];
  const lines = texts.flatMap((text) => wrapLines(text, viewport.columns)).map((text) => ({ text }));
  const rows = Math.min(lines.length, Math.max(1, viewport.rows - modes.length - MAX_HINT_ROWS - 3));
  return { modes, lines, rows, lastTop: getLastTop(lines.length, rows) };
}

function offerRows(state: WizardState, importState: StateInPhase<'offered'>, viewport: Viewport): PageRow[] {
  const { modes, lines, rows } = layOutOffer(state, importState, viewport);
  const modeHints = words().screen.modeHints(SHORTCUTS.undo);
  const items = modes.map((value) => ({
    value,
    label: words().screen.modes[value],
    hint: modeHints[value],
  }));
  return [
    ...createTextRows({ lines, top: importState.top, key: 'right' }, { ...viewport, rows }),
    EMPTY_ROW,
    ...createSelectRows(items, importState.choice, { ...viewport, rows: modes.length + MAX_HINT_ROWS }),
  ];
}
