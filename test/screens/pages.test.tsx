import { afterEach, expect, test } from 'vitest';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../../src/i18n/shortcuts.ts';
import { Secret } from '../../src/platform/secrets.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { mountWizard, type WizardApp } from '../support/wizard-app.tsx';
import { applyInputs } from '../support/wizard-state.ts';
import { stepState } from './views.ts';

let app: WizardApp | undefined;
afterEach(async () => {
  await app?.unmount();
  app = undefined;
});

const PASSWORD = 'AbCdE-fGhIj-KlMnO-pQrSt';
const page = {
  title: 'Login to the console',
  lines: ['User      kubeadmin'],
  secret: { label: 'Password  ', value: new Secret(PASSWORD) },
};
const requestPage = (subject: string): WizardState =>
  applyInputs(stepState('operators', 'done'), { type: 'step/show', subject });
const showPage = (subject: string, state = requestPage(subject)): WizardState =>
  applyInputs(state, { type: 'step/shown', step: 'operators', subject, page });

test.each(['q', 'x', '\r', '\u001b', '\u0003', '\u001b[B'])(
  'the password is on the screen until the next key, %j too',
  async (key) => {
    app = await mountWizard(applyInputs(showPage('password'), { type: 'overlay/reveal' }));
    expect(app.lines().join('\n')).toContain(PASSWORD);
    await (key === '\u001b' ? app.escape() : app.press(key));
    expect(app.lines().join('\n')).not.toContain('fGhIj');
    expect(app.lines().join('\n')).toContain('Operators');
  },
);

test('a password that a single key asks for stays hidden until Enter, and any other key closes it', async () => {
  app = await mountWizard(showPage('password'));
  expect(app.screen()).not.toContain('fGhIj');
  expect(app.screen()).toContain('Enter shows it');
  await app.press('d');
  expect(app.store.getState().overlay).toBeNull();
  await app.unmount();
  app = await mountWizard(showPage('password'));
  await app.press('\r');
  expect(app.screen()).toContain(PASSWORD);
  await app.press('x');
  expect(app.screen()).not.toContain('fGhIj');
});

test('the state does not hold the password in any form that can be written, and forgets the page when it closes', () => {
  const state = showPage('password');
  expect(JSON.stringify(state)).not.toContain('fGhIj');
  expect(applyInputs(state, { type: 'overlay/close' }).overlay).toBeNull();
  expect(applyInputs(state, { type: 'overlay/open', overlay: 'quit' }).overlay).toEqual({
    kind: 'quit',
    isInterrupt: true,
  });
});

test('a page that comes too late, or after another was asked for, is not shown', () => {
  const closed = applyInputs(requestPage('password'), { type: 'overlay/close' });
  expect(showPage('password', closed)).toMatchObject({ overlay: null });
  const other = applyInputs(closed, { type: 'step/show', subject: 'events/ingress' });
  expect(showPage('password', other).overlay).toEqual({
    kind: 'page',
    subject: 'events/ingress',
    page: null,
    top: 0,
  });
});

test('a page without a secret is read with Up and Down, and Esc closes it', async () => {
  const lines = Array.from({ length: 60 }, (_, index) => `- line ${index} ${'long '.repeat(20)}`);
  app = await mountWizard(
    applyInputs(requestPage('authority'), {
      type: 'step/shown',
      step: 'operators',
      subject: 'authority',
      page: { title: 'T', lines },
    }),
    { cols: 60, rows: 20 },
  );
  expect(app.lines().join('\n')).toContain('line 0 ');
  for (let count = 0; count < 30; count += 1) await app.press('\u001b[6~');
  expect(app.lines().join('\n')).toContain('line 59 ');
  await app.press('x');
  expect(app.lines().join('\n')).toContain('line 59 ');
  await app.escape();
  expect(app.lines().join('\n')).not.toContain('line 59 ');
});

test('on the page about the time away, Enter continues, and closes other pages', async () => {
  const page = { title: 'T', lines: ['line'] };
  const openPage = (subject: string) => ({
    ...stepState('boot', 'waiting'),
    overlay: { kind: 'page', subject, page, top: 0 } as const,
  });
  app = await mountWizard(openPage(''), { cols: 80, rows: 24 });
  expect(app.lines().at(-1)).toMatch(/^ Enter continue /);
  for (const subject of ['diagnosis', 'machine']) {
    await app.setState(openPage(subject));
    expect(app.lines().at(-1)).toMatch(/^ Enter close {2}\? help {2}/);
    expect(app.lines().at(-1)).not.toContain('Esc');
    await app.press('?');
    expect(app.lines().join('\n')).toContain('Help: Boot');
    await app.setState(openPage(subject));
    await app.escape();
    expect(app.store.getState().overlay).toBeNull();
  }
});

test('! on a live screen shows the findings with complete commands, and Esc returns to the screen', async () => {
  app = await mountWizard(stepState('bootstrap', 'waiting'), { cols: 60, rows: 20 });
  await app.press('!');
  // While it runs, its sentence is complete, and the footer has no keys for rows that are not there.
  expect(app.screen().replaceAll(/\s+/g, ' ')).toContain(catalogue().diagnose.progress);
  expect(app.lines().at(-1)).not.toMatch(/(?:Up|↑↓) row/);
  const command = `curl -s 'http://172.16.0.112:9000/;csv' ${'| cut -d, -f1,2,18,74,76 '.repeat(4).trim()}`;
  const diagnosisPage = {
    title: 'What is wrong: 1 finding',
    lines: ['1. A name is missing (certain)', `     $ ${command}`],
  };
  app.store.dispatch({ type: 'diagnosis/ready', page: diagnosisPage });
  await app.press('x');
  const lines = app.lines().map((line) => line.trimEnd());
  expect(lines.join('\n')).toContain('A name is missing (certain)');
  expect(lines.filter((line) => line.includes('cut')).length).toBeGreaterThan(1);
  expect(lines.some((line) => line.endsWith(' \\'))).toBe(true);
  await app.escape();
  expect(app.lines().join('\n')).not.toContain('A name is missing');
  expect(app.lines().join('\n')).toContain('Bootstrap');
  expect(applyInputs(app.store.getState(), { type: 'diagnosis/ready', page: diagnosisPage }).overlay).toBeNull();
});

test('the page of a diagnosis offers the simulated repair in its footer, only if there is one', async () => {
  app = await mountWizard(stepState('certificates', 'waiting'), { cols: 80, rows: 24 });
  const page = { title: 'What is wrong: 1 finding', lines: ['1. Clocks differ (certain)'] };
  const key = `${SHORTCUTS.simulateRepair} ${catalogue().screens.keys.simulateRepair()}`;
  await app.press('!');
  app.store.dispatch({ type: 'diagnosis/ready', page });
  await expect.poll(() => app?.screen()).toContain('Clocks differ');
  expect(app.screen()).not.toContain(key);
  await app.escape();
  await app.press('!');
  app.store.dispatch({ type: 'diagnosis/ready', page: { ...page, simulatedRepair: 'clock-skew' } });
  await expect.poll(() => app?.lines().at(-1)).toContain(key);
  await app.escape();
  await app.press('!');
  app.store.dispatch({
    type: 'diagnosis/ready',
    page: { ...page, simulatedRepair: 'clock-skew', repairedFinding: 2 },
  });
  await expect.poll(() => app?.lines().at(-1)).toContain(`${key} of 2`);
});
