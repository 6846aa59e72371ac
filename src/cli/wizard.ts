import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { checkDocument } from '../design/parse.ts';
import { askDesign, lineReader } from '../plain/questions.ts';
import { runSteps } from '../plain/run-steps.ts';
import { findSite } from '../rehearsal/site-client.ts';
import { defaultDirectory, rememberDirectory } from '../session/directories.ts';
import { acquireLock } from '../session/lock.ts';
import { openSession } from '../session/store.ts';
import type { Step, StepContext } from '../steps/contract.ts';
import { STEPS } from '../steps/registry.ts';
import { capabilitiesOf } from '../terminal/capabilities.ts';
import { cli as words } from '../text/en/cli.ts';
import { plain as plainWords } from '../text/en/plain.ts';
import { focusedField } from '../wizard/editing.ts';
import { initialState } from '../wizard/initial.ts';
import type { Intent } from '../wizard/intents.ts';
import { type Leaving, SCREEN_IDS, type ScreenId, type WizardState } from '../wizard/state.ts';
import { usableDirectory } from './directory.ts';
import type { CommandIo } from './io.ts';
import { errorLog } from './log.ts';
import { openSaved, type Saved } from './saved.ts';
import { type Programs, realWorld, siteWorld, stepContext, type World } from './world.ts';

/** Loads the full-screen wizard. Its type is that of `screens/main.tsx`, which this side may not import. */
export type LoadWizard = () => Promise<{ readonly runWizard: (options: WizardStart) => Promise<Leaving> }>;

/** What the executable hands in: the full-screen wizard is loaded only when it is shown. */
export interface Host {
  readonly loadWizard: LoadWizard;
  readonly programs: Programs;
}

export interface WizardStart {
  readonly initial: WizardState;
  readonly start: readonly Intent[];
  readonly services: {
    readonly clock: World['clock'];
    readonly steps: typeof STEPS;
    readonly contextOf: (state: WizardState, signal: AbortSignal) => ReturnType<typeof stepContext> | null;
    readonly save: (state: WizardState) => void;
  };
  readonly resumeCommand: string;
  readonly logPath: string | null;
  readonly log: (error: unknown) => void;
  readonly farewell: () => readonly string[];
  readonly isForScreenReader: boolean;
}

/** `upi-wizard [--dir D] [--plain]`: the wizard on an install directory, or on the rehearsal that lives there. */
export async function wizardCommand(argv: readonly string[], io: CommandIo, host: Host): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: { dir: { type: 'string' }, plain: { type: 'boolean' }, 'screen-reader': { type: 'boolean' } },
  });
  const isPlain = values.plain === true;
  const terminal = capabilitiesOf(io.env, process.stdin, process.stdout);
  if (!isPlain && (!terminal.isInteractive || terminal.isDumb)) {
    io.stderr(`${words.noTerminal}\n`);
    return 2;
  }
  const dir = usableDirectory(values.dir === undefined ? defaultDirectory(io.cwd) : resolve(io.cwd, values.dir));
  const saved = openSaved(openSession(dir));
  const rehearsal = saved.current().rehearsal;
  if (rehearsal !== null && !isPlain) {
    const { rehearseCommand } = await import('./rehearse.ts');
    return await rehearseCommand(['--dir', dir], io, host);
  }
  const site = rehearsal === null ? null : await findSite(rehearsal.siteDir);
  const world = site === null ? realWorld(dir) : siteWorld(site);
  rememberDirectory(dir);
  if (isPlain) return await plainWizard({ dir, saved, world, io, host });
  return await fullScreenWizard({
    dir,
    saved,
    world,
    io,
    host,
    isForScreenReader: values['screen-reader'] === true,
  });
}

/** Runs the wizard on full screens until the person leaves. */
export async function fullScreenWizard(options: {
  readonly dir: string;
  readonly saved: Saved;
  readonly world: World;
  readonly io: CommandIo;
  readonly host: Host;
  readonly isForScreenReader: boolean;
  /** Runs before every look and every act of a step. */
  readonly beforeStep?: (context: StepContext) => Promise<void>;
}): Promise<number> {
  const { dir, saved, world, io, host, isForScreenReader, beforeStep } = options;
  const lock = acquireLock(dir);
  const log = errorLog(dir);
  const resumeCommand = `upi-wizard --dir ${dir}`;
  const { place, rehearsal } = saved.current();
  const { runWizard } = await host.loadWizard();
  const how = await runWizard({
    initial: initialState({
      dir,
      document: saved.current().design,
      now: world.clock.now(),
      isResumed: saved.isResumed,
      rehearsal: rehearsal === null ? null : { speed: rehearsal.speed },
      reached: isScreen(place.screen) ? place.screen : 'welcome',
    }),
    start:
      saved.isResumed && isScreen(place.screen)
        ? [{ type: 'screen/go', screen: place.screen, ...(place.field ? { field: place.field } : {}) }]
        : [],
    services: {
      clock: world.clock,
      steps: beforeStep ? preparedSteps(beforeStep) : STEPS,
      contextOf: (state, signal) =>
        state.design &&
        stepContext({
          world,
          programs: host.programs,
          dir,
          base: dir,
          design: state.design,
          memory: saved.memory,
          signal,
        }),
      save: (state) =>
        saved.update({
          design: state.document,
          place: { screen: state.screen, field: focusedField(state)?.path ?? null },
        }),
    },
    resumeCommand,
    logPath: log.path,
    log: log.write,
    farewell: () => [words.savedIn(dir), words.resume(resumeCommand)],
    isForScreenReader,
  });
  lock.release();
  if (how !== 'rehearse') {
    io.stderr(`${words.savedIn(dir)}\n${words.resume(resumeCommand)}\n`);
    return how === 'interrupt' ? 130 : 0;
  }
  // A fresh process: the terminal's owner has just given it back, and its handlers with it.
  const [script = ''] = process.argv.slice(1);
  return spawnSync(process.execPath, [script, 'rehearse'], { stdio: 'inherit' }).status ?? 1;
}

/** The steps, each of whose looks and acts is preceded by a preparation. */
function preparedSteps(prepare: (context: StepContext) => Promise<void>): typeof STEPS {
  const prepared = (step: Step): Step => ({
    ...step,
    async probe(context) {
      await prepare(context);
      return await step.probe(context);
    },
    async apply(context, report) {
      await prepare(context);
      await step.apply(context, report);
    },
  });
  return Object.fromEntries(Object.entries(STEPS).map(([id, step]) => [id, prepared(step)])) as typeof STEPS;
}

function isScreen(text: string): text is ScreenId {
  return (SCREEN_IDS as readonly string[]).includes(text);
}

/** Asks the design line by line and takes the steps, on a terminal of any kind or none at all. */
async function plainWizard(options: {
  readonly dir: string;
  readonly saved: Saved;
  readonly world: World;
  readonly io: CommandIo;
  readonly host: Host;
}): Promise<number> {
  const { dir, saved, world, io, host } = options;
  const lock = acquireLock(dir);
  const print = (line: string) => io.stdout(`${line}\n`);
  const readline = createInterface({ input: process.stdin });
  const ask = lineReader(readline, io.stdout);
  try {
    print(plainWords.directory(dir));
    const design =
      saved.current().place.screen === 'welcome'
        ? await askDesign(saved.current().design, {
            print,
            ask,
            save: (document) => saved.update({ design: document }),
          })
        : checkDocument(saved.current().design).design;
    if (design === null) return 3;
    saved.update({ place: { screen: 'generate', field: null } });
    const context = stepContext({
      world,
      programs: host.programs,
      dir,
      base: dir,
      design,
      memory: saved.memory,
      signal: new AbortController().signal,
    });
    const confirm = async () => /^y(?:es)?$/i.test((await ask(plainWords.confirm))?.trim() ?? '');
    const outcome = await runSteps(context, { print, confirm });
    print(
      outcome.isVerified
        ? plainWords.verified
        : plainWords.notVerified(outcome.findings.map(({ title }) => title).join('; ')),
    );
    return outcome.isVerified ? 0 : 4;
  } finally {
    readline.close();
    lock.release();
  }
}
