import { type ReactNode, useSyncExternalStore } from 'react';
import { catalogue, commandLine } from '../../src/i18n/catalogue.ts';
import type { Background } from '../../src/platform/theme.ts';
import { detectCapabilities, type TerminalCapabilities } from '../../src/terminal/capabilities.ts';
import { supportsMouse } from '../../src/terminal/input-stream.ts';
import { installLifecycle } from '../../src/terminal/lifecycle.ts';
import { formatNotification } from '../../src/terminal/notification.ts';
import { createWindowTitle, formatClipboardSequence, hasControlStrings } from '../../src/terminal/output-stream.ts';
import { renderApp } from '../../src/terminal/render-app.tsx';
import {
  BACKGROUND_QUERY,
  detectBackground,
  parseBackgroundReport,
  parseWidthReport,
  readSavedReports,
  saveReport,
  WIDTH_QUERY,
} from '../../src/terminal/terminal-reports.ts';
import { KeyDispatcher } from '../../src/ui/keys.tsx';
import { DrawnRows } from '../../src/ui/rows.tsx';
import { SizedTerminalStyleProvider } from '../../src/ui/terminal-style.tsx';
import type { OpenFrontEnd, WizardRunOptions } from '../../src/wizard/front-end.ts';
import type { KeyEvent } from '../../src/wizard/typing.ts';
import { startupRows } from './startup-frame.ts';

/** Takes the terminal and draws the first frame, before the wizard's own modules are loaded. */
export const openScreens: OpenFrontEnd = (startup) => {
  const terminal = detectCapabilities(process.env, process.stdin, process.stdout);
  const measuredStyle = createMeasuredStyle(terminal);
  const abort = new AbortController();
  let options: WizardRunOptions | null = null;
  let save = () => {};
  const title = createWindowTitle(process.env.TERM ?? '', (sequence) => process.stdout.write(sequence));
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
    restoreSequences: title.restoreSequence,
  });
  const queuedKeys: KeyEvent[] = [];
  let onKey = (event: KeyEvent): void => {
    queuedKeys.push(event);
  };
  const treeStore = createTreeStore(<DrawnRows draw={(size) => startupRows(startup, size)} />);
  const app = renderApp(
    <KeyDispatcher onKey={(event) => onKey(event)}>
      <MeasuredStyleProvider look={measuredStyle}>
        <CurrentTree tree={treeStore} />
      </MeasuredStyleProvider>
    </KeyDispatcher>,
    {
      lifecycle,
      hasUnicode: () => measuredStyle.get().hasUnicode,
      ...(startup.hasMouse && supportsMouse(process.env.TERM ?? '')
        ? { onWheel: (step) => onKey({ kind: 'key', name: `wheel-${step}` }) }
        : {}),
      handlers: {
        // Queries the terminal once, after the first frame.
        onBegin: () => measuredStyle.query(),
        onColumn: (column) => measuredStyle.handleColumn(column) && app.redraw(),
        onBackground: (colour) => measuredStyle.handleBackground(colour),
      },
    },
  );
  const close = async () => {
    app.unmount();
    await app.done;
    process.stdout.write(title.restoreSequence());
  };
  /** Shows another view on the terminal. Keys go to it at once, even before it is drawn. */
  const show = (view: { readonly tree: ReactNode; readonly onKey: (event: KeyEvent) => void }) => {
    treeStore.set(view.tree);
    onKey = handleTerminalKeys(view.onKey);
  };
  const handleTerminalKeys = (handler: (event: KeyEvent) => void) => (event: KeyEvent) => {
    if (event.kind === 'key' && event.name === 'ctrl-l') void app.redraw();
    else if (event.kind === 'key' && event.name === 'ctrl-z') void app.stop();
    else handler(event);
  };
  return {
    close,
    options: [
      ...(startup.hasBell ? [] : ['--no-bell']),
      ...(startup.hasMouse ? [] : ['--no-mouse']),
      ...(startup.notifies ? ['--notify'] : []),
    ],
    async ask(page) {
      const { startHolderPage } = await import('../holder.tsx');
      const holderPage = startHolderPage(page);
      // Keys typed before the page appeared were meant for something else.
      queuedKeys.length = 0;
      show(holderPage);
      return await holderPage.answered;
    },
    async watch(viewed) {
      const { startViewer } = await import('./start.tsx');
      const viewer = startViewer(viewed);
      show(viewer);
      return await viewer.waitForExit();
    },
    async run(runOptions) {
      options = runOptions;
      const { startApp } = await import('./start.tsx');
      const wizard = startApp(runOptions, {
        onRedraw: app.redraw,
        onStop() {
          process.stdout.write(title.restoreSequence());
          void app.stop();
        },
        size: () => ({ ...measuredStyle.get(), ...getTerminalSize() }),
        setTitle: title.set,
        copy: (text) => process.stdout.write(formatClipboardSequence(text, process.env)),
        ring: () => startup.hasBell && process.stdout.write(BELL),
        notify: startup.notifies
          ? (text) => process.stdout.write(formatNotification(catalogue().ui.product, text, process.env))
          : null,
      });
      save = wizard.save;
      abort.signal.addEventListener('abort', wizard.stop);
      treeStore.set(wizard.tree);
      onKey = wizard.onKey;
      // Keys typed while the program was loading come first, in their order.
      for (const event of queuedKeys.splice(0)) onKey(event);
      const leaveReason = await wizard.exit;
      wizard.stop();
      await close();
      return leaveReason;
    },
  };
};

const BELL = '\u0007';

/** A stream without a size, such as a pipe, gets 80x24. */
const getTerminalSize = () => ({ columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 });

type MeasuredLook = TerminalCapabilities & { readonly background: Background };

interface MeasuredStyle {
  readonly get: () => MeasuredLook;
  /** Queries the terminal, once. */
  readonly query: () => void;
  /** Handles a report of the cursor's column; returns true if the style has changed. */
  readonly handleColumn: (column: number) => boolean;
  /** Handles a report of the background's colour. */
  readonly handleBackground: (colour: string) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

/** After this time, the colours no longer change: the user is reading. The report still serves the next start. */
const BACKGROUND_TIMEOUT_MS = 1_000;

/**
 * Creates the style of the terminal: its background, and whether typographic signs take two cells and are not used, as
 * reported now or on the last start.
 */
function createMeasuredStyle(terminal: TerminalCapabilities): MeasuredStyle {
  const listeners = new Set<() => void>();
  const saved = readSavedReports(process.env);
  const background = detectBackground(process.env, saved);
  let style: MeasuredLook = { ...terminal, hasUnicode: terminal.hasUnicode && saved.width !== 'wide', background };
  let isQueried = !terminal.canAnimate;
  let queriedAt = 0;
  const change = (next: MeasuredLook) => {
    style = next;
    for (const listener of listeners) listener();
  };
  return {
    get: () => style,
    query() {
      if (isQueried) return;
      isQueried = true;
      queriedAt = performance.now();
      if (style.hasColour && hasControlStrings(process.env.TERM ?? '')) process.stdout.write(BACKGROUND_QUERY);
      if (terminal.hasUnicode) process.stdout.write(WIDTH_QUERY);
    },
    handleColumn(column) {
      const width = parseWidthReport(column);
      if (width === null) return false;
      saveReport(process.env, { width });
      const hasUnicode = terminal.hasUnicode && width === 'narrow';
      if (hasUnicode === style.hasUnicode) return false;
      change({ ...style, hasUnicode });
      return true;
    },
    handleBackground(colour) {
      const reported = parseBackgroundReport(colour);
      if (reported === null) return;
      saveReport(process.env, { background: reported });
      const isInTime = performance.now() - queriedAt < BACKGROUND_TIMEOUT_MS;
      if (isInTime && reported !== style.background) change({ ...style, background: reported });
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function MeasuredStyleProvider({
  look: style,
  children,
}: {
  readonly look: MeasuredStyle;
  readonly children: ReactNode;
}) {
  return (
    <SizedTerminalStyleProvider look={useSyncExternalStore(style.subscribe, style.get)}>
      {children}
    </SizedTerminalStyleProvider>
  );
}

interface TreeStore {
  readonly get: () => ReactNode;
  readonly set: (tree: ReactNode) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

/** Holds the drawn tree, so that the wizard can replace the first frame on the same terminal. */
function createTreeStore(first: ReactNode): TreeStore {
  let tree = first;
  const listeners = new Set<() => void>();
  return {
    get: () => tree,
    set(next) {
      tree = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function CurrentTree({ tree }: { readonly tree: TreeStore }) {
  return useSyncExternalStore(tree.subscribe, tree.get);
}
