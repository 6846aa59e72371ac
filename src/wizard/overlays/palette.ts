import { isWorker } from '../../design/derived-facts.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { listVisibleFields } from '../design/fields.ts';
import { readNodeDrafts } from '../design/node-table.ts';
import { FORMS, type FormId } from '../design/pages/index.ts';
import type { InputOf, Intent } from '../intents.ts';
import { clampIndex } from '../list-filter.ts';
import { DESIGN_PAGES, getScreenIndex, isStep, type ScreenId, type WizardState } from '../state.ts';
import { createTextField, editText } from '../text-input.ts';
import { type Update, withoutEffects } from '../update-result.ts';

/** A screen, infra move, field, node or action that the user can select by its name. */
export interface PaletteEntry {
  /** Unique among all entries. */
  readonly id: string;
  readonly label: string;
  /** A short description. */
  readonly hint: string;
  readonly intent: Intent;
  /** Why the entry cannot be selected yet; missing: it can. */
  readonly unavailableReason?: string;
  /** A rarely needed question. */
  readonly isAdvanced?: boolean;
}

/** Lists the screens that the user may go to: those of the design, and every step that was reached. */
export function listReachableScreens({
  furthestScreenIndex,
  screen,
  screens,
}: Pick<WizardState, 'furthestScreenIndex' | 'screen' | 'screens'>): ScreenId[] {
  const furthestIndex = Math.max(furthestScreenIndex, getScreenIndex(screen), DESIGN_PAGES.length);
  return screens.filter((id) => getScreenIndex(id) <= furthestIndex);
}

/** Lists all screens, infra moves, fields and nodes that the user may go to, in the order of the screens. */
export function listPaletteEntries(state: WizardState): PaletteEntry[] {
  const { screens } = catalogue();
  const { step, page, question, node } = screens.palette;
  const screenEntries = listReachableScreens(state).map((screen): PaletteEntry => {
    const hint = isStep(screen) ? step : page;
    return { id: screen, label: screens.sidebar[screen], hint, intent: { type: 'screen/go', screen } };
  });
  const fieldEntries = Object.entries(FORMS).flatMap(([id, pageFields]) =>
    listVisibleFields(pageFields, state.document, true).map(({ path, words, isAdvanced = false }): PaletteEntry => {
      const screen = id as FormId;
      const hint = question(screens.sidebar[screen]);
      return { id: path, label: words().label, hint, intent: { type: 'screen/go', screen, field: path }, isAdvanced };
    }),
  );
  const nodeEntries = readNodeDrafts(state.document).map(({ name, role }, index): PaletteEntry => {
    return {
      id: `nodes.${index}.name`,
      label: String(name ?? ''),
      hint: node(String(role ?? ''), screens.sidebar.nodes),
      intent: { type: 'screen/go', screen: 'nodes', field: `nodes.${index}` },
    };
  });
  const moveEntries = listMoveEntries(state);
  const isInfraReached = listReachableScreens(state).includes('infra');
  return [
    ...[...screenEntries, ...listUnreachedEntries(state), ...(isInfraReached ? moveEntries : [])],
    ...[...listMachineEntries(state), ...nodeEntries, ...fieldEntries, ...(isInfraReached ? [] : moveEntries)],
  ];
}

/** Lists the infra moves, each with its row on their page. */
function listMoveEntries(state: WizardState): PaletteEntry[] {
  const { palette, sidebar } = catalogue().screens;
  const reachableScreens = listReachableScreens(state);
  const lastLabel = sidebar[reachableScreens.at(-1) ?? state.screen];
  return Object.keys(catalogue().moves.purposes).map((name) => ({
    id: `infra.${name}`,
    label: name,
    hint: palette.move(sidebar.infra),
    intent: { type: 'screen/go', screen: 'infra', rowId: name },
    ...(reachableScreens.includes('infra') ? {} : { unavailableReason: palette.notReached(lastLabel) }),
  }));
}

/** Lists the nodes whose machines the page Boot shows, before the same nodes of the design. */
function listMachineEntries(state: WizardState): PaletteEntry[] {
  const { palette, sidebar } = catalogue().screens;
  const { furthestScreenIndex, screens, inForce } = state;
  if (furthestScreenIndex < getScreenIndex('boot') || !screens.includes('boot')) return [];
  const isBootstrapOver = furthestScreenIndex > getScreenIndex('bootstrap-removal');
  const machines = (inForce?.design.nodes ?? []).filter(({ role }) =>
    isBootstrapOver ? role !== 'bootstrap' : !isWorker({ role }),
  );
  return machines.map(({ name, role }) => ({
    id: `boot.${name}`,
    label: name,
    hint: palette.node(role, sidebar.boot),
    intent: { type: 'screen/go', screen: 'boot', rowId: name },
  }));
}

/**
 * Lists the later pages: Review, which accepts the answers up to it, and the steps, each with the page that has to be
 * done first.
 */
function listUnreachedEntries(state: WizardState): PaletteEntry[] {
  const { screens } = catalogue();
  const reachableScreens = listReachableScreens(state);
  const lastScreen = reachableScreens.at(-1) ?? state.screen;
  const lastLabel = screens.sidebar[lastScreen];
  const unavailableReason = screens.palette.notReached(lastLabel);
  return state.screens
    .filter((id) => !reachableScreens.includes(id))
    .map((screen): PaletteEntry => {
      const entry = { id: screen, label: screens.sidebar[screen] };
      return screen === 'review'
        ? { ...entry, hint: screens.palette.acceptRest, intent: { type: 'screen/to-review' } }
        : {
            ...{ ...entry, hint: screens.palette.after(lastLabel), unavailableReason },
            intent: { type: 'screen/go', screen },
          };
    });
}

/**
 * Returns the entries that contain all typed words. Entries that begin with the first typed word come first, then those
 * with a word that begins with it. An entry that cannot be selected yet, or is rarely needed, ranks one place lower.
 */
export function filterPaletteEntries(entries: readonly PaletteEntry[], text: string): PaletteEntry[] {
  const typedWords = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const computeRank = ({ label, hint, unavailableReason, isAdvanced = false }: PaletteEntry): number => {
    const [name, fullText] = [label.toLowerCase(), `${label} ${hint}`.toLowerCase()];
    if (!typedWords.every((word) => fullText.includes(word))) return Number.POSITIVE_INFINITY;
    const firstWord = typedWords[0] ?? '';
    const matchRank = name.startsWith(firstWord)
      ? 0
      : name.split(/[\s.-]/).some((word) => word.startsWith(firstWord))
        ? 1
        : 2;
    return matchRank + (typedWords.length > 0 && (unavailableReason !== undefined || isAdvanced) ? 1 : 0);
  };
  const rankedEntries = entries
    .map((entry) => ({ entry, rank: computeRank(entry) }))
    .filter((candidate) => Number.isFinite(candidate.rank));
  return rankedEntries.toSorted((a, b) => a.rank - b.rank).map(({ entry }) => entry);
}

type PaletteIntent = Exclude<InputOf<'palette'>, { type: 'palette/select' }>;

/** Handles an input to the palette. The main update function handles the selected entry. */
export function updatePalette(state: WizardState, input: PaletteIntent): Update {
  const { overlay } = state;
  if (input.type === 'palette/open') {
    return withoutEffects({ ...state, overlay: { kind: 'palette', editor: createTextField(''), choice: 0 } });
  }
  if (overlay?.kind !== 'palette') return withoutEffects(state);
  switch (input.type) {
    case 'palette/edit':
      return withoutEffects({
        ...state,
        overlay: { ...overlay, editor: editText(overlay.editor, input.event), choice: 0 },
      });
    case 'palette/move': {
      const choice = clampIndex(overlay.choice + input.by, input.count);
      return withoutEffects({ ...state, overlay: { ...overlay, choice } });
    }
  }
}
