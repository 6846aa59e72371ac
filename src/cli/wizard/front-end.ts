import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { capabilitiesOf, isAccessible } from '../../terminal/capabilities.ts';
import { catalogue, commandLine } from '../../text/catalogue.ts';
import type { OpenedWizard, Opening } from '../../wizard/front-end.ts';
import type { CommandIo } from '../shared/io.ts';
import type { Host } from './host.ts';

const words = () => catalogue().cli;
const plainWords = () => catalogue().plain;

/** The options that say how to show the wizard, for parseArgs. */
export const FRONT_END_OPTIONS = {
  plain: { type: 'boolean' },
  'screen-reader': { type: 'boolean' },
  'no-bell': { type: 'boolean' },
  'no-mouse': { type: 'boolean' },
} as const;

/** The option that names the command to run on events, for parseArgs. */
export const ON_EVENT_OPTION = { 'on-event': { type: 'string' } } as const;

/** What the options turn off: a session with neither rings, and takes the wheel of the mouse. */
export function comfortsOf(values: {
  'no-bell'?: boolean;
  'no-mouse'?: boolean;
}): Pick<Opening, 'hasBell' | 'hasMouse'> {
  return { hasBell: !values['no-bell'], hasMouse: !values['no-mouse'] };
}

/** Full screens, or the same in lines with a person to answer; `none` where there is no terminal. */
export type FrontEnd = 'screens' | 'lines' | 'none';

/**
 * How to show the wizard here. Lines for who asks for them (`--plain`, `--screen-reader`, `ACCESSIBLE` as other terminal
 * programs know it) and for a terminal that cannot move its cursor.
 */
export function frontEndFor(asked: { plain?: boolean; 'screen-reader'?: boolean }, io: CommandIo): FrontEnd {
  const { isInteractive, isDumb } = capabilitiesOf(io.env, process.stdin, process.stdout);
  if (!isInteractive) return 'none';
  return asked.plain || asked['screen-reader'] || isAccessible(io.env) || isDumb ? 'lines' : 'screens';
}

/** Says what to do instead of showing the wizard; returns the exit code. */
export function withoutTerminal(io: CommandIo): number {
  io.stderr(
    `${words().noTerminal(commandLine('rehearse', '--answers', 'example', '--plain'), commandLine('--plain'))}\n`,
  );
  return 2;
}

/**
 * Takes the terminal, shows the first frame on full screens, then does the rest; after a failure it gives the terminal back
 * before the failure is reported.
 */
export async function onTerminal(
  host: Host,
  opening: Opening & { readonly frontEnd: Exclude<FrontEnd, 'none'> },
  io: CommandIo,
  rest: (opened: OpenedWizard) => Promise<number>,
): Promise<number> {
  const opened = opening.frontEnd === 'lines' ? await openLines(host, opening, io) : await openScreens(host, opening);
  try {
    return await rest(opened);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function openLines(host: Host, opening: Opening, io: CommandIo): Promise<OpenedWizard> {
  const { TERM = '' } = io.env;
  const { isDumb } = capabilitiesOf(io.env, process.stdin, process.stdout);
  if (isDumb) io.stdout(`${plainWords().chosen.dumb(TERM)}\n`);
  const { openPlain } = await host.loadPlain();
  return openPlain(opening);
}

async function openScreens(host: Host, opening: Opening): Promise<OpenedWizard> {
  const { openWizard } = await host.loadWizard();
  const isResumed = opening.dir !== null && existsSync(join(opening.dir, '.upi-wizard', 'session.json'));
  // A resumed session starts on the page where it was left, not on the welcome of a new one.
  return openWizard(isResumed ? { ...opening, dir: null } : opening);
}
