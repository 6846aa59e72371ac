import { type Instance, render, useApp } from 'ink';
import { type ReactNode, useEffect } from 'react';
import { type InputHandlers, joinEscapeSequences, MOUSE_OFF, MOUSE_ON, type WheelStep } from './input-stream.ts';
import { canBeResumed, createJobStop, stopProcess } from './job-control.ts';
import type { Lifecycle } from './lifecycle.ts';
import { type TakenTerminal, takeTerminal } from './take-terminal.ts';

/** Options of `renderApp`. */
interface RenderAppOptions {
  readonly lifecycle: Lifecycle;
  /** The terminal, if it shows a first frame already. */
  readonly terminal?: TakenTerminal;
  /** Whether Unicode symbols may be written; called for each frame. */
  readonly hasUnicode?: () => boolean;
  readonly handlers?: Pick<InputHandlers, 'onBegin' | 'onColumn' | 'onBackground'>;
  /**
   * Receives the steps of the mouse wheel. With it, the wizard takes the mouse; without it, the mouse stays with the
   * terminal.
   */
  readonly onWheel?: (step: WheelStep) => void;
}

/** An app on the full screen. */
export interface RunningApp {
  /** Resolves when the app is unmounted; an error while rendering ends the process through the lifecycle instead. */
  readonly exit: Promise<void>;
  unmount(): void;
  /** Redraws everything: other programs may have written to the screen. */
  redraw(): void;
  /** Restores the terminal and stops the process, as Ctrl-Z does in other programs; `fg` continues it. */
  stop(): Promise<void>;
  /** Releases the terminal for `task` (an editor, a pager, ssh) and redraws afterwards. */
  suspendDuring(task: () => Promise<void>): Promise<void>;
}

type SuspendTerminal = ReturnType<typeof useApp>['suspendTerminal'];

/** Dragging a window changes its size many times a second: after this long without a change the size is final. */
const RESIZE_DEBOUNCE_MS = 100;
/** Cursor home, screen cleared. */
const CLEAR_SCREEN = '\u001b[H\u001b[2J';

/** Draws the tree on the whole terminal until it is unmounted. Input and output must be terminals. */
export function renderApp(
  tree: ReactNode,
  { lifecycle, hasUnicode = () => true, terminal = takeTerminal(hasUnicode), handlers, onWheel }: RenderAppOptions,
): RunningApp {
  let suspend: SuspendTerminal | null = null;
  const app = (
    <AppHandle
      onReady={(suspendApp) => {
        const isFirst = suspend === null;
        suspend = suspendApp;
        if (isFirst && wasStopped) void stop();
      }}
    >
      {tree}
    </AppHandle>
  );
  let instance: Instance | null = null;
  const { output } = terminal;
  const redraw = () => {
    if (instance === null || isStopped) return;
    instance.clear();
    process.stdout.write(CLEAR_SCREEN);
    output.reset();
    instance.rerender(app);
  };
  const suspendDuring = async (task: () => Promise<void>) => {
    if (suspend) await suspend(task);
    else await task();
  };
  let isStopped = false;
  const stopJob = createJobStop(suspendDuring, stopProcess);
  const stop = async () => {
    if (!canBeResumed()) return;
    isStopped = true;
    isStopped = await stopJob();
  };
  terminal.setRedraw(redraw);
  const stopWatching = watchTerminal({ redraw, stop: () => void stop() });
  const wasStopped = terminal.releaseStopSignals();
  const inkInstance = render(app, {
    stdin: joinEscapeSequences(process.stdin, {
      ...handlers,
      ...(onWheel ? createMouseHandlers(lifecycle, onWheel, handlers) : {}),
    }),
    stdout: output.stream,
    // A `CI` variable on a real terminal must not turn drawing off.
    interactive: true,
    alternateScreen: true,
    // A screen reader would read every redraw again: it gets lines, from another front end.
    isScreenReaderEnabled: false,
    incrementalRendering: true,
    exitOnCtrlC: false,
    patchConsole: true,
    maxFps: 30,
  });
  instance = inkInstance;
  lifecycle.attach(inkInstance);
  const exit = inkInstance.waitUntilExit().then(
    () => stopWatching(),
    (error: unknown) => lifecycle.end({ kind: 'crash', error }, 1),
  );
  return {
    exit,
    unmount: () => {
      stopWatching();
      inkInstance.unmount();
    },
    redraw,
    stop,
    suspendDuring,
  };
}

/** Takes the mouse only while the keyboard is taken, so that every exit releases it. */
function createMouseHandlers(
  lifecycle: Lifecycle,
  onWheel: (step: WheelStep) => void,
  handlers: RenderAppOptions['handlers'],
): InputHandlers {
  const write = (sequence: string) => {
    if (lifecycle.isTerminalAlive()) process.stdout.write(sequence);
  };
  return {
    onWheel,
    onBegin() {
      write(MOUSE_ON);
      handlers?.onBegin?.();
    },
    onEnd: () => write(MOUSE_OFF),
  };
}

/**
 * Handles resizes and stops of the terminal. Ink draws the differences from the last frame, and a terminal that was
 * resized quickly shows something else than Ink assumes: when the size is final, everything is redrawn. A stop signal
 * from outside restores the terminal first, as Ctrl-Z does.
 */
function watchTerminal({ redraw, stop }: { readonly redraw: () => void; readonly stop: () => void }): () => void {
  let timer: NodeJS.Timeout | undefined;
  const onResize = () => {
    clearTimeout(timer);
    timer = setTimeout(redraw, RESIZE_DEBOUNCE_MS);
  };
  // Listens to the signal, because the stream emits no event if the size is the same again, although the terminal may
  // have cut its lines.
  process.on('SIGWINCH', onResize);
  process.on('SIGTSTP', stop);
  return () => {
    clearTimeout(timer);
    process.off('SIGWINCH', onResize);
    process.off('SIGTSTP', stop);
  };
}

function AppHandle({
  onReady,
  children,
}: {
  readonly onReady: (suspend: SuspendTerminal) => void;
  readonly children: ReactNode;
}) {
  const { suspendTerminal } = useApp();
  useEffect(() => onReady(suspendTerminal), [onReady, suspendTerminal]);
  return <>{children}</>;
}
