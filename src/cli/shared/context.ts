import type { FrontEndOpener } from '../../wizard/front-end.ts';
import type { CommandIo } from './io.ts';
import type { LiveIo } from './live-io.ts';
import type { Programs } from './runtime.ts';

/** The functions that the executable passes in. It loads a front end only to show it. */
export interface Launcher {
  readonly loadScreens: () => Promise<{ readonly openScreens: FrontEndOpener }>;
  /** The same wizard line by line. */
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
  readonly openIo: (mode?: 'acting' | 'watching') => Promise<LiveIo>;
  readonly launcher: Launcher;
  /** Reads the version of the program. */
  readonly readVersion: () => string;
  /** Width of a help page. */
  readonly columns: number;
}
