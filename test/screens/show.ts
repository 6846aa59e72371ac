import type { WizardState } from '../../src/wizard/state.ts';
import { mountWizard, type WizardApp } from '../support/wizard-app.tsx';

/** The wizard that is shown now; a file that shows one ends with `afterEach(close)`. */
export let app: WizardApp | undefined;

/** Shows a state in a terminal of this size, in place of what was shown before; the lines of the screen. */
export async function show(
  state: WizardState,
  size: readonly [number, number] = [80, 24],
  look = {},
): Promise<string[]> {
  await close();
  app = await mountWizard(state, { cols: size[0], rows: size[1], look });
  return app.lines();
}

export async function close(): Promise<void> {
  await app?.unmount();
  app = undefined;
}
