import type { PlainIo } from '../../plain/plain-io.ts';
import { runSteps } from '../../plain/run-steps.ts';
import { keepHeapSmall } from '../../ports/small-heap.ts';
import { eventfulSteps } from '../../steps/events/eventful-steps.ts';
import { STEPS } from '../../steps/registry.ts';
import { catalogue } from '../../text/catalogue.ts';
import { SCREEN_IDS, type ScreenId } from '../../wizard/state.ts';
import type { CommandIo } from '../shared/io.ts';
import { stepContext } from '../shared/world.ts';
import { frontEndEvents } from './events.ts';

const words = () => catalogue().plain;

/**
 * Takes the steps in plain lines, tells events to whom the user named, and says whether everything is verified.
 * @param asked whom to ask before something dangerous, and for the reason to go past failed checks; who notes how far it is
 * @param screens those that there are: only their steps are taken
 * @returns the exit code: 0 verified, 4 not
 */
export async function takeSteps(
  io: CommandIo,
  where: Omit<Parameters<typeof stepContext>[0], 'base'>,
  asked: Pick<PlainIo, 'confirm' | 'reason' | 'typeWord' | 'at'>,
  screens: readonly ScreenId[] = SCREEN_IDS,
): Promise<0 | 4> {
  const print = (line: string) => io.stdout(`${line}\n`);
  keepHeapSmall();
  const events = frontEndEvents(where.dir, (trouble) => io.stderr(`${trouble}\n`));
  const context = stepContext({ ...where, base: where.dir });
  const outcome = await runSteps(context, { print, ...asked }, eventfulSteps(STEPS, events), screens);
  await events.settled();
  const open = outcome.findings.filter(({ severity }) => severity !== 'note').map(({ title }) => title);
  print(outcome.isVerified ? words().verified : words().notVerified([...new Set(open)].join('; ')));
  return outcome.isVerified ? 0 : 4;
}
