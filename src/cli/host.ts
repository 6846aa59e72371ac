import type { OpenWizard } from '../wizard/front-end.ts';
import type { Programs } from './world.ts';

/** What the executable hands in: the full-screen wizard is loaded only when it is shown. */
export interface Host {
  readonly loadWizard: () => Promise<{ readonly openWizard: OpenWizard }>;
  readonly programs: Programs;
}
