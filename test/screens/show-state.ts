import type { WizardState } from '../../src/wizard/state.ts';
import { mountWizard, type WizardApp } from '../support/wizard-app.tsx';

/** The mounted wizard. A file that shows one ends with `afterEach(closeWizard)`. */
export let app: WizardApp | undefined;

/** Shows a state in a terminal of this size, in place of the previous one. Returns the lines of the screen. */
export async function showState(
  state: WizardState,
  size: readonly [number, number] = [80, 24],
  style = {},
): Promise<string[]> {
  await closeWizard();
  app = await mountWizard(state, { cols: size[0], rows: size[1], style });
  return app.lines();
}

export async function closeWizard(): Promise<void> {
  await app?.unmount();
  app = undefined;
}
