import { spawnSync } from 'node:child_process';
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
import { catalogue, commandLine, namedLanguage } from '../../text/catalogue.ts';
import { getAt } from '../../wizard/design/document.ts';
import type { EffectServices } from '../../wizard/effects.ts';
import type { OpenedWizard } from '../../wizard/front-end.ts';
import { initialState } from '../../wizard/initial.ts';
import type { Intent } from '../../wizard/intents.ts';
import { isFollowing } from '../../wizard/live/update-step.ts';
import { isScreen, type Leaving, type Rehearsal, type ScreenId } from '../../wizard/state.ts';
import { noteTerminal } from '../session/abrupt-end.ts';
import { holdWizard, leftLines, lossOf } from '../session/holding.ts';
import { recallOf, savedQuestion } from '../session/pending-question.ts';
import type { Saved } from '../session/saved.ts';
import { furthest, keptAnswers, savedAnswers, savedPlace } from '../session/saved-answers.ts';
import type { CommandIo } from '../shared/io.ts';
import { errorLog } from '../shared/log.ts';
import { stepContext, type World } from '../shared/world.ts';
import { argvElsewhere } from './elsewhere.ts';
import { frontEndEvents, keepOnEvent, raiseQuestions } from './events.ts';
import type { Host } from './host.ts';
import { lookAround } from './look-around.ts';
import { addClusterNews, welcomeCard } from './welcome-card.ts';

const words = () => catalogue().cli;

/** How the wizard ended, and the exit code for that. */
export interface Finished {
  readonly how: Leaving;
  readonly code: number;
}

/** Runs the wizard on full screens until the person leaves. */
export async function fullScreenWizard(options: {
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
}): Promise<Finished> {
  const { dir, lock, saved, world, io, host, opened, onEvent, rehearsal, beforeStep } = options;
  const log = errorLog(dir);
  const resumeCommand = commandLine('--dir', dir, ...opened.options);
  const { memory, recollection } = saved;
  const contextFor = (design: Design, signal: AbortSignal) =>
    stepContext({
      world,
      programs: host.programs,
      dir,
      base: dir,
      design,
      memory,
      recollection,
      signal,
      check: lock.check,
    });
  const begunAt = () => {
    const times = Object.values(memory.get('powered-on') ?? {});
    return times.length === 0 ? null : Math.min(...times);
  };
  const holding = holdWizard(lock);
  const leaving = new AbortController();
  let notify: (trouble: string) => void = () => undefined;
  const events = frontEndEvents(dir, (trouble) => notify(trouble));
  const kept = keepOnEvent(dir, onEvent);
  const said = options.said ?? kept;
  let leftFor = (): string | null => null;
  const note = noteTerminal(dir);
  const card = await welcomeCard(dir, lock, saved);
  const how = await opened.run({
    initial: initialState({
      dir,
      document: saved.current().design,
      now: world.clock.now(),
      begunAt: begunAt(),
      isResumed: saved.isResumed,
      rehearsal: rehearsal?.pace ?? null,
      ...(options.screens ? { screens: options.screens } : {}),
      reached: furthest(saved.current()),
      kept: keptAnswers(saved.current()),
    }),
    start: [
      { type: 'welcome/look' },
      ...startIntents(saved, note.wasAbrupt, said),
      ...(card === null ? [] : [{ type: 'overlay/show', page: card } as const]),
    ],
    services: {
      clock: world.clock,
      wallClock: systemClock,
      begunAt,
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
        return makeSshKey({
          publicFile: text('credentials.sshKeyFile'),
          isFips: text('fips') === 'true',
          dir,
          signal: new AbortController().signal,
        });
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
        saved.update({
          ...savedAnswers(state),
          ...savedPlace(state),
          question: savedQuestion(state),
        });
        if (isFollowing(state) !== (memory.get('following') ?? false)) memory.set('following', isFollowing(state));
      },
    },
    onStore: (store) => {
      holding.begin(store);
      raiseQuestions(store, events);
      const { design: known } = store.getState();
      // In lines the card is printed once.
      if (card !== null && known !== null && !opened.options.includes('--plain'))
        void addClusterNews(store, card, contextFor(known, leaving.signal), rehearsal?.pace.speed ?? 1);
      notify = (text) => store.dispatch({ type: 'notice/show', notice: { kind: 'warning', text } });
      leftFor = () => store.getState().welcome.opens;
    },
    resumeCommand,
    logPath: log.path,
    log: log.write,
    farewell: () => [words().savedIn(dir), words().resume(resumeCommand)],
  });
  note.end();
  const { guest, stop } = holding;
  stop();
  leaving.abort();
  events.leave();
  const say = (...lines: readonly string[]) => io.stderr(lines.map((line) => `${line}\n`).join(''));
  switch (how) {
    case 'unsaved':
      say(words().notSavedIn(dir), words().resume(resumeCommand));
      return { how, code: 4 };
    case 'lost': {
      const { title, cause, whatToDo } = lossOf(lock);
      say(`${title}: ${cause} ${whatToDo}`);
      return { how, code: 4 };
    }
    case 'taken-over':
    case 'detached':
      say(...leftLines(how, guest(), dir));
      return { how, code: 0 };
    case 'quit':
    case 'interrupt':
      say(words().savedIn(dir), words().resume(resumeCommand));
      return { how, code: how === 'interrupt' ? 130 : 0 };
    case 'rehearse':
    case 'new':
    case 'open':
      // That one has a directory of its own; this one is free meanwhile.
      lock.release();
      return { how, code: runWizard(argvElsewhere(how, leftFor(), io.cwd), opened) };
    case 'install':
      return { how, code: 0 };
  }
}

/** Another wizard on this terminal, whose owner has just given it back and its handlers with it: a fresh process. */
export function runWizard(argv: readonly string[], { options }: Pick<OpenedWizard, 'options'>): number {
  const [script = ''] = process.argv.slice(1);
  const all = [script, ...argv, ...options, ...namedLanguage()];
  return spawnSync(process.execPath, all, { stdio: 'inherit' }).status ?? 1;
}

/** To where the person left; a notice there says what happened to the saved answers. */
function startIntents(saved: Saved, wasAbrupt: boolean, said: string | null): Intent[] {
  const { place, question } = saved.current();
  const go: Intent[] =
    saved.isResumed && isScreen(place.screen)
      ? [{ type: 'screen/go', screen: place.screen, ...(place.field ? { field: place.field } : {}) }]
      : [];
  const told = saved.notices.map(({ title, cause, whatToDo }) => `${title}: ${cause} ${whatToDo}`);
  // There is room for one: what happened to the answers matters more.
  const other = said ?? (wasAbrupt ? words().abruptEnd : null);
  const texts = told.length === 0 && other !== null ? [other] : told;
  const recall = question === null ? [] : recallOf(question);
  return [
    ...recall,
    ...(saved.memory.get('following') ? [{ type: 'step/follow-again' } as const] : []),
    ...go,
    ...texts.map((text): Intent => ({ type: 'notice/show', notice: { kind: 'warning', text } })),
  ];
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
