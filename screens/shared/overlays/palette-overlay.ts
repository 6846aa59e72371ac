import { catalogue } from '../../../src/i18n/catalogue.ts';
import { type Binding, getKeyLabel } from '../../../src/rows/bindings.ts';
import { createTextFieldRow } from '../../../src/rows/form.ts';
import { createRow, EMPTY_ROW, type PageRow, type Viewport } from '../../../src/rows/page-rows.ts';
import { createSelectRows } from '../../../src/rows/select.ts';
import { getIntentRules, type Intent } from '../../../src/wizard/intents.ts';
import type { Overlay } from '../../../src/wizard/overlays/overlay.ts';
import { filterPaletteEntries, listPaletteEntries, type PaletteEntry } from '../../../src/wizard/overlays/palette.ts';
import { getSidebarSelection } from '../../../src/wizard/overlays/sidebar.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { createListBindings, createOverlayUndoBindings, createQuitBindings } from '../bindings.ts';

const words = () => catalogue().screens.palette;
const keys = () => catalogue().screens.keys;

type OpenPalette = Extract<Overlay, { kind: 'palette' }>;
/** The keys of the underlying screen, whose commands are offered as well. */
type Commands = readonly Binding<Intent>[];

function listCommandEntries(commands: Commands): PaletteEntry[] {
  return commands.flatMap(({ keys: names, label, intent, disabledReason, isHidden }) => {
    if (intent === null || disabledReason !== undefined || isHidden || getIntentRules(intent).offeredIn === 'never')
      return [];
    const key = names[0] ?? '';
    return [{ id: `key ${key}`, label, hint: words().command(getKeyLabel(key)), intent }];
  });
}

/** Finds the entries that match the typed text: pages and questions first, then the commands of the screen. */
function findEntries(state: WizardState, { editor }: OpenPalette, commands: Commands): PaletteEntry[] {
  return filterPaletteEntries([...listPaletteEntries(state), ...listCommandEntries(commands)], editor.text);
}

/** Returns the keys of the palette. Enter is disabled, with the reason, where the selected entry cannot be opened. */
export function createPaletteBindings(state: WizardState, palette: OpenPalette, commands: Commands): Binding<Intent>[] {
  const entries = findEntries(state, palette, commands);
  const selectedEntry = entries[palette.choice];
  const move = (by: number): Intent => ({ type: 'palette/move', by, count: entries.length });
  const goBinding: Binding<Intent> = { keys: ['enter'], label: keys().go, intent: null };
  return [
    selectedEntry?.unavailableReason === undefined && selectedEntry
      ? { ...goBinding, intent: { type: 'palette/select', intent: selectedEntry.intent } }
      : { ...goBinding, disabledReason: selectedEntry?.unavailableReason ?? words().none(palette.editor.text) },
    ...(entries.length === 0
      ? []
      : createListBindings({ label: keys().row, toIntent: move, hasTab: true, isTyping: true })),
    { keys: ['escape'], label: keys().close, intent: { type: 'overlay/close' } },
    ...createOverlayUndoBindings({ isTyping: true }).map((binding) => ({ ...binding, isHidden: true })),
    ...createQuitBindings(),
  ];
}

/** Creates the keys of the sidebar while it has the focus. */
export function createSidebarBindings(state: WizardState): Binding<Intent>[] {
  const screen = getSidebarSelection(state);
  const closeIntent: Intent = { type: 'overlay/close' };
  const goIntent: Intent | null = screen && { type: 'palette/select', intent: { type: 'screen/go', screen } };
  const move = (by: number): Intent => ({ type: 'sidebar/move', by });
  return [
    { keys: ['enter'], label: keys().go, intent: screen === state.screen ? closeIntent : goIntent },
    ...createListBindings({ label: keys().row, toIntent: move, hasTab: true }),
    { keys: ['escape', 'ctrl-t', 'right'], label: keys().close, intent: closeIntent },
    ...createQuitBindings(),
  ];
}

/**
 * Returns the rows of the palette, which opens a page or runs a command by a part of its name.
 *
 *     Go to: net
 *
 *     ▸ Networks           page
 *       Machine network    question on Networks
 */
export function paletteRows(
  state: WizardState,
  palette: OpenPalette,
  commands: Commands,
  viewport: Viewport,
): PageRow[] {
  const entries = findEntries(state, palette, commands);
  const unavailableReason = entries[palette.choice]?.unavailableReason ?? '';
  const items = entries.map(({ id, label, hint }) => ({ value: id, label, hint }));
  // Rows for the reason are reserved while any entry has one, so that no entry moves with the selection.
  const hasReasons = entries.some((entry) => entry.unavailableReason !== undefined);
  const rows = viewport.rows - 2 - (hasReasons ? 2 : 0);
  return [
    createTextFieldRow({ text: words().prompt, tone: 'focus' }, palette.editor, viewport),
    EMPTY_ROW,
    ...(entries.length === 0
      ? [createRow(words().none(palette.editor.text), 'muted')]
      : createSelectRows(items, palette.choice, { ...viewport, rows })),
    ...(unavailableReason === '' ? [] : [EMPTY_ROW, createRow(unavailableReason, 'warn')]),
  ];
}
