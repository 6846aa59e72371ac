import { renderToString } from 'ink';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { openPlainFrontEnd } from '../../src/plain/plain-front-end.ts';
import type { ScreenEntry, ScreenTextModel } from '../../src/plain/screen-text-model.ts';
import { AreaProvider, TerminalStyleProvider } from '../../src/ui/terminal-style.tsx';
import { FILL_KINDS } from '../../src/wizard/design/node-table.ts';
import { getDocumentNodes } from '../../src/wizard/design/update-nodes.ts';
import type { OpenFrontEnd } from '../../src/wizard/front-end.ts';
import { getOpenPrompt } from '../../src/wizard/live/step-run.ts';
import { listImportModes } from '../../src/wizard/overlays/update-import.ts';
import { isStep, sanitizeState, type WizardState } from '../../src/wizard/state.ts';
import { getPageHelp, listTerms, MIN_WIDE_COLUMNS } from '../shared/aside.tsx';
import { createFillItem } from '../shared/overlays/fill-overlay.tsx';
import { renderChanges } from '../shared/step/changes.ts';
import { listRequirements, listWelcomeChoices } from '../welcome.tsx';
import { getActiveBindings, ScreenBody } from './app.tsx';
import { SCREENS } from './registry.ts';

/** The line-by-line front end: the actions and texts of the screens, without a screen. */
export const openPlain: OpenFrontEnd = () => openPlainFrontEnd(createScreenTextModel);

/** Bold and inverse, which Ink writes if the terminal has colours. */
const ANSI_STYLES = /\u001b\[[0-9;]*m/g;

const MAX_PAGE_ROWS = 60;

/**
 * Creates the text model of the screens.
 * @param columns the width of tables and diagrams
 */
export function createScreenTextModel(columns: number): ScreenTextModel {
  const text = (state: WizardState) => renderText(state, columns);
  return {
    title: ({ screen }) => (isStep(screen) ? catalogue().steps.titles[screen] : catalogue().screens.sidebar[screen]),
    intro: (state) => listIntroLines(state, text),
    choices: getActiveBindings,
    entries: listEntries,
    help: (state) =>
      [...getPageHelp(SCREENS[state.screen], state), ...listTerms(SCREENS[state.screen])].filter((line) => line !== ''),
    text,
    changes: (state) =>
      isStep(state.screen) ? renderChanges(state.runs[state.screen].plan?.changes ?? []).map((line) => line.text) : [],
  };
}

function listIntroLines(state: WizardState, text: ScreenTextModel['text']): readonly string[] {
  const { screen } = state;
  const { pages, screens } = catalogue();
  if (isStep(screen)) return SCREENS[screen].help(state).slice(0, 1);
  switch (screen) {
    case 'welcome':
      return [
        `${screens.welcome.headline} ${screens.welcome.subline}`,
        ...(state.welcome.rehearsal ? [screens.welcome.rehearsal(state.welcome.rehearsal.speed)] : []),
        screens.welcome.directory(state.welcome.dir),
        screens.welcome.needs.title,
        ...listRequirements(state.welcome.overview).map(({ need, detail }) => `  ${need}: ${detail}`),
      ];
    case 'nodes':
      return [pages.nodes.intro, ...text(state).slice(1)];
    case 'review':
      return text(state);
    case 'cluster':
    case 'networks':
    case 'services':
    case 'credentials':
      return [pages[screen].intro];
  }
}

function listEntries(state: WizardState): ScreenEntry[] {
  const { overlay } = state;
  if (overlay === null && state.screen === 'welcome')
    return listWelcomeChoices(state).map(({ label, hint, intent }) => ({
      label: `${label}: ${hint}`,
      intents: [intent],
    }));
  if (overlay?.kind === 'fill') {
    const { otherRoles, sameRole } = catalogue().screens.nodes.fill;
    const fills = FILL_KINDS.map((fill, index): ScreenEntry => {
      const { label, hint } = createFillItem(state, fill, overlay.isAcross);
      return {
        label: `${label}: ${hint}`,
        intents: [{ type: 'node/fill-move', by: index - overlay.choice }, { type: 'node/fill' }],
      };
    });
    return [...fills, { label: overlay.isAcross ? sameRole : otherRoles, intents: [{ type: 'node/fill-across' }] }];
  }
  if (overlay?.kind !== 'import' || overlay.importState.phase !== 'offered') return [];
  const { offer, choice } = overlay.importState;
  const { modes, modeHints } = catalogue().imports.screen;
  return listImportModes(offer).map((way, index) => ({
    label: `${modes[way]}: ${modeHints[way]}`,
    intents: [{ type: 'import/move', by: index - choice }, { type: 'import/enter' }],
  }));
}

/**
 * Renders the screen once, in ASCII and without colour. Drops the last line of an open question: it lists keys that only
 * the full screens have.
 */
function renderText(state: WizardState, columns: number): readonly string[] {
  const style = {
    hasUnicode: false,
    hasColour: false,
    canAnimate: false,
    columns,
    rows: MAX_PAGE_ROWS + getDocumentNodes(state).length,
  };
  const rendered = renderToString(
    // Narrow enough that the help beside the page is left out; otherwise it would be mixed into its lines.
    <TerminalStyleProvider style={{ ...style, columns: Math.min(columns, MIN_WIDE_COLUMNS - 1) }}>
      <AreaProvider area={style}>
        <ScreenBody state={sanitizeState(state)} resumeCommand="" />
      </AreaProvider>
    </TerminalStyleProvider>,
    { columns },
  );
  const lines = rendered.split('\n').map((line) => line.replace(ANSI_STYLES, '').trimEnd());
  const isAsking = isStep(state.screen) && state.overlay === null && getOpenPrompt(state.runs[state.screen]) !== null;
  const collapsed = lines.filter((line, index) => line !== '' || (lines[index - 1] ?? '') !== '');
  const trimmed = collapsed.slice(0, collapsed.findLastIndex((line) => line !== '') + 1);
  return isAsking ? trimmed.slice(0, -1) : trimmed;
}
