import { type ReactNode, useSyncExternalStore } from 'react';
import { capabilitiesOf } from '../src/terminal/capabilities.ts';
import { installLifecycle } from '../src/terminal/lifecycle.ts';
import { renderApp } from '../src/terminal/render-app.tsx';
import { commandLine } from '../src/text/catalogue.ts';
import { KeyDispatcher } from '../src/ui/keys/dispatcher.tsx';
import { TerminalLook } from '../src/ui/look.tsx';
import type { OpenWizard, WizardStart } from '../src/wizard/front-end.ts';
import type { KeyEvent } from '../src/wizard/key-event.ts';
import { Opening } from './opening.tsx';

/** Takes the terminal and draws the first frame, before the wizard's own modules are loaded. */
export const openWizard: OpenWizard = (opening) => {
  const look = capabilitiesOf(process.env, process.stdin, process.stdout);
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
  });
  const waiting: KeyEvent[] = [];
  let onKey = (event: KeyEvent): void => {
    waiting.push(event);
  };
  const shown = holder(<Opening dir={opening.dir} isRehearsal={opening.isRehearsal} />);
  const app = renderApp(
    <KeyDispatcher onKey={(event) => onKey(event)}>
      <TerminalLook look={look}>
        <Shown tree={shown} />
      </TerminalLook>
    </KeyDispatcher>,
    { lifecycle, isForScreenReader: opening.isForScreenReader },
  );
  const close = async () => {
    app.unmount();
    await app.done;
  };
  return {
    close,
    async run(given) {
      options = given;
      const { startApp } = await import('./start.tsx');
      const running = startApp(given, { onRedraw: () => void app.redraw(), onStop: () => void app.stop(), size });
      save = running.save;
      abort.signal.addEventListener('abort', running.stop);
      shown.put(running.tree);
      onKey = running.onKey;
      // Keys typed while the program was loading come first, in their order.
      for (const event of waiting.splice(0)) onKey(event);
      const how = await running.ended;
      running.stop();
      await close();
      return how;
    },
  };
};

/** A stream without a size, such as a pipe, gets the usual one. */
const size = () => ({ columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 });

interface Holder {
  readonly get: () => ReactNode;
  readonly put: (tree: ReactNode) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

/** Holds the drawn tree, so that the first frame can give way to the wizard on the same terminal. */
function holder(first: ReactNode): Holder {
  let tree = first;
  const listeners = new Set<() => void>();
  return {
    get: () => tree,
    put(next) {
      tree = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function Shown({ tree }: { readonly tree: Holder }) {
  return useSyncExternalStore(tree.subscribe, tree.get);
}
