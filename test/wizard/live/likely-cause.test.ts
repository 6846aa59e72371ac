import { expect, test } from 'vitest';
import type { Finding } from '../../../src/checks/check.ts';
import { MINUTE } from '../../../src/platform/clock.ts';
import { formatDiagnosisPage } from '../../../src/steps/diagnose/index.ts';
import { findLikelyCause } from '../../../src/wizard/live/likely-cause.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { bootView } from '../../screens/views.ts';
import { mountWizard } from '../../support/wizard-app.tsx';
import { applyInputs, buildProbe, getEffects, START, wizardState } from '../../support/wizard-state.ts';

const createFinding = (code: string, title: string): Finding => ({
  code,
  state: 'failed',
  severity: 'fatal',
  subject: 'm1',
  title,
  cause: 'no request for 12 min',
  remedy: 'Check power and cables.',
});
const silent = createFinding('boot-silent', 'm1 has sent no request');
const oldZone: Finding = {
  ...createFinding('dns-old-file', 'The name server has an old file (certain)'),
  remedy: 'Reload the zone.',
};
const probe = (findings: readonly Finding[], state: 'waiting' | 'done' = 'waiting') =>
  ({
    type: 'step/probed',
    step: 'boot',
    probe: buildProbe(state, bootView, { findings }),
    plan: null,
  }) as const;
const boot = () => wizardState({}, { screen: 'boot' });
const getCauseEffects = (state: WizardState, input: ReturnType<typeof probe>) =>
  getEffects(state, input).filter(({ type }) => type === 'find-cause');

test('a waiting step with a failed finding is diagnosed once, again after minutes, and again for another finding', () => {
  expect(getCauseEffects(boot(), probe([silent]))).toHaveLength(1);
  const asked = applyInputs(boot(), probe([silent]));
  expect(getCauseEffects(asked, probe([silent]))).toEqual([]);
  const later = applyInputs(asked, { type: 'clock/ticked', now: START + 6 * MINUTE });
  expect(getCauseEffects(later, probe([silent]))).toHaveLength(1);
  expect(getCauseEffects(asked, probe([{ ...silent, subject: 'm2' }]))).toHaveLength(1);
  expect(getCauseEffects(boot(), probe([]))).toEqual([]);
});

test('the cause is kept while it is diagnosed again, and dropped when nothing is failed any more', () => {
  const asked = applyInputs(boot(), probe([silent]));
  const key = asked.likelyCause?.key ?? '';
  const cause = applyInputs(asked, { type: 'diagnosis/cause-found', step: 'boot', key, first: oldZone });
  expect(findLikelyCause(cause, 'boot', cause.runs.boot)).toEqual(oldZone);
  const later = applyInputs(cause, { type: 'clock/ticked', now: START + 6 * MINUTE }, probe([silent]));
  expect(findLikelyCause(later, 'boot', later.runs.boot)).toEqual(oldZone);
  expect(applyInputs(later, probe([])).likelyCause).toBeNull();
  // A result about earlier findings does not count.
  expect(
    applyInputs(later, { type: 'diagnosis/cause-found', step: 'boot', key, first: silent }).likelyCause?.first,
  ).toBe(oldZone);
  const same = applyInputs(asked, { type: 'diagnosis/cause-found', step: 'boot', key, first: silent });
  expect(findLikelyCause(same, 'boot', same.runs.boot)).toBeNull();
});

test('the page shows the first finding of the diagnosis, and no remedy that leads elsewhere', async () => {
  const asked = applyInputs(boot(), probe([silent]));
  const app = await mountWizard(asked);
  expect(app.screen()).toContain('Check power and cables.');
  app.store.dispatch({
    type: 'diagnosis/cause-found',
    step: 'boot',
    key: asked.likelyCause?.key ?? '',
    first: oldZone,
  });
  await app.waitUntilDrawn();
  expect(app.screen()).toContain('The name server has an old file (certain)');
  expect(app.screen()).toContain('Reload the zone.');
  expect(app.screen()).toContain('m1 has sent no request');
  expect(app.screen()).not.toContain('Check power and cables.');
  await app.unmount();
});

test('the page of the diagnosis never says that nothing is wrong while the screen shows a failure', () => {
  const nothing = formatDiagnosisPage([], []);
  expect(nothing.title).toBe('What is wrong: nothing found');
  const { title, lines } = formatDiagnosisPage([], [silent]);
  expect(title).toBe('What is wrong: 1 finding, most likely first');
  expect(lines[0]).toBe('1. m1 has sent no request');
  expect(lines.join('\n')).toContain('Check power and cables.');
  expect(lines.join('\n')).not.toContain('Nothing is wrong');
});
