import { catalogue } from '../../../src/i18n/catalogue.ts';
import { wrapLines } from '../../../src/platform/text.ts';
import type { Binding } from '../../../src/rows/bindings.ts';
import { textFieldRow, textValueRow } from '../../../src/rows/form.ts';
import { createRow, GAP, type PageRow, type Viewport } from '../../../src/rows/page-rows.ts';
import { selectRows } from '../../../src/rows/select.ts';
import { getLastTop, noticeRows, paragraphRows, spinnerRow, textRows } from '../../../src/rows/text.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { ImportState } from '../../../src/wizard/overlays/overlay.ts';
import { countErrorsAfterImport, listImportModes, previewNodes } from '../../../src/wizard/overlays/update-import.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import type { KeyEvent } from '../../../src/wizard/typing.ts';
import { getJumpDistance, listBindings, overlayUndoBindings, quitBindings, skipExcess } from '../bindings.ts';

const words = () => catalogue().imports;

const keys = () => catalogue().screens.keys;

/** Returns the keys of the import overlay in its current phase. */
export function importBindings(state: WizardState, importing: ImportState, viewport: Viewport): Binding<Intent>[] {
  const { phase } = importing;
  const close: Binding<Intent> = { keys: ['escape'], label: keys().back, intent: { type: 'import/close' } };
  const quit = [...overlayUndoBindings({ isTyping: phase !== 'offered' }), ...quitBindings()];
  const enter = (label: string): Binding<Intent> => ({ keys: ['enter'], label, intent: { type: 'import/enter' } });
  switch (phase) {
    case 'lines':
      return [
        { keys: ['ctrl-d'], label: keys().linesDone, intent: { type: 'import/finish' } },
        enter(keys().lineDone),
        close,
        ...quit,
      ];
    case 'offered':
      return [
        enter(keys().take),
        ...listBindings({ label: keys().row, toIntent: (by): Intent => ({ type: 'import/move', by }), hasTab: true }),
        ...(importing.phase === 'offered' ? noteBindings(state, importing, viewport) : []),
        close,
        ...quit,
      ];
    case 'file':
    case 'reading':
      return [enter(keys().read), close, ...quit];
  }
}

/** Right and Left scroll the notes of an offer. */
function noteBindings(state: WizardState, importing: Phase<'offered'>, viewport: Viewport): Binding<Intent>[] {
  if (importing.offer.notes.length === 0) return [];
  const { lines, lastTop } = layOutOffer(state, importing, viewport);
  const scroll = (by: number): Intent => ({
    type: 'import/read',
    by: skipExcess(by, { top: importing.top, lastTop }),
    count: lines.length,
  });
  return [
    { keys: ['right', ' '], label: keys().readOn, intent: scroll(5) },
    { keys: ['left'], label: keys().readBack, intent: scroll(-5), hidden: true },
  ];
}

/**
 * The intent of typed text: it edits the file name or the pasted lines. In an offer, a letter selects the option that
 * begins with it.
 */
export function getImportIntent(importing: ImportState, event: KeyEvent): Intent {
  if (importing.phase !== 'offered') return { type: 'import/edit', event };
  const labels = listImportModes(importing.offer).map((way) => words().screen.modes[way]);
  return { type: 'import/move', by: getJumpDistance(labels, importing.choice, event) };
}

/**
 * Imports a file or pasted lines. Replaces the body of the screen.
 *
 *     Bring in what you have
 *
 *     nodes.csv was read as a table of nodes.
 *     12 nodes: 10 new, 2 with the name of one in the table.
 *
 *     ▸ Replace the node table             the nodes there now go; u brings them back
 *       Put them over the table, by name   the other nodes stay
 */
export function importRows(state: WizardState, importing: ImportState, viewport: Viewport): PageRow[] {
  const refusal = 'refusal' in importing ? importing.refusal : null;
  return [
    createRow(words().screen.title, 'text', true),
    GAP,
    ...phaseRows(state, importing, viewport),
    ...(refusal === null ? [] : [GAP, ...noticeRows({ kind: 'error', text: refusal, height: 8 }, viewport)]),
  ];
}

type Phase<Name extends ImportState['phase']> = Extract<ImportState, { phase: Name }>;

function phaseRows(state: WizardState, importing: ImportState, viewport: Viewport): PageRow[] {
  const label = { text: `${words().screen.file}  `, tone: 'focus' } as const;
  switch (importing.phase) {
    case 'file':
      return [
        textFieldRow(label, importing.editor, viewport),
        GAP,
        ...paragraphRows(words().screen.fileWhy, viewport, { tone: 'muted', height: 5 }),
      ];
    case 'reading':
      return [textValueRow(label, importing.editor.text, viewport), GAP, spinnerRow(words().screen.reading, viewport)];
    case 'lines':
      return pastedLineRows(importing, viewport);
    case 'offered':
      return offerRows(state, importing, viewport);
  }
}

function pastedLineRows(importing: Phase<'lines'>, viewport: Viewport): PageRow[] {
  const lines = importing.lines.split('\n');
  const height = Math.max(1, viewport.rows - 11);
  const rows = Math.min(height, lines.length);
  return [
    ...paragraphRows(words().screen.lines, viewport, { tone: 'muted' }),
    GAP,
    ...textRows({ lines, top: getLastTop(lines.length, height) }, { ...viewport, rows }),
    createRow(words().screen.lineCount(lines.filter((line) => line.trim() !== '').length), 'muted'),
  ];
}

/** Lays out the description of an offer: its lines, and how many of them are visible above the choices. */
function layOutOffer(state: WizardState, { offer, choice }: Phase<'offered'>, viewport: Viewport) {
  const modes = listImportModes(offer);
  const { nodes, added, changed } = previewNodes(state, offer);
  const importedKeys = Object.keys(offer.document).filter((key) => key !== 'apiVersion' && key !== 'kind');
  const texts = [
    words().screen.readAs(offer.path ?? words().screen.pasted, words().kinds[offer.kind]),
    ...(importedKeys.length === 1 && importedKeys[0] === 'nodes' ? [] : [words().screen.keys(importedKeys.join(', '))]),
    ...(nodes.length > 0 ? [words().screen.nodes(nodes.length, added, changed)] : []),
    ...offer.notes,
    ...(offer.secrets.length > 0 ? [words().screen.secrets(offer.secrets.join(', '))] : []),
    words().screen.remainingErrors(countErrorsAfterImport(state, offer, modes[choice] ?? 'merge-answers')),
  ];
  const lines = texts.flatMap((text) => wrapLines(text, viewport.columns)).map((text) => ({ text }));
  const rows = Math.min(lines.length, Math.max(1, viewport.rows - modes.length - 4));
  return { modes, lines, rows, lastTop: getLastTop(lines.length, rows) };
}

function offerRows(state: WizardState, importing: Phase<'offered'>, viewport: Viewport): PageRow[] {
  const { modes, lines, rows } = layOutOffer(state, importing, viewport);
  const items = modes.map((value) => ({
    value,
    label: words().screen.modes[value],
    hint: words().screen.modeHints[value],
  }));
  return [
    ...textRows({ lines, top: importing.top, key: 'right' }, { ...viewport, rows }),
    GAP,
    ...selectRows(items, importing.choice, { ...viewport, rows: modes.length }),
  ];
}
