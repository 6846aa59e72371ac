import { expect, onTestFinished, test } from 'vitest';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { mountWizard } from '../support/wizard-app.tsx';
import { applyInputs, buildProbe } from '../support/wizard-state.ts';
import { reportView, stepState } from './views.ts';

test('Enter does not leave the wizard at the moment the report completes; a moment later it does', async () => {
  const initial = stepState('report', 'needed');
  const app = await mountWizard(applyInputs(initial, { type: 'step/probe' }));
  onTestFinished(() => app.unmount());
  const probe = buildProbe('done', reportView);
  app.store.dispatch({ type: 'step/probed', step: 'report', probe, plan: null });
  await app.press('\r');
  expect(app.store.getState().leaveReason).toBe(null);
  expect(app.screen()).toContain(catalogue().screens.step.allDone);
  expect(app.screen()).toMatch(/^ Enter finish \(not yet\)/m);
  expect(app.effects).toContainEqual({ type: 'wait-at-end' });
  app.store.dispatch({ type: 'end/waited' });
  await app.waitUntilDrawn();
  expect(app.screen()).toMatch(/^ Enter finish {2}/m);
  await app.press('\r');
  expect(app.store.getState().leaveReason).toBe('quit');
});
