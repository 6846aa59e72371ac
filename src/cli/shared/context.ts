import type { FrontEndOpener } from '../../wizard/front-end.ts';
import type { CommandIo } from './io.ts';
import type { ProcessIo } from './process-io.ts';
import type { Programs } from './runtime.ts';

/** Functions and program paths that the executable passes in. A front end is loaded only when it is shown. */
export interface Launcher {
  readonly loadScreens: () => Promise<{ readonly openScreens: FrontEndOpener }>;
  /** Loads the front end that runs the same wizard line by line. */
  readonly loadPlain: () => Promise<{ readonly openPlain: FrontEndOpener }>;
  readonly programs: Programs;
}

/** The surroundings of a command: the terminal, the front ends and the program. */
export interface CommandContext {
  readonly io: CommandIo;
  /**
   * Opens the terminal and the signals of a command that may take long or ask. `acting`: it changes something, so the
   * first signal lets it finish its action. `watching`: it runs until a signal ends it, and then exits cleanly.
   */
  readonly openIo: (mode?: 'acting' | 'watching') => Promise<ProcessIo>;
  readonly launcher: Launcher;
  /** Reads the version of the program. */
  readonly readVersion: () => string;
  /** Width of a help page. */
  readonly columns: number;
}
