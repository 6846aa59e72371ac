import { isRefused } from '../../design/imports/index.ts';
import type { Design } from '../../design/model.ts';
import { draftDesign } from '../../design/parse.ts';
import type { Finding } from '../../diagnosis/finding.ts';
import { systemClock } from '../../ports/clock.ts';
import type { SessionLock } from '../../session/lock.ts';
import { type AnyStep, eachStep, type StepContext, type StepId } from '../../steps/contract.ts';
import { eventfulSteps } from '../../steps/events/eventful-steps.ts';
import { STEPS } from '../../steps/registry.ts';
import { writeCommands } from '../../steps/shared/files/commands-script.ts';
import { judgeCredentials } from '../../steps/shared/files/credentials.ts';
import { keepImported, readImport } from '../../steps/shared/files/imports.ts';
import { keepPasted } from '../../steps/shared/files/pasted-credentials.ts';
import { makeSshKey } from '../../steps/shared/files/ssh-key.ts';
import { getAt } from '../../wizard/design/document.ts';
import type { EffectServices } from '../../wizard/effects.ts';
import type { OpenedWizard } from '../../wizard/front-end.ts';
import { isFollowing } from '../../wizard/live/update-step.ts';
import type { Rehearsal, ScreenId } from '../../wizard/state.ts';
import { savedQuestion } from '../session/pending-question.ts';
import type { Saved } from '../session/saved.ts';
import { savedAnswers, savedPlace } from '../session/saved-answers.ts';
import type { CommandIo } from '../shared/io.ts';
import { stepContext, type World } from '../shared/world.ts';
import type { frontEndEvents } from './events.ts';
import type { Host } from './host.ts';
import { lookAround } from './look-around.ts';

/** A wizard as a command asks for it. */
export interface WizardRun {
  readonly dir: string;
  /** Held already, and released by the caller. */
  readonly lock: SessionLock;
  readonly saved: Saved;
  readonly world: World;
  readonly io: CommandIo;
  readonly host: Host;
  /** The terminal, which shows its first frame. */
  readonly opened: OpenedWizard;
  /** What `--on-event` says; undefined without it. */
  readonly onEvent: string | undefined;
  /** Said at the start; null: nothing. */
  readonly said: string | null;
  /** The screens that there are; left out: all. */
  readonly screens?: readonly ScreenId[];
  /** The rehearsal that it is; absent in life. */
  readonly rehearsal?: { readonly pace: Rehearsal } & Required<Pick<EffectServices, 'setPace' | 'beginInstallation'>>;
  /** Runs before every look and every act of a step; what it finds is shown with what the step finds. */
  readonly beforeStep?: (context: StepContext) => Promise<readonly Finding[]>;
}

/** When the first machine was powered on; null before. */
export function begunAt({ memory }: Saved): number | null {
  const times = Object.values(memory.get('powered-on') ?? {});
  return times.length === 0 ? null : Math.min(...times);
}

type ContextFor = (design: Design, signal: AbortSignal) => StepContext;

/** What steps work with, for a design. */
export function contextsOf({ world, host, dir, saved, lock }: WizardRun): ContextFor {
  const { memory, recollection } = saved;
  const fixed = { world, programs: host.programs, dir, base: dir, memory, recollection, check: lock.check };
  return (design, signal) => stepContext({ ...fixed, design, signal });
}

/** What the effects of the wizard do to the world. */
export function servicesOf(
  { dir, saved, world, io, rehearsal, beforeStep }: WizardRun,
  contextFor: ContextFor,
  events: ReturnType<typeof frontEndEvents>,
): Parameters<OpenedWizard['run']>[0]['services'] {
  const { memory } = saved;
  return {
    clock: world.clock,
    wallClock: systemClock,
    begunAt: () => begunAt(saved),
    steps: eventfulSteps(beforeStep ? preparedSteps(beforeStep) : STEPS, events),
    contextOf: (state, signal) => state.inForce && contextFor(state.inForce.design, signal),
    judgeCredentials: async (state) => {
      // Wrong answers elsewhere do not keep the files from being read.
      const design = state.design ?? draftDesign(state.document);
      if (design === null) return [];
      const { credentials } = contextFor(design, new AbortController().signal);
      return judgeCredentials(credentials, design);
    },
    makeSshKey: (state) => {
      const text = (path: string) => String(getAt(state.document, path) ?? '');
      const [publicFile, isFips] = [text('credentials.sshKeyFile'), text('fips') === 'true'];
      return makeSshKey({ publicFile, isFips, dir, signal: new AbortController().signal });
    },
    ...(rehearsal ? { setPace: rehearsal.setPace, beginInstallation: rehearsal.beginInstallation } : {}),
    keepPasted: (state, what, text) =>
      keepPasted(what, text, { dir, design: state.design ?? draftDesign(state.document) }),
    readImport: async (path) => {
      const read = await readImport(path, dir);
      if (isRefused(read)) return `${read.problem}. ${read.fix}`;
      const { files, ...told } = read;
      return { ...told, path, secrets: files.map(({ name }) => name) };
    },
    lookAround: (state) => lookAround(state, contextFor, io),
    keepImported: (path) => keepImported(path, dir),
    writeCommands: (lines) => writeCommands(dir, lines),
    save: (state) => {
      saved.update({ ...savedAnswers(state), ...savedPlace(state), question: savedQuestion(state) });
      if (isFollowing(state) !== (memory.get('following') ?? false)) memory.set('following', isFollowing(state));
    },
  };
}

/** The steps, with a preparation before each look and act. */
function preparedSteps(
  prepare: (context: StepContext) => Promise<readonly Finding[]>,
): Readonly<Record<StepId, AnyStep>> {
  const prepared = (step: AnyStep): AnyStep => ({
    ...step,
    async look(context) {
      const found = await prepare(context);
      const { probe, ...seen } = await step.look(context);
      return { ...seen, probe: { ...probe, findings: [...probe.findings, ...found] } };
    },
    async apply(context, report, shown) {
      await prepare(context);
      await step.apply(context, report, shown);
    },
  });
  return eachStep((id) => prepared(STEPS[id]));
}
