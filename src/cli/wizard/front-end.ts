import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { catalogue, formatCommandLine } from '../../i18n/catalogue.ts';
import { detectCapabilities, isAccessibleMode } from '../../terminal/capabilities.ts';
import type { FrontEndHandle, StartupOptions } from '../../wizard/front-end.ts';
import type { Launcher } from '../shared/context.ts';
import type { CommandIo } from '../shared/io.ts';

const words = () => catalogue().cli;
const plainWords = () => catalogue().plain;

/** The options of the command line about the front end. */
export interface FrontEndOptions {
  readonly plain: boolean;
  readonly 'screen-reader': boolean;
  readonly 'no-bell': boolean;
  readonly notify: boolean;
  readonly 'no-mouse': boolean;
}

/**
 * Derives the options of the terminal. Without options on the command line, the wizard rings the bell and captures the
 * mouse wheel.
 */
export function terminalOptions(
  options: Pick<FrontEndOptions, 'no-bell' | 'no-mouse' | 'notify'>,
): Pick<StartupOptions, 'hasBell' | 'hasMouse' | 'hasNotifications'> {
  return { hasBell: !options['no-bell'], hasMouse: !options['no-mouse'], hasNotifications: options.notify };
}

/** Full screens, or the same wizard line by line; `none` without a terminal. */
type FrontEndKind = 'screens' | 'lines' | 'none';

/**
 * Selects the front end. `lines` if the user asks for it (`--plain`, `--screen-reader`, or `ACCESSIBLE` as other
 * terminal programs know it), or if the terminal cannot move its cursor.
 */
export function selectFrontEnd(options: Pick<FrontEndOptions, 'plain' | 'screen-reader'>, io: CommandIo): FrontEndKind {
  const { isInteractive, isDumb } = detectCapabilities(io.env, process.stdin, process.stdout);
  if (!isInteractive) return 'none';
  return isPlainRequested(options) || isAccessibleMode(io.env) || isDumb ? 'lines' : 'screens';
}

/** Whether the user asks for plain lines. Without a terminal, the wizard then reads its answers from standard input. */
export const isPlainRequested = (options: Pick<FrontEndOptions, 'plain' | 'screen-reader'>): boolean =>
  options.plain || options['screen-reader'];

/**
 * Reports that there is no terminal, and what to do instead; returns the exit code.
 * @param options the given options: the suggested command has them, too
 * @param isRehearsal they are those of a rehearsal
 */
export function reportNoTerminal(
  options: { readonly dir?: string | undefined; readonly answers?: string | undefined },
  isRehearsal: boolean,
  io: CommandIo,
): number {
  const { dir, answers } = options;
  const dirArgs = dir === undefined ? [] : ['--dir', dir];
  const answersArgs = answers === undefined ? [] : ['--answers', answers];
  const rehearsalArgs = isRehearsal ? [...dirArgs, '--answers', answers ?? 'example'] : ['--answers', 'example'];
  const wizardArgs = isRehearsal ? [] : [...dirArgs, ...answersArgs];
  io.stderr(
    `${words().noTerminal(
      formatCommandLine('rehearse', ...rehearsalArgs, '--plain'),
      formatCommandLine(...wizardArgs, '--plain'),
    )}\n`,
  );
  return 2;
}

/**
 * Takes the terminal, shows the first frame on full screens, then runs the action. On failure, it restores the terminal
 * before the failure is reported.
 */
export async function withTerminal(
  launcher: Launcher,
  startup: StartupOptions & { readonly frontEnd: Exclude<FrontEndKind, 'none'> },
  io: CommandIo,
  action: (frontEnd: FrontEndHandle) => Promise<number>,
): Promise<number> {
  const frontEnd =
    startup.frontEnd === 'lines' ? await openLines(launcher, startup, io) : await openFullScreens(launcher, startup);
  try {
    return await action(frontEnd);
  } catch (error) {
    await frontEnd.close();
    throw error;
  }
}

async function openLines(launcher: Launcher, startup: StartupOptions, io: CommandIo): Promise<FrontEndHandle> {
  const { TERM = '' } = io.env;
  const { isDumb } = detectCapabilities(io.env, process.stdin, process.stdout);
  if (isDumb) io.stderr(`${plainWords().frontEndNotice.dumb(TERM)}\n`);
  const { openPlain } = await launcher.loadPlain();
  return openPlain(startup);
}

async function openFullScreens(launcher: Launcher, startup: StartupOptions): Promise<FrontEndHandle> {
  const { openScreens } = await launcher.loadScreens();
  const isResumed = startup.dir !== null && existsSync(join(startup.dir, '.upi-wizard', 'session.json'));
  // A resumed session starts on the page where it was left, not on the welcome page.
  return openScreens(isResumed ? { ...startup, dir: null } : startup);
}
