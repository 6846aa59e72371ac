import { expect, test } from 'vitest';
import { appRows, getActiveBindings } from '../../screens/app/app.ts';
import { getKeyLabel, listFooterBindings } from '../../src/rows/bindings.ts';
import { getRowText } from '../../src/rows/page-rows.ts';
import { VIEWPORT } from '../support/viewport.ts';
import { START } from '../support/wizard-state.ts';
import { STATES } from './views.ts';

test.each([true, false])(
  'at 80 columns, every footer names Esc, help and diagnosis, and counts what it hides (Unicode: %s)',
  (hasUnicode) => {
    const terminal = { columns: 80, rows: 24, hasUnicode, canAnimate: false };
    let counted = 0;
    for (const [name, make] of Object.entries(STATES)) {
      const state = { ...make(), savedAt: START };
      const footer = getRowText(appRows(state, terminal, { resumeCommand: 'upi-wizard' }).at(-1) ?? { segments: [] });
      const entries = listFooterBindings(getActiveBindings(state, { ...VIEWPORT, hasUnicode }));
      const upAndDown = hasUnicode ? '↑↓' : 'Up/Down';
      const isShown = ({ keys, label, shortLabel = label, isUpAndDown }: (typeof entries)[number]) =>
        [label, shortLabel].some((text) =>
          `  ${footer}`.includes(`  ${isUpAndDown ? upAndDown : getKeyLabel(keys[0] ?? '')} ${text.slice(0, 12)}`),
        );
      const help = entries.find(({ staysVisible }) => staysVisible === 'help');
      expect(help && isShown(help), `${name}: ${footer}`).toBe(true);
      for (const entry of entries.filter(({ keys, staysVisible }) => staysVisible || keys[0] === 'escape'))
        expect(isShown(entry), `${name}: ${footer}`).toBe(true);
      const shown = entries.filter((entry, index) => index === 0 || isShown(entry)).length;
      const [, mark, count, key] = /(\S+) (\d+) more(?: \((\S+)\))?/.exec(footer) ?? [];
      expect(Number(count ?? 0), `${name}: ${footer}`).toBe(entries.length - shown);
      if (count === undefined) continue;
      counted += 1;
      expect(mark).toBe(hasUnicode ? '…' : '...');
      if (key !== undefined) expect(key).toBe(getKeyLabel(help?.keys[0] ?? ''));
    }
    expect(counted).toBeGreaterThan(20);
  },
);
