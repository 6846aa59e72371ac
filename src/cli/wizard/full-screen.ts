import { spawnSync } from 'node:child_process';
import { catalogue, commandLine, namedLanguage } from '../../text/catalogue.ts';
import type { OpenedWizard } from '../../wizard/front-end.ts';
import { initialState } from '../../wizard/initial.ts';
import type { Intent } from '../../wizard/intents.ts';
import { isScreen, type Leaving } from '../../wizard/state.ts';
import { noteTerminal } from '../session/abrupt-end.ts';
import { holdWizard, leftLines, lossOf } from '../session/holding.ts';
import { recallOf } from '../session/pending-question.ts';
import type { Saved } from '../session/saved.ts';
import { furthest, keptAnswers } from '../session/saved-answers.ts';
import { errorLog } from '../shared/log.ts';
import { argvElsewhere } from './elsewhere.ts';
import { frontEndEvents, keepOnEvent, raiseQuestions } from './events.ts';
import { begunAt, contextsOf, servicesOf, type WizardRun } from './services.ts';
import { addClusterNews, welcomeCard } from './welcome-card.ts';

const words = () => catalogue().cli;

/** How the wizard ended, and the exit code for that. */
export interface Finished {
  readonly how: Leaving;
  readonly code: number;
}

/** Runs the wizard on full screens until the person leaves. */
export async function fullScreenWizard(options: WizardRun): Promise<Finished> {
  const { dir, lock, saved, world, io, opened, rehearsal } = options;
  const log = errorLog(dir);
  const resumeCommand = resumeOf(options);
  const contextFor = contextsOf(options);
  const holding = holdWizard(lock);
  const leaving = new AbortController();
  let notify: (trouble: string) => void = () => undefined;
  const events = frontEndEvents(dir, (trouble) => notify(trouble));
  const kept = keepOnEvent(dir, options.onEvent);
  let leftFor = (): string | null => null;
  const note = noteTerminal(dir);
  const card = await welcomeCard(dir, lock, saved);
  const how = await opened.run({
    initial: initialState({
      dir,
      document: saved.current().design,
      now: world.clock.now(),
      begunAt: begunAt(saved),
      isResumed: saved.isResumed,
      rehearsal: rehearsal?.pace ?? null,
      ...(options.screens ? { screens: options.screens } : {}),
      reached: furthest(saved.current()),
      kept: keptAnswers(saved.current()),
    }),
    start: [
      { type: 'welcome/look' },
      ...startIntents(saved, note.wasAbrupt, options.said ?? kept),
      ...(card === null ? [] : [{ type: 'overlay/show', page: card } as const]),
    ],
    services: servicesOf(options, contextFor, events),
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
  holding.stop();
  leaving.abort();
  events.leave();
  if (how !== 'rehearse' && how !== 'new' && how !== 'open')
    return { how, code: takeLeave(how, options, holding.guest()) };
  // That one has a directory of its own; this one is free meanwhile.
  lock.release();
  return { how, code: runWizard(argvElsewhere(how, leftFor(), io.cwd), opened) };
}

const resumeOf = ({ dir, opened }: WizardRun) => commandLine('--dir', dir, ...opened.options);

/** Says what the person should know who leaves. @returns the exit code */
function takeLeave(
  how: Exclude<Leaving, 'rehearse' | 'new' | 'open'>,
  options: WizardRun,
  guest: Parameters<typeof leftLines>[1],
): number {
  const { dir, lock, io } = options;
  const say = (...lines: readonly string[]) => io.stderr(lines.map((line) => `${line}\n`).join(''));
  switch (how) {
    case 'unsaved':
      say(words().notSavedIn(dir), words().resume(resumeOf(options)));
      return 4;
    case 'lost': {
      const { title, cause, whatToDo } = lossOf(lock);
      say(`${title}: ${cause} ${whatToDo}`);
      return 4;
    }
    case 'taken-over':
    case 'detached':
      say(...leftLines(how, guest, dir));
      return 0;
    case 'quit':
    case 'interrupt':
      say(words().savedIn(dir), words().resume(resumeOf(options)));
      return how === 'interrupt' ? 130 : 0;
    case 'install':
      return 0;
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
