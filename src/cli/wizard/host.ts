import type { OpenWizard } from '../../wizard/front-end.ts';
import type { Programs } from '../shared/world.ts';

/** What the executable hands in: it loads the full-screen wizard only to show it. */
export interface Host {
  readonly loadWizard: () => Promise<{ readonly openWizard: OpenWizard }>;
  /** The same wizard line by line. */
  readonly loadPlain: () => Promise<{ readonly openPlain: OpenWizard }>;
  readonly programs: Programs;
}
