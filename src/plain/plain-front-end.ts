import { catalogue, formatCommandLine } from '../i18n/catalogue.ts';
import { limitHeapGrowth } from '../platform/memory.ts';
import { toAsciiPunctuation } from '../platform/text.ts';
import { detectCapabilities } from '../terminal/capabilities.ts';
import { installLifecycle } from '../terminal/lifecycle.ts';
import { makeNonBlocking } from '../terminal/output-stream.ts';
import { createEffects } from '../wizard/effects.ts';
import type { FrontEndHandle, HolderAnswer, HolderPage, ViewedSession, WizardRunOptions } from '../wizard/front-end.ts';
import type { LeaveReason } from '../wizard/state.ts';
import { createWizardStore } from '../wizard/store.ts';
import { runDialog } from './dialog.ts';
import { createLineInput, type LineInput } from './menu.ts';
import type { ScreenTextModel } from './screen-text-model.ts';
import { describeChanges, NOTHING_REPORTED } from './state-changes.ts';

const holderWords = () => catalogue().holder;

/** Prints who works on the directory and asks what to do. The end of the input means quit. */
export async function showHolderPage(
  { dir, headline, lines, warning, prompt }: HolderPage,
  input: LineInput,
  print: (line: string) => void,
): Promise<HolderAnswer> {
  for (const line of [headline, words().directory(dir), ...lines]) print(line);
  if (warning !== null) print(words().notice('warning', warning));
  switch (prompt.kind) {
    case 'nothing':
      print(prompt.waitReason);
      // The next page replaces this one on its own, or a signal ends the process.
      return await new Promise<never>(() => undefined);
    case 'word': {
      print(prompt.question);
      return (await readNextLine(input)) === prompt.word ? 'typed' : 'quit';
    }
    case 'choice': {
      const { choices, hints } = holderWords().page;
      for (const [index, option] of prompt.choices.entries())
        print(words().numbered(index + 1, `${choices[option]}: ${hints[option]}`));
      for (;;) {
        const line = await readNextLine(input);
        if (line === null) return 'quit';
        const choice = prompt.choices[line === '' ? 0 : Number(line) - 1];
        if (choice !== undefined) return choice;
        print(words().chooseOne(prompt.choices.length));
      }
    }
  }
}

/** Prints what happens in another session, each event once. */
export async function viewSession(
  { holder, follow }: ViewedSession,
  model: ScreenTextModel,
  input: LineInput,
  print: (line: string) => void,
): Promise<'quit' | 'take-over' | 'ended'> {
  const abortController = new AbortController();
  print(holderWords().viewer.note(holder));
  print(holderWords().viewer.plainHint);
  let reportedState = NOTHING_REPORTED;
  let hasEnded = false;
  const followTask = follow((state) => {
    const changes = describeChanges(reportedState, state, model);
    reportedState = changes.reportedState;
    for (const line of changes.lines) print(line);
  }, abortController.signal).then(() => {
    hasEnded = true;
  });
  for (;;) {
    await Promise.race([followTask, input.waitForLine()]);
    if (hasEnded) return 'ended';
    const line = input.takeLine()?.trim() ?? 'q';
    if (line === 'q' || line === 't') {
      abortController.abort();
      return line === 'q' ? 'quit' : 'take-over';
    }
  }
}

async function readNextLine(input: LineInput): Promise<string | null> {
  await input.waitForLine();
  return input.takeLine()?.trim() ?? null;
}

const words = () => catalogue().plain;

/** Minimum width of tables; a narrower terminal wraps their lines. */
const MIN_COLUMNS = 80;

/**
 * Opens the terminal for the line-by-line front end. The terminal stays as it is: no raw mode, no alternate screen, no
 * cursor movement.
 */
export function openPlainFrontEnd(createModel: (columns: number) => ScreenTextModel): FrontEndHandle {
  const { hasUnicode, columns } = detectCapabilities(process.env, process.stdin, process.stdout);
  makeNonBlocking(process.stdout);
  const write = (text: string) =>
    void process.stdout.write(hasUnicode ? text : toAsciiPunctuation(text.replaceAll('\u2026', '...')));
  const abortController = new AbortController();
  let options: WizardRunOptions | null = null;
  let save = () => {};
  const lifecycle = installLifecycle({
    save: () => save(),
    abortController,
    get resumeCommand() {
      return options?.resumeCommand ?? formatCommandLine();
    },
    get logPath() {
      return options?.logPath ?? null;
    },
    log: (error) => options?.log(error),
    describeExit: () => options?.describeExit() ?? [],
    isLineMode: true,
  });
  const input = createLineInput(process.stdin);
  const close = () => {
    input.close();
    return Promise.resolve();
  };
  const print = (line: string) => write(`${line}\n`);
  const buildModel = () => createModel(Math.max(columns, MIN_COLUMNS) - 1);
  return {
    close,
    ask: (page) => showHolderPage(page, input, print),
    watch: (session) => viewSession(session, buildModel(), input, print),
    options: ['--plain'],
    async run(runOptions) {
      options = runOptions;
      const { initialState, startIntents, services } = runOptions;
      limitHeapGrowth();
      let resolveExit: (leaveReason: LeaveReason) => void = () => undefined;
      const exit = new Promise<LeaveReason>((resolve) => {
        resolveExit = resolve;
      });
      const effects = createEffects({
        ...services,
        leave: (leaveReason) => resolveExit(leaveReason),
        random: Math.random,
        copy: () => undefined,
      });
      const store = createWizardStore(initialState, (effect) => {
        // No pause is needed: a number or a letter and Enter are typed deliberately.
        if (effect.type === 'wait-at-end') store.dispatch({ type: 'end/waited' });
        else if (effect.type === 'wait-at-offer') store.dispatch({ type: 'follow/noticed' });
        else effects.perform(effect);
      });
      effects.attach(store);
      runOptions.onStoreReady?.(store);
      save = () => services.save(store.getState());
      abortController.signal.addEventListener('abort', effects.stop);
      for (const line of words().legend) write(`${line}\n`);
      for (const intent of startIntents) store.dispatch(intent);
      const dialog = runDialog({
        store,
        model: buildModel(),
        input,
        write,
        columns,
        exit,
        // The shell has printed lines since Ctrl-Z: without the question, the program would seem to hang.
        onReturn: (reprint) => process.on('SIGCONT', reprint),
      });
      const leaveReason = await Promise.race([exit, dialog.then(() => null)]);
      if (leaveReason === null) {
        // The input has ended, so the user cannot answer any more.
        lifecycle.end({ kind: 'quit' }, 0);
      }
      effects.stop();
      await close();
      return leaveReason ?? 'quit';
    },
  };
}
