// What a wide window shows beside the page, or below it.
import { afterEach, expect, test } from 'vitest';
import { faceOf } from '../../screens/app/plain.tsx';
import { catalogue } from '../../src/text/catalogue.ts';
import { mountWizard, type WizardApp } from '../support/wizard-app.tsx';
import { after, START } from '../support/wizard-state.ts';
import { STATES, stepState } from './views.ts';

let app: WizardApp | undefined;
afterEach(async () => app?.unmount());

const shownOf = () => (app?.screen() ?? '').replaceAll(/[|\s]+/g, ' ');
const networks = () => STATES.networks?.() ?? after(stepState('boot', 'waiting'));
const HELP = 'Every node address must be inside it.';
const PICTURE = catalogue().pages.review.diagram.inside;

test('from 120 columns a form has the long help of its field, which follows the focus; below that nothing changes', async () => {
  app = await mountWizard(networks(), { cols: 119, rows: 40 });
  expect(app.screen()).not.toContain(HELP);
  await app.resize(120, 40);
  expect(app.screen()).toContain(HELP);
  await app.press('\t');
  expect(app.screen()).not.toContain(HELP);
  expect(shownOf()).toContain('With a wrong gateway the nodes boot and then wait for ever');
  // In a low window the questions have it to themselves.
  await app.resize(120, 24);
  expect(app.screen()).not.toContain('With a wrong gateway');
  expect(app.screen()).not.toContain(PICTURE);
  await app.resize(140, 60);
  expect(app.screen()).toContain(PICTURE);
});

test('beside a step stands what it does, and its table is cut nowhere for it', async () => {
  const { now, next } = catalogue().stepHelp.steps.boot;
  app = await mountWizard(stepState('boot', 'waiting'), { cols: 240, rows: 40 });
  expect(shownOf()).toContain('404 /images/rhcos-418.94.2024100908');
  expect(app.screen()).toContain(next);
  expect(app.screen()).toContain(now.split(' ').slice(0, 4).join(' '));
  for (const line of app.lines().slice(2, -2)) expect(line).not.toContain('…');
  await app.resize(119, 40);
  expect(app.screen()).not.toContain(next);
});

test('help that does not fit stops at a paragraph, and says where the rest is', async () => {
  app = await mountWizard(stepState('report', 'done'), { cols: 120, rows: 18 });
  expect(shownOf()).toMatch(/Report .*There is more: Ctrl-G shows all of it\./);
  const said = shownOf();
  const { steps, titles } = catalogue().stepHelp;
  expect(said).toContain(titles.now);
  expect(said).not.toContain(steps.report.next);
});

test('while a step waits, a wide window is sent no more than a narrow one', async () => {
  const waiting = { ...stepState('hosts', 'waiting'), now: START };
  const { hosts } = waiting.runs;
  if (hosts.phase !== 'watching') throw new Error('it does not wait');
  const state = { ...waiting, runs: { ...waiting.runs, hosts: { ...hosts, appliedAt: START - 3_600_000 } } };
  const sent = async (cols: number, isWithHelp: boolean) => {
    app = await mountWizard(state, { cols, rows: 40 });
    await app.settled();
    expect(shownOf().includes(catalogue().stepHelp.steps.hosts.next)).toBe(isWithHelp);
    const before = app.bytes();
    app.store.dispatch({ type: 'clock/ticked', now: START + 60_000 });
    await app.settled();
    const bytes = app.bytes() - before;
    await app.unmount();
    return bytes;
  };
  const narrow = await sent(119, false);
  expect(narrow).toBeGreaterThan(0);
  expect(await sent(200, true)).toBeLessThanOrEqual(narrow);
});

test('plain lines say the page alone, however wide the terminal is', () => {
  const state = networks();
  expect(faceOf(200).text(state).join(' ')).not.toContain(HELP);
  expect(faceOf(200).text(stepState('report', 'done')).join(' ')).not.toContain(catalogue().stepHelp.titles.next);
});
