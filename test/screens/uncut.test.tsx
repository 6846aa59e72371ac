// With the longest possible names, at three sizes: headings, remedies and commands are complete, on the screen or on
// the page that it names.
import { afterAll, expect, test } from 'vitest';
import { getActiveBindings, SCREENS } from '../../screens/app/app.ts';
import { hasSidebar, listSidebarItems } from '../../screens/shared/aside.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { getDisplayWidth } from '../../src/platform/text.ts';
import { getPageViewport } from '../../src/rows/frame.ts';
import { getRowText } from '../../src/rows/page-rows.ts';
import { getStepError } from '../../src/wizard/live/step-run.ts';
import { SCREEN_IDS, type WizardState } from '../../src/wizard/state.ts';
import { formatPosition, withLongNames } from '../support/long-names.ts';
import { VIEWPORT } from '../support/viewport.ts';
import { closeApp, getBody, joinShellLines, readHelp, renderState, SIZES, stripSpaces } from './uncut.ts';
import { STATES } from './views.ts';

afterAll(closeApp);

/** Every heading of a table. */
const HEADINGS = new Set([
  ...catalogue().report.columns,
  ...[...Object.values(catalogue().screens), ...Object.values(catalogue().pages)].flatMap((part) => {
    const columns: unknown = typeof part === 'object' && part !== null && 'columns' in part ? part.columns : {};
    return typeof columns === 'object' && columns !== null ? Object.values(columns).map(String) : [];
  }),
]);

/** The line counter of a text that can be scrolled. */
const LINES = /\d+–\d+ of \d+(?: \(\w+\))? *$/;
const COUNTER = /^\d+–\d+ of \d+(?: \(\w+\))?$/;

/** Finds rows of headings in which one is cut, or overwritten by a counter. */
function findCutHeadings(state: WizardState, body: readonly string[]): string[] {
  if (state.nodes.edit) return [];
  return body.filter((line) => {
    const parts = line.trim().split(/ {2,}/);
    const isHeadingRow = parts.length > 1 && HEADINGS.has(parts[0] ?? '') && line.startsWith('  ');
    return isHeadingRow && parts.some((part) => !HEADINGS.has(part) && !COUNTER.test(part));
  });
}

/** Collects the texts that the user needs to continue: remedies and commands. */
function collectNeededTexts(state: WizardState): { readonly remedies: string[]; readonly commands: string[] } {
  const run =
    SCREEN_IDS.includes(state.screen) && state.screen in state.runs ? state.runs[state.screen as 'boot'] : null;
  if (run === null || run.phase === 'asking') return { remedies: [], commands: [] };
  const userError = getStepError(run);
  const messages = [...(userError ? [userError] : []), ...(run.probe?.findings ?? [])];
  const copyCommands = getActiveBindings(state, VIEWPORT).flatMap(({ intent }) =>
    intent?.type === 'commands/copy' ? intent.commands : [],
  );
  return {
    // The text around a command: the command has its own line.
    remedies: messages.flatMap(({ remedy }) => remedy.split(/`[^`]+`[\s.,;:)]*/)),
    commands: [
      ...copyCommands.map((command) => command.trim()),
      ...messages.flatMap(({ remedy }) => extractCommands(remedy)),
    ],
  };
}

const extractCommands = (text: string) => Array.from(text.matchAll(/`([^`]+)`/g), ([, command = '']) => command);

/** Pages on which the detail of the selected row has a place of fixed height: a short one leaves blank lines there. */
const WITH_DETAILS = ['generate', 'hosts', 'prepare', 'boot', 'certificates', 'operators', 'infra'];

/** Finds consecutive blank lines on a screen that hides text. */
function findWastedLines(state: WizardState, body: readonly string[]): string[] {
  if (WITH_DETAILS.includes(state.screen)) return [];
  const hasHiddenText = body.some(
    (line) => COUNTER.test(line.trim().split(/ {2,}/).at(-1) ?? '') || line.includes(MORE),
  );
  const blanks = body.map((line) => line.trim() === '');
  return hasHiddenText &&
    blanks.some((isBlank, row) => isBlank && blanks[row + 1] && blanks[row + 2]) &&
    isStepScreen(state)
    ? ['blank lines']
    : [];
}

const isStepScreen = ({ screen, runs }: WizardState) => screen in runs;
const MORE = catalogue().screens.step.moreNotes;

/** The states that show most of each screen. */
const LONG_STATES = Object.entries(STATES)
  .filter(([name]) => !/ looking$|Japanese/.test(name))
  .map(([name, make]) => [name, withLongNames(make())] as const);

test.each(SIZES.map((size) => [size.join('x'), size] as const))(
  'at %s no heading, no remedy and nothing to type is cut',
  async (_name, size) => {
    const wrong: string[] = [];
    for (const [name, state] of LONG_STATES) {
      const lines = await renderState(state, size);
      const body = getBody(state, lines, size);
      const addProblem = (what: string) => wrong.push(`${name}: ${what}`);
      if (
        !lines[0]?.endsWith(
          `${SCREENS[state.screen].breadcrumb()}${size[0] < 100 ? '  ' : '   '}${formatPosition(state)}`,
        )
      )
        addProblem(`place: ${lines[0]}`);
      for (const line of findCutHeadings(state, body)) addProblem(`heading: ${line}`);
      // The help beside a text is as long as it is.
      for (const what of findWastedLines(state, body.slice(0, size[1] - 4))) addProblem(what);
      const { remedies, commands } = collectNeededTexts(state);
      const findMissing = (seen: readonly string[]) => [
        ...remedies.filter((text) => !stripSpaces(seen.join('')).includes(stripSpaces(text))),
        ...commands.filter((text) => !joinShellLines(seen).includes(joinShellLines([text]))),
      ];
      const missing = findMissing(body);
      if (missing.length === 0) continue;
      if (!body.some((line) => line.includes(MORE) || LINES.test(line)))
        addProblem(`says nothing of more: ${missing.join('; ')}`);
      for (const text of findMissing(await readHelp(state, size)))
        if (missing.includes(text)) addProblem(`nowhere: ${text}`);
    }
    expect(wrong).toEqual([]);
  },
);

test('no sentence around the lists, forms and logs of a page is cut at 80 columns', () => {
  const cut = Object.entries(STATES).flatMap(([name, make]) => {
    const state = make();
    const sidebar = hasSidebar(state, 80) ? listSidebarItems(state) : [];
    const viewport = getPageViewport({ columns: 80, rows: 24, hasUnicode: true, canAnimate: false }, sidebar);
    // A cut cell of the selected row is complete in its detail; entries of Welcome have no detail.
    return (
      SCREENS[state.screen]
        .rows(state, viewport)
        .filter(({ item, window }) => window === undefined && (item === undefined || state.screen === 'welcome'))
        .map(getRowText)
        .filter((line) => line.includes('…') || getDisplayWidth(line) > viewport.columns)
        // A derived value beside an answer is complete under the form.
        .filter((line) => !/^ {36,}/.test(line))
        // Paths of other installations, and problems in a list whose selected one stands below it in full.
        .filter((line) => !/^[▸ ] (?:Open|Resume|Warning|Error) /.test(line))
        .map((line) => `${name}: ${line}`)
    );
  });
  expect(cut).toEqual([]);
});
