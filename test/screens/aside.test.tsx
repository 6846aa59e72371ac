// The help and the diagram that a wide window shows beside the page, or below it.
import { afterEach, expect, test } from 'vitest';
import { appRows } from '../../screens/app/app.ts';
import { createScreenTextModel } from '../../screens/app/plain.ts';
import { listSidebarItems } from '../../screens/shared/aside.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { getRowText } from '../../src/rows/page-rows.ts';
import { createInitialState } from '../../src/wizard/initial-state.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { mountWizard, type WizardApp } from '../support/wizard-app.tsx';
import { applyInputs, buildProbe, START, wizardState } from '../support/wizard-state.ts';
import { certificatesView, STATES, stepState } from './views.ts';

let app: WizardApp | undefined;
afterEach(async () => app?.unmount());

const getScreenText = () => (app?.screen() ?? '').replaceAll(/[│\s]+/g, ' ');
const createNetworksState = () => STATES.networks?.() ?? applyInputs(stepState('boot', 'waiting'));
const HELP = 'Every node address must be inside it.';
const DIAGRAM_TEXT = catalogue().pages.review.diagram.insideCluster;

test('from 110 columns a form has the long help of its field, which follows the focus; below that nothing changes', async () => {
  app = await mountWizard(createNetworksState(), { cols: 109, rows: 40 });
  expect(app.screen()).not.toContain(HELP);
  await app.resize(110, 40);
  expect(app.screen()).toContain(HELP);
  await app.press('\t');
  expect(app.screen()).not.toContain(HELP);
  expect(getScreenText()).toContain('With a wrong gateway the nodes boot and then wait forever');
  // In a low window the questions take all the space.
  await app.resize(120, 24);
  expect(app.screen()).not.toContain('With a wrong gateway');
  expect(app.screen()).not.toContain(DIAGRAM_TEXT);
  await app.resize(140, 60);
  expect(app.screen()).toContain(DIAGRAM_TEXT);
});

test('a step that was passed before it was done has the mark of a skipped step, also in the next session', () => {
  const items = (state: WizardState) =>
    new Map(listSidebarItems(state).map(({ label, state: mark }) => [label, mark] as const));
  const { certificates, operators, report } = catalogue().screens.sidebar;
  const probe = buildProbe('waiting', certificatesView);
  const left = applyInputs(
    wizardState({}, { screen: 'certificates' }),
    { type: 'step/probed', step: 'certificates', probe, plan: null },
    { type: 'screen/go', screen: 'operators' },
  );
  expect([certificates, operators, report].map((label) => items(left).get(label))).toEqual([
    'skipped',
    'current',
    'open',
  ]);
  const createResumed = (unfinishedSteps: readonly string[]) =>
    createInitialState({
      ...{ dir: '/x', document: left.document, now: START, isResumed: true, rehearsal: null },
      furthestScreen: 'infra',
      unfinishedSteps,
    });
  expect(items(createResumed(['certificates'])).get(certificates)).toBe('skipped');
  expect(items(createResumed([])).get(certificates)).toBe('done');
});

test('a step shows its help and the selected row beside its table or below it, and the table is not cut for them', async () => {
  const { action } = catalogue().stepHelp.steps.boot;
  app = await mountWizard(stepState('boot', 'waiting'), { cols: 240, rows: 40 });
  expect(getScreenText()).toContain('404 /images/rhcos-418.94.2024100908');
  for (const line of app.lines().slice(2, -2)) expect(line).not.toContain('…');
  expect(app.screen()).toContain(action.split(' ').slice(0, 4).join(' '));
  await app.resize(109, 40);
  expect(app.screen()).not.toContain(action.split(' ').slice(0, 4).join(' '));
});

test('help that does not fit stops at a paragraph, and shows how to read the rest', async () => {
  app = await mountWizard(stepState('report', 'done'), { cols: 120, rows: 18 });
  expect(getScreenText()).toMatch(/Report .*There is more: Ctrl-G shows all of.* it\./);
  const text = getScreenText();
  const { steps, titles } = catalogue().stepHelp;
  expect(text).toContain(titles.action);
  expect(text).not.toContain(steps.report.nextStep);
});

test('a waiting step writes no more bytes to a wide window than to a narrow one', async () => {
  const waiting = { ...stepState('hosts', 'waiting'), now: START };
  const { hosts } = waiting.runs;
  if (hosts.phase !== 'watching') throw new Error('it does not wait');
  const state = { ...waiting, runs: { ...waiting.runs, hosts: { ...hosts, appliedAt: START - 3_600_000 } } };
  const measureBytes = async (cols: number, isWithHelp: boolean) => {
    app = await mountWizard(state, { cols, rows: 40 });
    await app.waitUntilDrawn();
    expect(getScreenText().includes(catalogue().stepHelp.steps.hosts.nextStep)).toBe(isWithHelp);
    const before = app.bytes();
    app.store.dispatch({ type: 'clock/ticked', now: START + 60_000 });
    await app.waitUntilDrawn();
    const bytes = app.bytes() - before;
    await app.unmount();
    return bytes;
  };
  const narrow = await measureBytes(109, false);
  expect(narrow).toBeGreaterThan(0);
  // The right edge is in column 200 instead of 109: its number may be longer, but no blanks are written up to it.
  expect(await measureBytes(200, true)).toBeLessThanOrEqual(narrow + 3);
});

test('plain mode prints only the page, however wide the terminal is', () => {
  const state = createNetworksState();
  expect(createScreenTextModel(200).text(state).join(' ')).not.toContain(HELP);
  expect(createScreenTextModel(200).text(stepState('report', 'done')).join(' ')).not.toContain(
    catalogue().stepHelp.titles.nextStep,
  );
});

test.each(['cluster', 'networks', 'credentials'] as const)(
  'at 200x60 the form of %s leaves no half of the page empty: the design so far fills it',
  (screen) => {
    const terminal = { columns: 200, rows: 60, hasUnicode: true, canAnimate: false };
    const rows = appRows(wizardState({}, { screen }), terminal, { resumeCommand: '' }).map(getRowText);
    expect(rows.join('\n')).toMatch(/machine network 172\.16\.0\.0\/24/);
    const empty = rows.slice(2, -2).filter(
      (row) =>
        row
          .slice(18)
          .replace(/[│▐├┤]/g, '')
          .trim() === '',
    );
    expect(empty.length, rows.join('\n')).toBeLessThan(28);
  },
);
