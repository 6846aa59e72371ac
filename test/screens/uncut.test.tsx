// With the longest names that there may be, on the smallest and on a wide terminal: headings, remedies and what a person types
// are whole, on the screen or on the page that it points to.
import { afterAll, expect, test } from 'vitest';
import { bindingsOf } from '../../screens/app/app.tsx';
import { SCREENS } from '../../screens/app/registry.ts';
import { catalogue } from '../../src/text/catalogue.ts';
import { troubleOf } from '../../src/wizard/live/step-run.ts';
import { SCREEN_IDS, type WizardState } from '../../src/wizard/state.ts';
import { positionOf, withLongNames } from '../support/long-names.ts';
import { bodyOf, closeApp, helpOf, SIZES, shown, squeezed, unfolded } from './uncut.ts';
import { STATES } from './views.ts';

afterAll(closeApp);

/** Every heading of a table. */
const HEADINGS = new Set(
  [...Object.values(catalogue().screens), ...Object.values(catalogue().pages)].flatMap((part) => {
    const columns: unknown = typeof part === 'object' && part !== null && 'columns' in part ? part.columns : {};
    return typeof columns === 'object' && columns !== null ? Object.values(columns).map(String) : [];
  }),
);
/** Of a text that is read on in. */
const LINES = /\d+-\d+ of \d+ *$/;
const COUNTER = /^\d+-\d+ of \d+$/;

/** Rows of headings in which one is cut, or overwritten by a counter. */
function cutHeadings(state: WizardState, body: readonly string[]): string[] {
  if (state.nodes.edit) return [];
  return body.filter((line) => {
    const parts = line.trim().split(/ {2,}/);
    const isTitles = parts.length > 1 && HEADINGS.has(parts[0] ?? '') && line.startsWith('  ');
    return isTitles && parts.some((part) => !HEADINGS.has(part) && !COUNTER.test(part));
  });
}

/** What a person reads to go on: remedies, in full; and what they type. */
function neededTexts(state: WizardState): { readonly remedies: string[]; readonly commands: string[] } {
  const run =
    SCREEN_IDS.includes(state.screen) && state.screen in state.runs ? state.runs[state.screen as 'boot'] : null;
  if (run === null || run.phase === 'asking') return { remedies: [], commands: [] };
  const trouble = troubleOf(run);
  const told = [...(trouble ? [trouble] : []), ...(run.probe?.findings ?? [])];
  const copied = bindingsOf(state).flatMap(({ intent }) => (intent?.type === 'commands/copy' ? intent.commands : []));
  return {
    // What stands around a command that has a line of its own.
    remedies: told.flatMap(({ whatToDo }) => whatToDo.split(/`[^`]+`[\s.,;:)]*/)),
    commands: [...copied.map((command) => command.trim()), ...told.flatMap(({ whatToDo }) => commandsIn(whatToDo))],
  };
}

const commandsIn = (text: string) => Array.from(text.matchAll(/`([^`]+)`/g), ([, command = '']) => command);

/** Blank lines one after the other, which could hold what is kept from sight. */
function wasted(state: WizardState, body: readonly string[]): string[] {
  const hides = body.some((line) => COUNTER.test(line.trim().split(/ {2,}/).at(-1) ?? '') || line.includes(MORE));
  const blanks = body.map((line) => line.trim() === '');
  return hides && blanks.some((isBlank, row) => isBlank && blanks[row + 1] && blanks[row + 2]) && isStepOf(state)
    ? ['blank lines']
    : [];
}

const isStepOf = ({ screen, runs }: WizardState) => screen in runs;
const MORE = catalogue().screens.step.moreNotes;

/** Those that show most of each screen. */
const LONG = Object.entries(STATES)
  .filter(([name]) => !/ looking$|Japanese/.test(name))
  .map(([name, make]) => [name, withLongNames(make())] as const);

test.each(SIZES.map((size) => [size.join('x'), size] as const))(
  'at %s no heading, no remedy and nothing to type is cut',
  async (_name, size) => {
    const wrong: string[] = [];
    for (const [name, state] of LONG) {
      const lines = await shown(state, size);
      const body = bodyOf(state, lines, size);
      const say = (what: string) => wrong.push(`${name}: ${what}`);
      if (!lines[0]?.endsWith(`${SCREENS[state.screen].place()}${size[0] < 100 ? '  ' : '   '}${positionOf(state)}`))
        say(`place: ${lines[0]}`);
      for (const line of cutHeadings(state, body)) say(`heading: ${line}`);
      for (const what of wasted(state, body)) say(what);
      const { remedies, commands } = neededTexts(state);
      const isMissing = (seen: readonly string[]) => [
        ...remedies.filter((text) => !squeezed(seen.join('')).includes(squeezed(text))),
        ...commands.filter((text) => !unfolded(seen).includes(unfolded([text]))),
      ];
      const missing = isMissing(body);
      if (missing.length === 0) continue;
      if (!body.some((line) => line.includes(MORE) || LINES.test(line)))
        say(`says nothing of more: ${missing.join('; ')}`);
      for (const text of isMissing(await helpOf(state, size))) if (missing.includes(text)) say(`nowhere: ${text}`);
    }
    expect(wrong).toEqual([]);
  },
);
