import { type ReactNode, useSyncExternalStore } from 'react';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { startMemoryRelease } from '../../src/platform/memory.ts';
import { formatClipboardSequence, formatNotification, type WindowTitle } from '../../src/terminal/control-strings.ts';
import { supportsMouse } from '../../src/terminal/input-stream.ts';
import type { Lifecycle } from '../../src/terminal/lifecycle.ts';
import type { MeasuredStyle } from '../../src/terminal/measured-style.ts';
import { renderApp } from '../../src/terminal/render-app.tsx';
import { getOutputSize, type TakenTerminal } from '../../src/terminal/take-terminal.ts';
import { KeyDispatcher } from '../../src/ui/keys.tsx';
import { DrawnRows } from '../../src/ui/rows.tsx';
import { SizedTerminalStyleProvider } from '../../src/ui/terminal-style.tsx';
import type { FrontEndHandle, StartupOptions, WizardRunOptions } from '../../src/wizard/front-end.ts';
import type { KeyEvent } from '../../src/wizard/text-input.ts';
import { startupRows } from './startup-frame.ts';

/**
 * The terminal, which already shows the first frame, and the objects that save the session and restore the terminal
 * when the program ends.
 */
export interface OpenedTerminal {
  readonly startup: StartupOptions;
  readonly terminal: TakenTerminal;
  readonly lifecycle: Lifecycle;
  /** Aborted when the program ends. */
  readonly abortController: AbortController;
  readonly title: WindowTitle;
  readonly measuredStyle: MeasuredStyle;
  /** The running wizard, which is saved when the program ends. */
  readonly currentWizard: { options: WizardRunOptions | null; save: () => void };
}

/** Mounts the screens on the opened terminal. Until the wizard runs, the startup frame stays visible. */
export function mountScreens({
  startup,
  terminal,
  lifecycle,
  abortController: abort,
  title,
  measuredStyle,
  currentWizard,
}: OpenedTerminal): FrontEndHandle {
  const queuedKeys: KeyEvent[] = [];
  let onKey = (event: KeyEvent): void => {
    queuedKeys.push(event);
  };
  const treeStore = createTreeStore(<DrawnRows draw={(size) => startupRows(startup, size)} />);
  const app = renderApp(
    <KeyDispatcher onKey={(event) => onKey(event)}>
      <MeasuredStyleProvider measuredStyle={measuredStyle}>
        <CurrentTree store={treeStore} />
      </MeasuredStyleProvider>
    </KeyDispatcher>,
    {
      lifecycle,
      terminal,
      ...(startup.hasMouse && supportsMouse(process.env.TERM ?? '')
        ? { onWheel: (step) => onKey({ kind: 'key', name: `wheel-${step}` }) }
        : {}),
      handlers: {
        // Queries the terminal once, after the first frame.
        onBegin: () => measuredStyle.query(),
        onColumn: (column) => measuredStyle.recordColumn(column) && app.redraw(),
        onBackground: (colour) => measuredStyle.recordBackground(colour),
      },
    },
  );
  const close = async () => {
    app.unmount();
    await app.exit;
    process.stdout.write(title.createRestoreSequence());
    lifecycle.release();
  };
  /** Shows another view on the terminal. Keys go to that view at once, even before it is drawn. */
  const show = (view: { readonly tree: ReactNode; readonly onKey: (event: KeyEvent) => void }) => {
    treeStore.set(view.tree);
    onKey = withTerminalKeys(view.onKey);
  };
  const withTerminalKeys = (handler: (event: KeyEvent) => void) => (event: KeyEvent) => {
    if (event.kind === 'key' && event.name === 'ctrl-l') void app.redraw();
    else if (event.kind === 'key' && event.name === 'ctrl-z') void app.stop();
    else handler(event);
  };
  return {
    close,
    options: [
      ...(startup.hasBell ? [] : ['--no-bell']),
      ...(startup.hasMouse ? [] : ['--no-mouse']),
      ...(startup.hasNotifications ? ['--notify'] : []),
    ],
    async ask(page) {
      const { startHolderPage } = await import('../holder.tsx');
      const holderPage = startHolderPage(page);
      // Keys typed before the page appeared were meant for something else.
      queuedKeys.length = 0;
      show(holderPage);
      return await holderPage.whenAnswered;
    },
    async watch(viewedSession) {
      const { startViewer } = await import('./start.tsx');
      const viewer = startViewer(viewedSession);
      show(viewer);
      return await viewer.waitForExit();
    },
    async run(runOptions) {
      currentWizard.options = runOptions;
      const { startApp } = await import('./start.tsx');
      const wizard = startApp(runOptions, {
        redraw: app.redraw,
        suspend() {
          process.stdout.write(title.createRestoreSequence());
          void app.stop();
        },
        getSize: () => ({ ...measuredStyle.get(), ...getOutputSize() }),
        setTitle: title.set,
        copy: (text) => process.stdout.write(formatClipboardSequence(text, process.env)),
        ring: () => startup.hasBell && process.stdout.write(BELL),
        notify: startup.hasNotifications
          ? (text) => process.stdout.write(formatNotification(catalogue().ui.product, text, process.env))
          : null,
      });
      currentWizard.save = wizard.save;
      abort.signal.addEventListener('abort', wizard.stop);
      treeStore.set(wizard.tree);
      const runEnd = new AbortController();
      const memoryRelease = startMemoryRelease(systemClock, AbortSignal.any([runEnd.signal, abort.signal]));
      onKey = (event) => {
        memoryRelease.recordKey();
        wizard.onKey(event);
      };
      // Keys typed while the program was loading come first, in their order.
      for (const event of queuedKeys.splice(0)) onKey(event);
      const leaveReason = await wizard.exit;
      runEnd.abort();
      wizard.stop();
      await close();
      return leaveReason;
    },
  };
}

const BELL = '\u0007';

function MeasuredStyleProvider({
  measuredStyle: style,
  children,
}: {
  readonly measuredStyle: MeasuredStyle;
  readonly children: ReactNode;
}) {
  return (
    <SizedTerminalStyleProvider fixedStyle={useSyncExternalStore(style.subscribe, style.get)}>
      {children}
    </SizedTerminalStyleProvider>
  );
}

interface TreeStore {
  readonly get: () => ReactNode;
  readonly set: (tree: ReactNode) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

/** Creates a store for the drawn tree: the wizard sets its tree to replace the startup frame on the same terminal. */
function createTreeStore(initialTree: ReactNode): TreeStore {
  let tree = initialTree;
  const listeners = new Set<() => void>();
  return {
    get: () => tree,
    set(newTree) {
      tree = newTree;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function CurrentTree({ store }: { readonly store: TreeStore }) {
  return useSyncExternalStore(store.subscribe, store.get);
}
