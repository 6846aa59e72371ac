import { type ReactNode, useSyncExternalStore } from 'react';
import { rememberedWidth, rememberWidth, WIDTH_QUESTION, widthOfReport } from '../../src/terminal/ambiguous-width.ts';
import { type Capabilities, capabilitiesOf } from '../../src/terminal/capabilities.ts';
import { clipboardSequence } from '../../src/terminal/clipboard.ts';
import { installLifecycle } from '../../src/terminal/lifecycle.ts';
import { reportsMouse } from '../../src/terminal/mouse.ts';
import { renderApp } from '../../src/terminal/render-app.tsx';
import { windowTitle } from '../../src/terminal/title.ts';
import { commandLine } from '../../src/text/catalogue.ts';
import { KeyDispatcher } from '../../src/ui/keys/dispatcher.tsx';
import { TerminalLook } from '../../src/ui/look.tsx';
import type { OpenWizard, WizardStart } from '../../src/wizard/front-end.ts';
import type { KeyEvent } from '../../src/wizard/typing/key-event.ts';
import { Opening } from './opening.tsx';

/** Takes the terminal and draws the first frame, before the wizard's own modules are loaded. */
export const openWizard: OpenWizard = (opening) => {
  const terminal = capabilitiesOf(process.env, process.stdin, process.stdout);
  const measured = measuredLook(terminal);
  const abort = new AbortController();
  let options: WizardStart | null = null;
  let save = () => {};
  const title = windowTitle(process.env.TERM ?? '', (sequence) => process.stdout.write(sequence));
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
    restoring: title.restoring,
  });
  const waiting: KeyEvent[] = [];
  let onKey = (event: KeyEvent): void => {
    waiting.push(event);
  };
  const shown = holder(<Opening dir={opening.dir} isRehearsal={opening.isRehearsal} />);
  const app = renderApp(
    <KeyDispatcher onKey={(event) => onKey(event)}>
      <MeasuredLook look={measured}>
        <Shown tree={shown} />
      </MeasuredLook>
    </KeyDispatcher>,
    {
      lifecycle,
      hasUnicode: () => measured.get().hasUnicode,
      ...(opening.hasMouse && reportsMouse(process.env.TERM ?? '')
        ? { onWheel: (step) => onKey({ kind: 'key', name: `wheel-${step}` }) }
        : {}),
      listening: {
        // Once, after the first frame.
        onBegin: () => measured.ask(),
        onColumn: (column) => measured.answer(column) && app.redraw(),
      },
    },
  );
  const close = async () => {
    app.unmount();
    await app.done;
    process.stdout.write(title.restoring());
  };
  /** Puts something else on the terminal; keys that come before it is there are for it. */
  const put = (shownNow: { readonly tree: ReactNode; readonly onKey: (event: KeyEvent) => void }) => {
    shown.put(shownNow.tree);
    onKey = forTerminal(shownNow.onKey);
  };
  const forTerminal = (take: (event: KeyEvent) => void) => (event: KeyEvent) => {
    if (event.kind === 'key' && event.name === 'ctrl-l') void app.redraw();
    else if (event.kind === 'key' && event.name === 'ctrl-z') void app.stop();
    else take(event);
  };
  return {
    close,
    options: [...(opening.hasBell ? [] : ['--no-bell']), ...(opening.hasMouse ? [] : ['--no-mouse'])],
    async ask(page) {
      const { startHolderPage } = await import('../holder.tsx');
      const asking = startHolderPage(page);
      // Keys typed before the page was there were meant for something else.
      waiting.length = 0;
      put(asking);
      return await asking.answered;
    },
    async watch(viewed) {
      const { startViewer } = await import('./viewer.tsx');
      const viewer = startViewer(viewed);
      put(viewer);
      return await viewer.ended();
    },
    async run(given) {
      options = given;
      const { startApp } = await import('./start.tsx');
      const running = startApp(given, {
        onRedraw: app.redraw,
        onStop() {
          process.stdout.write(title.restoring());
          void app.stop();
        },
        size,
        setTitle: title.set,
        copy: (text) => process.stdout.write(clipboardSequence(text, process.env)),
        ring: () => opening.hasBell && process.stdout.write(BELL),
      });
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

const BELL = '\u0007';

/** A stream without a size, such as a pipe, gets the usual one. */
const size = () => ({ columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 });

interface Measured {
  readonly get: () => Capabilities;
  /** Asks the terminal, once. */
  readonly ask: () => void;
  /** Takes a report of the cursor's column; true when the look is another one now. */
  readonly answer: (column: number) => boolean;
  readonly subscribe: (listener: () => void) => () => void;
}

/** What the terminal can show: without typographic signs where those take two cells, as it said now or the last time. */
function measuredLook(terminal: Capabilities): Measured {
  const listeners = new Set<() => void>();
  const lookOf = (isWide: boolean) => ({ ...terminal, hasUnicode: terminal.hasUnicode && !isWide });
  let look = lookOf(rememberedWidth(process.env) === 'wide');
  let isAsked = !terminal.hasUnicode || !terminal.canAnimate;
  return {
    get: () => look,
    ask() {
      if (!isAsked) process.stdout.write(WIDTH_QUESTION);
      isAsked = true;
    },
    answer(column) {
      const width = widthOfReport(column);
      if (width === null) return false;
      rememberWidth(process.env, width);
      const next = lookOf(width === 'wide');
      if (next.hasUnicode === look.hasUnicode) return false;
      look = next;
      for (const listener of listeners) listener();
      return true;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function MeasuredLook({ look, children }: { readonly look: Measured; readonly children: ReactNode }) {
  return <TerminalLook look={useSyncExternalStore(look.subscribe, look.get)}>{children}</TerminalLook>;
}

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
