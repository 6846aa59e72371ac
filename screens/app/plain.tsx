import { renderToString } from 'ink';
import type { Entry, PlainFace } from '../../src/plain/face.ts';
import { openPlainly } from '../../src/plain/open.ts';
import { catalogue } from '../../src/text/catalogue.ts';
import { AreaProvider, LookProvider } from '../../src/ui/look.tsx';
import { FILLS } from '../../src/wizard/design/node-table.ts';
import { documentNodes } from '../../src/wizard/design/update-nodes.ts';
import type { OpenWizard } from '../../src/wizard/front-end.ts';
import { openQuestion } from '../../src/wizard/live/step-run.ts';
import { waysOf } from '../../src/wizard/overlays/importing.ts';
import { shownState } from '../../src/wizard/shown.ts';
import { isStep, type WizardState } from '../../src/wizard/state.ts';
import { WIDE } from '../shared/aside.tsx';
import { fillItem } from '../shared/overlays/fill-overlay.tsx';
import { pageHelp, termsOf } from '../shared/page-help.ts';
import { changeLines } from '../shared/step/changes.ts';
import { needsOf } from '../welcome/needs.tsx';
import { welcomeChoices } from '../welcome/view.tsx';
import { Body, bindingsOf } from './app.tsx';
import { SCREENS } from './registry.ts';

/** The wizard line by line: what the screens can do and show, without a screen. */
export const openPlain: OpenWizard = () => openPlainly(faceOf);

/** Bold and inverse, which the drawing library writes where the terminal has colours. */
const STYLES = /\u001b\[[0-9;]*m/g;

/** As high as a page may be. */
const ROWS = 60;

/** @param columns the width of tables and diagrams */
export function faceOf(columns: number): PlainFace {
  const text = (state: WizardState) => textOf(state, columns);
  return {
    title: ({ screen }) => (isStep(screen) ? catalogue().steps.titles[screen] : catalogue().screens.rail[screen]),
    intro: (state) => introOf(state, text),
    choices: bindingsOf,
    entries,
    help: (state) =>
      [...pageHelp(SCREENS[state.screen], state), ...termsOf(SCREENS[state.screen])].filter((line) => line !== ''),
    text,
    changes: (state) =>
      isStep(state.screen) ? changeLines(state.runs[state.screen].plan?.changes ?? []).map((line) => line.text) : [],
  };
}

function introOf(state: WizardState, text: PlainFace['text']): readonly string[] {
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
        ...needsOf(state.welcome.around).map(({ need, said }) => `  ${need}: ${said}`),
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

function entries(state: WizardState): Entry[] {
  const { overlay } = state;
  if (overlay === null && state.screen === 'welcome')
    return welcomeChoices(state).map(({ label, hint, intent }) => ({ label: `${label}: ${hint}`, intents: [intent] }));
  if (overlay?.kind === 'fill') {
    const { otherRoles, sameRole } = catalogue().screens.nodes.fill;
    const fills = FILLS.map((fill, index): Entry => {
      const { label, hint } = fillItem(state, fill, overlay.isAcross);
      return {
        label: `${label}: ${hint}`,
        intents: [{ type: 'node/fill-move', by: index - overlay.choice }, { type: 'node/fill' }],
      };
    });
    return [...fills, { label: overlay.isAcross ? sameRole : otherRoles, intents: [{ type: 'node/fill-across' }] }];
  }
  if (overlay?.kind !== 'import' || overlay.importing.phase !== 'offered') return [];
  const { offer, choice } = overlay.importing;
  const { ways, wayHints } = catalogue().imports.screen;
  return waysOf(offer).map((way, index) => ({
    label: `${ways[way]}: ${wayHints[way]}`,
    intents: [{ type: 'import/move', by: index - choice }, { type: 'import/enter' }],
  }));
}

/** Drawn once, in ASCII and without colour. The last line of a question says how screens are answered. */
function textOf(state: WizardState, columns: number): readonly string[] {
  const look = {
    hasUnicode: false,
    hasColour: false,
    canAnimate: false,
    columns,
    rows: ROWS + documentNodes(state).length,
  };
  const drawn = renderToString(
    // What a wide window shows beside a page would be said with each line of it.
    <LookProvider look={{ ...look, columns: Math.min(columns, WIDE - 1) }}>
      <AreaProvider area={look}>
        <Body state={shownState(state)} resumeCommand="" />
      </AreaProvider>
    </LookProvider>,
    { columns },
  );
  const lines = drawn.split('\n').map((line) => line.replace(STYLES, '').trimEnd());
  const isAsking = isStep(state.screen) && state.overlay === null && openQuestion(state.runs[state.screen]) !== null;
  const kept = lines.filter((line, index) => line !== '' || (lines[index - 1] ?? '') !== '');
  const told = kept.slice(0, kept.findLastIndex((line) => line !== '') + 1);
  return isAsking ? told.slice(0, -1) : told;
}
