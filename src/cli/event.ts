import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../ports/clock.ts';
import { configDirectory, defaultDirectory } from '../session/directories.ts';
import { readOnEvent } from '../session/on-event.ts';
import { STEP_IDS, type StepId } from '../steps/contract.ts';
import { createEvents, EVENTS, type EventName, type WizardEvent } from '../steps/events/index.ts';
import { jobEvents } from '../steps/events/job-events.ts';
import { catalogue, commandLine } from '../text/catalogue.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import type { CommandIo } from './shared/io.ts';
import { UsageError } from './shared/usage.ts';

const words = () => catalogue().events;

/**
 * `upi-wizard event NAME [--dir D] [--step S] [--text T]`: runs the command for events as this event does, to try it. Jobs that
 * outlive the wizard raise theirs with it: `--job NAME --code N`. Needs no lock.
 * @returns 0; 4 where no command is set or it did not work
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
  const event = oneOf(EVENTS, named);
  const dir =
    values.dir === undefined ? defaultDirectory(io.cwd, configDirectory({ ...io.env })) : resolve(io.cwd, values.dir);
  if (readOnEvent(dir) === null) {
    io.stderr(`${words().none(commandLine('--dir', dir, '--on-event', 'CMD'))}\n`);
    return 4;
  }
  const raised =
    values.job === undefined
      ? [{ event, step: oneOf(STEP_IDS, values.step), text: values.text ?? words().trial(event) }]
      : jobEvents(event, values.job, Number(values.code));
  return (await raiseAll(dir, raised, io)) ? 0 : 4;
}

async function raiseAll(dir: string, raised: readonly WizardEvent[], io: CommandIo): Promise<boolean> {
  const { raise, settled } = createEvents({
    dir,
    clock: systemClock,
    tell: (trouble) => io.stderr(`${trouble}\n`),
  });
  for (const event of raised) raise(event);
  return await settled();
}

function oneOf<T extends EventName | StepId>(known: readonly T[], name: string): T {
  const found = known.find((each) => each === name);
  if (found === undefined) throw new UsageError(words().unknown(sanitizeLine(name, 80), known.join(', ')));
  return found;
}
