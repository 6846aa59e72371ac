import { catalogue, commandLine } from '../i18n/catalogue.ts';
import { toAsciiPunctuation } from '../platform/ascii-punctuation.ts';
import { limitHeapGrowth } from '../platform/heap-growth.ts';
import { detectCapabilities } from '../terminal/capabilities.ts';
import { installLifecycle } from '../terminal/lifecycle.ts';
import { makeNonBlocking } from '../terminal/output-stream.ts';
import { createEffects } from '../wizard/effects.ts';
import type { FrontEndHandle, WizardRunOptions } from '../wizard/front-end.ts';
import type { LeaveReason } from '../wizard/state.ts';
import { createWizardStore } from '../wizard/store.ts';
import { runDialog } from './dialog.ts';
import { showHolderPage, viewSession } from './holder.ts';
import { createLineInput } from './line-input.ts';
import type { ScreenTextModel } from './screen-text-model.ts';

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
  const write = (text: string) => void process.stdout.write(hasUnicode ? text : toAsciiPunctuation(text));
  const abort = new AbortController();
  let options: WizardRunOptions | null = null;
  let save = () => {};
  const lifecycle = installLifecycle({
    save: () => save(),
    abort,
    get resumeCommand() {
      return options?.resumeCommand ?? commandLine();
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
    watch: (viewed) => viewSession(viewed, buildModel(), input, print),
    options: ['--plain'],
    async run(runOptions) {
      options = runOptions;
      const { initial, startIntents, services } = runOptions;
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
      const store = createWizardStore(initial, (effect) => {
        // No pause is needed at the end: a number and Enter are typed deliberately.
        if (effect.type === 'rest-at-end') store.dispatch({ type: 'end/rested' });
        else effects.perform(effect);
      });
      effects.attach(store);
      runOptions.onStore?.(store);
      save = () => services.save(store.getState());
      abort.signal.addEventListener('abort', effects.stop);
      for (const line of words().legend) write(`${line}\n`);
      for (const intent of startIntents) store.dispatch(intent);
      const dialog = runDialog({
        store,
        model: buildModel(),
        input,
        write,
        columns,
        exit,
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
