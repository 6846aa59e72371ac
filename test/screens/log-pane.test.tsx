import { afterEach, expect, test } from 'vitest';
import { formatTimeOfDay, MINUTE } from '../../src/platform/clock.ts';
import type { LogSnapshot } from '../../src/steps/shared/installer/wait-for.ts';
import { mountWizard, type WizardApp } from '../support/wizard-app.tsx';
import { START } from '../support/wizard-state.ts';
import { bootstrapView, stepState } from './views.ts';

let app: WizardApp | undefined;
afterEach(async () => {
  await app?.unmount();
  app = undefined;
});

const createLog = (count: number): LogSnapshot => ({
  firstNumber: 0,
  lastNewMessageAt: START,
  lines: Array.from({ length: count }, (_, index) => ({
    at: START,
    level: 'debug' as const,
    source: 'installer' as const,
    mark: null,
    text: `Still waiting, message ${String(index - count).padStart(7)}`,
  })),
});

const show = async (count: number, size: readonly [number, number] = [80, 24], style = {}) => {
  const view = { ...bootstrapView, log: createLog(count) };
  app = await mountWizard(stepState('bootstrap', 'waiting', { view }), { cols: size[0], rows: size[1], style });
  return app.screen();
};

/** Returns the number of bytes that these keys write to the terminal. */
async function measureBytes(count: number, keys: readonly string[]): Promise<number> {
  await show(count);
  const before = app?.rawOutput().length ?? 0;
  for (const key of keys) await app?.press(key);
  const bytes = (app?.rawOutput().length ?? 0) - before;
  await app?.unmount();
  app = undefined;
  return bytes;
}

test('100,000 lines cost as many bytes a key as 300 do', async () => {
  const keys = ['\u001b[A', '\u001b[A', '\u001b[5~', '\u001b[B', '\u001b[6~'];
  const [few, many] = [await measureBytes(300, keys), await measureBytes(100_000, keys)];
  // The line numbers over the log have three digits more.
  expect(Math.abs(many - few)).toBeLessThan(keys.length * 20);
});

test('the log follows, scrolls back, finds and marks what it found', async () => {
  expect(await show(1000)).toContain('Log, following');
  expect(app?.screen()).toContain('message      -1');
  await app?.press('\u001b[H');
  expect(app?.screen()).toContain('message   -1000');
  expect(app?.screen()).toMatch(/Log +1–\d+ of 1000/);
  await app?.press('\u001b[F');
  expect(app?.screen()).toContain('Log, following');
  await app?.press('/');
  expect(app?.screen()).toContain('Search:');
  expect(app?.lines().at(-1)).toContain('Enter search');
  // Keys that mean something elsewhere are text here.
  await app?.press('MESSAGE    -500');
  await app?.press('\r');
  expect(app?.screen()).toMatch(/>debug +Still waiting, message {4}-500/);
  expect(app?.screen()).toContain('in line 501');
  await app?.press('n');
  expect(app?.screen()).toContain('in line 501');
  await app?.press('/');
  await app?.press('\u0015nothing like it\r');
  expect(app?.screen()).toContain('was not found');
});

test('at its end, the log shows equal lines that follow each other in one row; scrolled back, it shows each', async () => {
  const createLine = (minutes: number, text: string) => ({
    at: START + minutes * MINUTE,
    level: 'debug' as const,
    source: 'installer' as const,
    mark: 'noise' as const,
    text,
  });
  const noise = `Still waiting for the Kubernetes API: Get "https://${'api.'.repeat(20)}": EOF`;
  const lines = [...Array(30).keys()].map((index) => createLine(0, `line ${index}`));
  lines.push(...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((minutes) => createLine(minutes, noise)), createLine(9, 'API up'));
  const log = { firstNumber: 0, lastNewMessageAt: START, lines };
  app = await mountWizard(stepState('bootstrap', 'waiting', { view: { ...bootstrapView, log } }));
  const [first, last] = [1, 9].map((minutes) => formatTimeOfDay(START + minutes * MINUTE));
  expect(app.screen()).toMatch(new RegExp(`${first} noise {3}Still waiting for the Kub.*… \\(× 9, last ${last}\\)`));
  expect(app.screen().match(/Still waiting/g)).toHaveLength(1);
  expect(app.screen()).toMatch(/Log, following +\d+–40 of 40/);
  expect(app.screen()).toContain('line 29');
  await app.press('\u001b[A');
  expect(app.screen()).not.toContain('×');
  expect(app.screen().match(/Still waiting/g)?.length).toBeGreaterThan(1);
  await app.press('\u001b[B');
  expect(app.screen()).toContain('(× 9,');
});

test('a whole page counts lines, which may take several rows, and is full at the end of the log', async () => {
  const { lines } = createLog(57);
  const showWhole = async (lastText: string, keys: readonly string[]) => {
    const log = { ...createLog(57), lines: [...lines.slice(0, 56), { ...lines[56], text: lastText }] };
    app = await mountWizard(stepState('bootstrap', 'waiting', { view: { ...bootstrapView, log } }), {
      cols: 80,
      rows: 24,
    });
    for (const key of ['l', ...keys]) await app.press(key);
    const screen = app.screen();
    await app.unmount();
    app = undefined;
    return screen;
  };
  // One line fills the page: its rows are not "57–57".
  expect(await showWhole('word '.repeat(400), [])).toMatch(/Log, following +line 57 of 57/);
  expect(await showWhole('word '.repeat(40), [])).toMatch(/Log, following +lines 46–57 of 57/);
  // A search near the end leaves no rows blank.
  const found = await showWhole('word '.repeat(40), ['/', 'message      -2', '\r']);
  expect(found).toMatch(/Log.* lines 46–57 of 57/);
  expect(found).toContain('message     -10');
});

test('the marks are words without colour, and the running stage shows in a small window', async () => {
  app = await mountWizard(stepState('bootstrap', 'waiting'), { cols: 60, rows: 21, style: { hasColour: false } });
  const stages = app.screen();
  expect(stages).toMatch(/▸ Control plane nodes become Ready/);
  expect(stages).toContain('1 of 3 nodes Ready');
  expect(stages).toContain('bootkube: Waiting');
  await app.press('l');
  // Its lines are complete now, and take more rows each.
  await app.resize(80, 24);
  const screen = app.screen();
  expect(screen.replaceAll(/\s+/g, ' ')).toContain('line 39 of the log of the installer');
  expect(screen).toMatch(/\d\d:\d\d noise {3}Waiting/);
  expect(screen).toMatch(/\d\d:\d\d FAILURE Waiting/);
  expect(app.lines().at(-1)).toMatch(/l.* stages/);
  // Esc leaves the log, not the page.
  await app.escape();
  expect(app.screen()).toMatch(/▸ Control plane nodes become Ready/);
});
