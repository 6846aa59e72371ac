import { catalogue } from '../../text/catalogue.ts';
import { visibleFields } from '../design/fields.ts';
import { FORMS, type FormId } from '../design/pages/index.ts';
import { documentNodes } from '../design/update-nodes.ts';
import type { InputOf, Intent } from '../intents.ts';
import { DESIGN_PAGES, isStep, type ScreenId, screenIndex, type WizardState } from '../state.ts';
import { editText, textFieldOf } from '../typing/text-field.ts';
import { type Update, unchanged } from '../update-result.ts';

/** Something that a person can go to or have done by its name. */
export interface Goal {
  /** Names it among all goals. */
  readonly id: string;
  readonly label: string;
  /** What it is, in a few words. */
  readonly hint: string;
  readonly intent: Intent;
  /** It cannot be gone to yet: why. */
  readonly whyNot?: string;
}

/** The screens that a person may go to: those of the design, and every step that was reached. */
export function screensWithin({
  reached,
  screen,
  screens,
}: Pick<WizardState, 'reached' | 'screen' | 'screens'>): ScreenId[] {
  const furthest = Math.max(reached, screenIndex(screen), DESIGN_PAGES.length);
  return screens.filter((id) => screenIndex(id) <= furthest);
}

/** Those of them that stand in the list at the left. */
const railWithin = (state: WizardState): readonly ScreenId[] => screensWithin(state).filter((id) => id !== 'welcome');

/** Every screen, question and node that a person may go to, in the order of the screens. */
export function placesOf(state: WizardState): Goal[] {
  const { screens, steps } = catalogue();
  const { step, page, question, node } = screens.palette;
  const shown = screensWithin(state).map((screen): Goal => {
    const label = isStep(screen) ? steps.titles[screen] : screens.rail[screen];
    return { id: screen, label, hint: isStep(screen) ? step : page, intent: { type: 'screen/go', screen } };
  });
  const fields = Object.entries(FORMS).flatMap(([id, all]) =>
    visibleFields(all, state.document).map(({ path, words }): Goal => {
      const screen = id as FormId;
      const hint = question(screens.rail[screen]);
      return { id: path, label: words().label, hint, intent: { type: 'screen/go', screen, field: path } };
    }),
  );
  const nodes = documentNodes(state).map(({ name, role }, index): Goal => {
    const field = `nodes.${index}.name`;
    return {
      id: field,
      label: String(name ?? ''),
      hint: node(String(role ?? '')),
      intent: { type: 'screen/go', screen: 'nodes', field },
    };
  });
  return [...shown, ...notReached(state), ...nodes, ...fields];
}

/** The steps that come later, each with the one that has to be done first. */
function notReached(state: WizardState): Goal[] {
  const { screens, steps } = catalogue();
  const within = screensWithin(state);
  const last = within.at(-1) ?? state.screen;
  const before = isStep(last) ? steps.titles[last] : screens.rail[last];
  const whyNot = screens.palette.notReached(before);
  return state.screens
    .filter((id) => !within.includes(id))
    .map((screen) => ({
      id: screen,
      label: isStep(screen) ? steps.titles[screen] : screens.rail[screen],
      hint: screens.palette.after(before),
      intent: { type: 'screen/go', screen },
      whyNot,
    }));
}

/** The goals that have every typed word in them, those that begin with the text first, then those with a word that does. */
export function matching(goals: readonly Goal[], text: string): Goal[] {
  const typed = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const rank = ({ label, hint }: Goal): number => {
    const [name, all] = [label.toLowerCase(), `${label} ${hint}`.toLowerCase()];
    if (!typed.every((word) => all.includes(word))) return 3;
    const first = typed[0] ?? '';
    return name.startsWith(first) ? 0 : name.split(/[\s.-]/).some((word) => word.startsWith(first)) ? 1 : 2;
  };
  const ranked = goals.map((goal) => ({ goal, rank: rank(goal) })).filter((one) => one.rank < 3);
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ goal }) => goal);
}

type PaletteIntent = Exclude<InputOf<'palette'>, { type: 'palette/take' }>;

/** What an input makes of the palette; taking a goal is the update's own. */
export function updatePalette(state: WizardState, input: PaletteIntent): Update {
  const { overlay } = state;
  if (input.type === 'palette/open') {
    return unchanged({ ...state, overlay: { kind: 'palette', editor: textFieldOf(''), choice: 0 } });
  }
  if (overlay?.kind !== 'palette') return unchanged(state);
  switch (input.type) {
    case 'palette/edit':
      return unchanged({ ...state, overlay: { ...overlay, editor: editText(overlay.editor, input.event), choice: 0 } });
    case 'palette/move': {
      const choice = Math.max(0, Math.min(overlay.choice + input.by, input.count - 1));
      return unchanged({ ...state, overlay: { ...overlay, choice } });
    }
  }
}

/** What an input makes of the list at the left, while the keys move in it. */
export function updateRail(state: WizardState, input: InputOf<'rail'>): Update {
  const within = railWithin(state);
  const { overlay } = state;
  switch (input.type) {
    case 'rail/open':
      return unchanged({ ...state, overlay: { kind: 'rail', row: Math.max(0, within.indexOf(state.screen)) } });
    case 'rail/move': {
      if (overlay?.kind !== 'rail') return unchanged(state);
      const row = Math.max(0, Math.min(overlay.row + input.by, within.length - 1));
      return unchanged({ ...state, overlay: { kind: 'rail', row } });
    }
  }
}

/** The screen that is selected in the list at the left; null where no key moves in it. */
export function selectedInRail(state: WizardState): ScreenId | null {
  if (state.overlay?.kind !== 'rail') return null;
  return railWithin(state)[state.overlay.row] ?? null;
}
