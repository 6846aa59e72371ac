import { spawnSync } from 'node:child_process';
import { isRefused } from '../design/imports/index.ts';
import type { Design } from '../design/model.ts';
import { systemClock } from '../ports/clock.ts';
import { acquireLock } from '../session/lock.ts';
import { type AnyStep, eachStep, type StepContext, type StepId } from '../steps/contract.ts';
import { STEPS } from '../steps/registry.ts';
import { judgeCredentials } from '../steps/shared/files/credentials.ts';
import { keepImported, readImport } from '../steps/shared/files/imports.ts';
import { makeSshKey } from '../steps/shared/files/ssh-key.ts';
import { catalogue, commandLine, namedLanguage } from '../text/catalogue.ts';
import { getAt } from '../wizard/document.ts';
import { focusedField } from '../wizard/editing.ts';
import type { OpenedWizard } from '../wizard/front-end.ts';
import { initialState } from '../wizard/initial.ts';
import type { Intent } from '../wizard/intents.ts';
import { SCREEN_IDS, type ScreenId } from '../wizard/state.ts';
import type { Host } from './host.ts';
import type { CommandIo } from './io.ts';
import { errorLog } from './log.ts';
import type { Saved } from './saved.ts';
import { stepContext, type World } from './world.ts';

const words = () => catalogue().cli;

/** Runs the wizard on full screens until the person leaves. */
export async function fullScreenWizard(options: {
  readonly dir: string;
  readonly saved: Saved;
  readonly world: World;
  readonly io: CommandIo;
  readonly host: Host;
  /** The terminal, which shows its first frame. */
  readonly opened: OpenedWizard;
  /** Runs before every look and every act of a step. */
  readonly beforeStep?: (context: StepContext) => Promise<void>;
}): Promise<number> {
  const { dir, saved, world, io, host, opened, beforeStep } = options;
  const lock = acquireLock(dir);
  const log = errorLog(dir);
  const resumeCommand = commandLine('--dir', dir);
  const { place, rehearsal } = saved.current();
  const { memory, recollection } = saved;
  const contextFor = (design: Design, signal: AbortSignal) =>
    stepContext({ world, programs: host.programs, dir, base: dir, design, memory, recollection, signal });
  const how = await opened.run({
    initial: initialState({
      dir,
      document: saved.current().design,
      now: world.clock.now(),
      isResumed: saved.isResumed,
      rehearsal: rehearsal === null ? null : { speed: rehearsal.speed },
      reached: isScreen(place.screen) ? place.screen : 'welcome',
    }),
    start: startIntents(saved),
    services: {
      clock: world.clock,
      wallClock: systemClock,
      steps: beforeStep ? preparedSteps(beforeStep) : STEPS,
      contextOf: (state, signal) => state.design && contextFor(state.design, signal),
      judgeCredentials: async (state) => {
        if (state.design === null) return [];
        const { credentials } = contextFor(state.design, new AbortController().signal);
        return judgeCredentials(credentials, state.design);
      },
      makeSshKey: (state) => {
        const text = (path: string) => String(getAt(state.document, path) ?? '');
        return makeSshKey({
          publicFile: text('credentials.sshKeyFile'),
          isFips: text('fips') === 'true',
          dir,
          signal: new AbortController().signal,
        });
      },
      readImport: async (path) => {
        const read = await readImport(path, dir);
        if (isRefused(read)) return `${read.problem}. ${read.fix}`;
        const { files, ...told } = read;
        return { ...told, path, secrets: files.map(({ name }) => name) };
      },
      keepImported: (path) => keepImported(path, dir),
      save: (state) =>
        saved.update({
          design: state.document,
          place: { screen: state.screen, field: focusedField(state)?.path ?? null },
        }),
    },
    resumeCommand,
    logPath: log.path,
    log: log.write,
    farewell: () => [words().savedIn(dir), words().resume(resumeCommand)],
  });
  lock.release();
  if (how === 'unsaved') {
    io.stderr(`${words().notSavedIn(dir)}\n${words().resume(resumeCommand)}\n`);
    return 4;
  }
  if (how !== 'rehearse') {
    io.stderr(`${words().savedIn(dir)}\n${words().resume(resumeCommand)}\n`);
    return how === 'interrupt' ? 130 : 0;
  }
  // A fresh process: the terminal's owner has just given it back, and its handlers with it.
  const [script = ''] = process.argv.slice(1);
  return spawnSync(process.execPath, [script, 'rehearse', ...namedLanguage()], { stdio: 'inherit' }).status ?? 1;
}

/** To where the person left; a notice there says what happened to the saved answers. */
function startIntents(saved: Saved): Intent[] {
  const { place } = saved.current();
  const go: Intent[] =
    saved.isResumed && isScreen(place.screen)
      ? [{ type: 'screen/go', screen: place.screen, ...(place.field ? { field: place.field } : {}) }]
      : [];
  const notices = saved.notices.map(
    ({ title, cause, whatToDo }): Intent => ({
      type: 'notice/show',
      notice: { kind: 'warning', text: `${title}: ${cause} ${whatToDo}` },
    }),
  );
  return [...go, ...notices];
}

/** The steps, with a preparation before each look and act. */
function preparedSteps(prepare: (context: StepContext) => Promise<void>): Readonly<Record<StepId, AnyStep>> {
  const prepared = (step: AnyStep): AnyStep => ({
    ...step,
    async look(context) {
      await prepare(context);
      return await step.look(context);
    },
    async apply(context, report) {
      await prepare(context);
      await step.apply(context, report);
    },
  });
  return eachStep((id) => prepared(STEPS[id]));
}

function isScreen(text: string): text is ScreenId {
  return (SCREEN_IDS as readonly string[]).includes(text);
}
