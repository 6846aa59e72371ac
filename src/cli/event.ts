import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { catalogue, commandLine } from '../i18n/catalogue.ts';
import { systemClock } from '../platform/clock.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { findDefaultDirectory, getConfigDirectory } from '../session/directories.ts';
import { readOnEventCommand } from '../session/on-event.ts';
import { STEP_IDS, type StepId } from '../steps/contract.ts';
import { createEventQueue, createJobEvents, EVENTS, type EventName, type WizardEvent } from '../steps/events.ts';
import { type CommandIo, UsageError } from './shared/io.ts';

const words = () => catalogue().events;

/**
 * `upi-wizard event NAME [--dir D] [--step S] [--text T]`: runs the event command as this event does, to test it. Jobs
 * that outlive the wizard raise their events with it: `--job NAME --code N`. Needs no lock.
 * @returns 0; 4 no command is set, or it failed
 */
export async function eventCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      dir: { type: 'string' },
      step: { type: 'string', default: 'report' },
      text: { type: 'string' },
      job: { type: 'string' },
      code: { type: 'string', default: '0' },
    },
  });
  const [named = '', ...others] = positionals;
  if (others[0] !== undefined) throw new UsageError(catalogue().live.unexpectedArgument(sanitizeLine(others[0], 80)));
  const event = parseChoice(EVENTS, named);
  const dir =
    values.dir === undefined
      ? findDefaultDirectory(io.cwd, getConfigDirectory({ ...io.env }))
      : resolve(io.cwd, values.dir);
  if (readOnEventCommand(dir) === null) {
    io.stderr(`${words().none(commandLine('--dir', dir, '--on-event', 'CMD'))}\n`);
    return 4;
  }
  const events =
    values.job === undefined
      ? [{ event, step: parseChoice(STEP_IDS, values.step), text: values.text ?? words().test(event) }]
      : createJobEvents(event, values.job, Number(values.code));
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

function parseChoice<T extends EventName | StepId>(known: readonly T[], name: string): T {
  const found = known.find((each) => each === name);
  if (found === undefined) throw new UsageError(words().unknown(sanitizeLine(name, 80), known.join(', ')));
  return found;
}
