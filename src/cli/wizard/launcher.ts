import type { OpenFrontEnd } from '../../wizard/front-end.ts';
import type { Programs } from '../shared/runtime.ts';

/** Passed in by the executable, which loads a front end only to show it. */
export interface Launcher {
  readonly loadWizard: () => Promise<{ readonly openWizard: OpenFrontEnd }>;
  /** The same wizard line by line. */
  readonly loadPlain: () => Promise<{ readonly openPlain: OpenFrontEnd }>;
  readonly programs: Programs;
}
