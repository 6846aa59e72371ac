import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { getActiveBindings, SCREENS } from '../../screens/app/app.ts';
import { toAsciiPunctuation } from '../../src/platform/text.ts';
import { getKeyLabel } from '../../src/rows/bindings.ts';
import { SCREEN_IDS, type WizardState } from '../../src/wizard/state.ts';
import { footerText } from '../support/footer-text.ts';
import { VIEWPORT } from '../support/viewport.ts';
import { mountWizard, type WizardApp } from '../support/wizard-app.tsx';
import { STATES } from './views.ts';

/** Checks the frame: as many lines as the terminal has, none wider, and the title, rules and keys in place. */
function checkFrame(
  name: string,
  state: WizardState,
  lines: readonly string[],
  [cols, rows]: readonly [number, number],
) {
  const screen = lines.join('\n');
  expect(lines, name).toHaveLength(rows);
  for (const line of lines) expect(stringWidth(line), `${name}: ${line}`).toBeLessThanOrEqual(cols);
  expect(lines[0], screen).toMatch(new RegExp(`^ upi-wizard .*  ${SCREEN_IDS.indexOf(state.screen) + 1}/17$`));
  expect(lines[0], screen).toContain(SCREENS[state.screen].breadcrumb());
  expect(lines[1], screen).toMatch(/^(?:┌.*┐|\+.*\+)$/);
  expect(lines[rows - 2], screen).toMatch(/^(?:└[─┴]+(?: .* ─)?┘|\+[-+]+(?: .* -)?\+)$/);
  for (const line of lines.slice(1, -1)) expect(stringWidth(line), screen).toBe(cols);
  for (const line of lines.slice(2, -2)) expect(line, screen).toMatch(/^(?:[│├].*[│▐]|[|+].*[|#])$/);
  for (const line of lines.slice(2, -2)) expect(line, screen).not.toMatch(/-{40}|─{40}[┐┘]|upi-wizard {2}/);
  const bindings = getActiveBindings(state, VIEWPORT);
  const first = bindings.find(({ isHidden }) => !isHidden);
  const footer = (lines[rows - 1] ?? '').trim();
  expect(footer, screen).toContain(`${getKeyLabel(first?.keys[0] ?? '')} ${first?.label}`);
  const note = /^(.*?) +saved \d\d:\d\d$/.exec(footer);
  const keys = (note?.[1] ?? footer).replace(/ {2,}(?:…|\.\.\.) \d+ more(?: \(\S+\))?$/, '');
  const all = [bindings, bindings.map((each) => ({ ...each, label: each.shortLabel ?? each.label }))];
  // A key that scrolls is shown only where there is more to see.
  const known = all.flatMap((each) =>
    footerText(
      each.map((binding) => ({ ...binding, isHidden: false })),
      2000,
      /[─┌]/.test(screen) ? undefined : '...',
    ).split(/ {2,}/),
  );
  for (const key of keys.split(/ {2,}/)) expect(known, screen).toContain(key);
}

const COLOUR = ['colour', {}] as const;
const NO_COLOUR = ['no colour', { hasColour: false }] as const;
const ASCII = ['ASCII', { hasUnicode: false }] as const;

/**
 * Each terminal style at the size with the least space for it, and at the usual size. Larger sizes change no more than
 * these.
 */
const SIZES = [
  { size: [60, 15], looks: [NO_COLOUR, ASCII] },
  { size: [80, 24], looks: [COLOUR, ASCII] },
  { size: [100, 30], looks: [NO_COLOUR] },
  { size: [140, 45], looks: [COLOUR] },
] as const;

test.each(SIZES.flatMap(({ size, looks }) => looks.map(([name, look]) => [size.join('x'), name, size, look] as const)))(
  'every screen keeps its frame at %s in %s',
  async (_size, lookName, size, style) => {
    let app: WizardApp | undefined;
    for (const [name, make] of Object.entries(STATES)) {
      const state = make();
      // One application shows all states, so that leftovers of one screen would be visible on the next.
      if (app) await app.setState(state);
      else app = await mountWizard(state, { cols: size[0], rows: size[1], style });
      const lines = app.frame();
      checkFrame(name, state, lines, size);
      if (lookName === 'ASCII' && !name.includes('Japanese'))
        expect(toAsciiPunctuation(lines.join('\n')), name).toMatch(/^[\x20-\x7e\n]*$/);
    }
    if (lookName === 'no colour') expect(/\u001b\[(?:3[0-9]|9[0-7])m/.exec(app?.rawOutput() ?? '')).toBeNull();
    await app?.unmount();
  },
);
