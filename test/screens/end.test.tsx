import { expect, onTestFinished, test } from 'vitest';
import { catalogue } from '../../src/text/catalogue.ts';
import { mountWizard } from '../support/wizard-app.tsx';
import { after, probeOf } from '../support/wizard-state.ts';
import { reportView, stepState } from './views.ts';

test('an Enter that was meant for a report still being written does not leave: a moment later it does', async () => {
  const looking = stepState('report', 'needed');
  const app = await mountWizard(after(looking, { type: 'step/look' }));
  onTestFinished(() => app.unmount());
  const probe = probeOf('done', reportView);
  app.store.dispatch({ type: 'step/looked', step: 'report', probe, plan: null });
  await app.press('\r');
  expect(app.store.getState().isLeaving).toBe(null);
  expect(app.screen()).toContain(catalogue().screens.step.justOver);
  expect(app.screen()).toMatch(/^ Enter finish \(not now\)/m);
  expect(app.effects).toContainEqual({ type: 'rest-at-end' });
  app.store.dispatch({ type: 'end/rested' });
  await app.settled();
  expect(app.screen()).toMatch(/^ Enter finish {2}/m);
  await app.press('\r');
  expect(app.store.getState().isLeaving).toBe('quit');
});
