import { catalogue, formatCommandLine } from '../i18n/catalogue.ts';
import { systemClock } from '../platform/clock.ts';
import { findInstallDirectory } from '../session/install-directories.ts';
import { readOnEventCommand } from '../session/on-event.ts';
import { createEventQueue, createJobEvents, type WizardEvent } from '../steps/events.ts';
import type { Arguments } from './commands.ts';
import type { CommandContext } from './shared/context.ts';
import type { CommandIo } from './shared/io.ts';

const words = () => catalogue().events;

/**
 * `upi-wizard event NAME [--dir D] [--step S] [--text T]`: runs the event command as this event does, to test it.
 * Jobs that outlive the wizard raise their events with this command: `--job NAME --code N`. Needs no lock.
 * @returns 0; 4 no command is set, or it failed
 */
export async function eventCommand(
  { options, operand: event }: Arguments<'event'>,
  { io }: CommandContext,
): Promise<number> {
  const { step, text = words().test(event), job, code = '0' } = options;
  const dir = findInstallDirectory(options.dir, io);
  if (readOnEventCommand(dir) === null) {
    io.stderr(`${words().none(formatCommandLine('--dir', dir, '--on-event', 'CMD'))}\n`);
    return 4;
  }
  const events = job === undefined ? [{ event, step, text }] : createJobEvents(event, job, Number(code));
  return (await raiseAll(dir, events, io)) ? 0 : 4;
}

async function raiseAll(dir: string, events: readonly WizardEvent[], io: CommandIo): Promise<boolean> {
  const { raise, waitUntilIdle } = createEventQueue({
    dir,
    clock: systemClock,
    report: (message) => io.stderr(`${message}\n`),
  });
  for (const event of events) raise(event);
  return await waitUntilIdle();
}
