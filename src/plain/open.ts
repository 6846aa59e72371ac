import { keepHeapSmall } from '../ports/small-heap.ts';
import { capabilitiesOf } from '../terminal/capabilities.ts';
import { installLifecycle } from '../terminal/lifecycle.ts';
import { neverBlock } from '../terminal/output-stream.ts';
import { asciiSigns } from '../text/ascii.ts';
import { catalogue, commandLine } from '../text/catalogue.ts';
import { createEffects } from '../wizard/effects.ts';
import type { OpenedWizard, WizardStart } from '../wizard/front-end.ts';
import type { Leaving } from '../wizard/state.ts';
import { createWizardStore } from '../wizard/store.ts';
import { converse } from './dialog.ts';
import type { PlainFace } from './face.ts';
import { askInLines, watchInLines } from './holder.ts';
import { lineInput } from './line-input.ts';

const words = () => catalogue().plain;

/** Tables need them; a narrower terminal folds the lines. */
const LEAST_COLUMNS = 80;

/** Takes the terminal for the line-by-line front end. The terminal stays as it is: no raw mode, no other screen, no cursor. */
export function openPlainly(faceOf: (columns: number) => PlainFace): OpenedWizard {
  const { hasUnicode, columns } = capabilitiesOf(process.env, process.stdin, process.stdout);
  neverBlock(process.stdout);
  const write = (text: string) => void process.stdout.write(hasUnicode ? text : asciiSigns(text));
  const abort = new AbortController();
  let options: WizardStart | null = null;
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
    farewell: () => options?.farewell() ?? [],
    readsLines: true,
  });
  const input = lineInput(process.stdin);
  const close = () => {
    input.close();
    return Promise.resolve();
  };
  const print = (line: string) => write(`${line}\n`);
  const face = () => faceOf(Math.max(columns, LEAST_COLUMNS) - 1);
  return {
    close,
    ask: (page) => askInLines(page, input, print),
    watch: (viewed) => watchInLines(viewed, face(), input, print),
    options: ['--plain'],
    async run(given) {
      options = given;
      const { initial, start, services } = given;
      keepHeapSmall();
      let leave: (how: Leaving) => void = () => undefined;
      const ended = new Promise<Leaving>((resolve) => {
        leave = resolve;
      });
      const effects = createEffects({
        ...services,
        leave: (how) => leave(how),
        random: Math.random,
        copy: () => undefined,
      });
      const store = createWizardStore(initial, (effect) => {
        // Who types a number and Enter has read what it does.
        if (effect.type === 'rest-at-end') store.dispatch({ type: 'end/rested' });
        else effects.perform(effect);
      });
      effects.attach(store);
      given.onStore?.(store);
      save = () => services.save(store.getState());
      abort.signal.addEventListener('abort', effects.stop);
      for (const line of words().legend) write(`${line}\n`);
      for (const intent of start) store.dispatch(intent);
      const talk = converse({
        store,
        face: face(),
        input,
        write,
        columns,
        ended,
      });
      const how = await Promise.race([ended, talk.then(() => null)]);
      if (how === null) {
        // The input has ended, and with it the person's way to answer.
        lifecycle.end({ kind: 'quit' }, 0);
      }
      effects.stop();
      await close();
      return how ?? 'quit';
    },
  };
}
