import { catalogue } from '../../i18n/catalogue.ts';
import type { PlainIo } from '../../plain/line-io.ts';
import { runSteps } from '../../plain/run-steps.ts';
import { limitHeapGrowth } from '../../platform/process.ts';
import { withStepEvents } from '../../steps/events/step-events.ts';
import { STEPS } from '../../steps/registry.ts';
import { SCREEN_IDS, type ScreenId } from '../../wizard/state.ts';

import type { CommandIo } from '../shared/io.ts';
import { createStepContext } from '../shared/runtime.ts';
import { createFrontEndEvents } from './events.ts';

const words = () => catalogue().plain;

/**
 * Runs the steps in plain lines, raises their events, and prints whether everything is verified.
 * @param prompts questions before dangerous actions and about failed checks, and a callback that records the step
 * reached
 * @param screens the available screens: only their steps run
 * @returns the exit code: 0 verified, 4 not
 */
export async function runPlainSteps(
  io: CommandIo,
  contextOptions: Omit<Parameters<typeof createStepContext>[0], 'base'>,
  prompts: Pick<PlainIo, 'confirm' | 'requestOverrideReason' | 'confirmWord' | 'onCurrentStep'>,
  screens: readonly ScreenId[] = SCREEN_IDS,
): Promise<0 | 4> {
  const print = (line: string) => io.stdout(`${line}\n`);
  limitHeapGrowth();
  const events = createFrontEndEvents(contextOptions.dir, (message) => io.stderr(`${message}\n`));
  const context = createStepContext({ ...contextOptions, base: contextOptions.dir });
  const outcome = await runSteps(context, { print, ...prompts }, withStepEvents(STEPS, events), screens);
  await events.waitUntilIdle();
  const openIssues = outcome.findings.filter(({ severity }) => severity !== 'note').map(({ title }) => title);
  print(outcome.isVerified ? words().verified : words().notVerified([...new Set(openIssues)].join('; ')));
  return outcome.isVerified ? 0 : 4;
}
