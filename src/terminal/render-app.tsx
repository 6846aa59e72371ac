import { type Instance, render, useApp } from 'ink';
import { type ReactNode, useEffect } from 'react';
import { type Listening, wholeSequences } from './input-stream.ts';
import type { Lifecycle } from './lifecycle.ts';
import { MOUSE_OFF, MOUSE_ON, type WheelStep } from './mouse.ts';
import { compactOutput, neverBlock } from './output-stream.ts';
import { canBeContinued, stopProcess } from './stop.ts';

export interface RenderAppOptions {
  readonly lifecycle: Lifecycle;
  /** Typographic signs may be written; asked for each frame. */
  readonly hasUnicode?: () => boolean;
  readonly listening?: Pick<Listening, 'onBegin' | 'onColumn'>;
  /** Takes the steps of the mouse wheel, and with them the mouse; absent: the mouse stays the terminal's own. */
  readonly onWheel?: (step: WheelStep) => void;
}

export interface RunningApp {
  /** Settles when the app is unmounted; a throw while rendering ends the process through the lifecycle instead. */
  readonly done: Promise<void>;
  unmount(): void;
  /** Redraws everything: other programs may have written on the screen. */
  redraw(): void;
  /** Stops the process as Ctrl-Z does elsewhere, with the terminal in order; `fg` goes on. */
  stop(): Promise<void>;
  /** Lends the terminal to `task` (an editor, a pager, ssh) and redraws when it is done. */
  lend(task: () => Promise<void>): Promise<void>;
}

type Suspend = ReturnType<typeof useApp>['suspendTerminal'];

/** A window that is being dragged changes its size many times a second: after that long without a change it stands. */
const SETTLED_MS = 100;
/** Home, and nothing on the screen. */
const EMPTY_SCREEN = '\u001b[H\u001b[2J';

/** Draws the tree on the whole terminal until the process ends. Both ends must be terminals. */
export function renderApp(
  tree: ReactNode,
  { lifecycle, hasUnicode = () => true, listening, onWheel }: RenderAppOptions,
): RunningApp {
  let suspend: Suspend | null = null;
  const whole = (
    <AppHandle
      onReady={(ready) => {
        suspend = ready;
      }}
    >
      {tree}
    </AppHandle>
  );
  // The cursor's library writes to the other one on the way out.
  for (const stream of [process.stdout, process.stderr]) neverBlock(stream);
  let instance: Instance | null = null;
  const redraw = () => {
    if (instance === null || isStopped) return;
    instance.clear();
    process.stdout.write(EMPTY_SCREEN);
    instance.rerender(whole);
  };
  const lend = async (task: () => Promise<void>) => {
    if (suspend) await suspend(task);
    else await task();
  };
  let isStopped = false;
  const stop = async () => {
    if (isStopped || !canBeContinued()) return;
    isStopped = true;
    await lend(stopProcess);
    isStopped = false;
  };
  // Before the first frame: who sees it may stop us.
  const release = keepInOrder({ redraw, stop: () => void stop() });
  // Ink would do it after the first frame: what is typed in between would be echoed, and scroll it.
  if (process.stdin.isTTY) process.stdin.setRawMode(true);
  const drawn = render(whole, {
    stdin: wholeSequences(process.stdin, { ...listening, ...(onWheel ? mouse(lifecycle, onWheel, listening) : {}) }),
    stdout: compactOutput(process.stdout, { hasUnicode, onCaughtUp: redraw }),
    // A `CI` variable on a real terminal must not turn drawing off.
    interactive: true,
    alternateScreen: true,
    // What is drawn again would be read again: a screen reader gets lines, from another front end.
    isScreenReaderEnabled: false,
    incrementalRendering: true,
    exitOnCtrlC: false,
    patchConsole: true,
    maxFps: 30,
  });
  instance = drawn;
  lifecycle.attach(drawn);
  const done = drawn.waitUntilExit().then(
    () => release(),
    (error: unknown) => lifecycle.end({ kind: 'crash', error }, 1),
  );
  return {
    done,
    unmount: () => {
      release();
      drawn.unmount();
    },
    redraw,
    stop,
    lend,
  };
}

/** The mouse is taken as long as the keyboard is, and so is given back on every way out. */
function mouse(
  lifecycle: Lifecycle,
  onWheel: (step: WheelStep) => void,
  listening: RenderAppOptions['listening'],
): Listening {
  const write = (sequence: string) => {
    if (lifecycle.isTerminalAlive()) process.stdout.write(sequence);
  };
  return {
    onWheel,
    onBegin() {
      write(MOUSE_ON);
      listening?.onBegin?.();
    },
    onEnd: () => write(MOUSE_OFF),
  };
}

/**
 * Listens to what happens to a terminal. Ink draws what changed since the last frame, and a terminal whose window changed
 * quickly shows something else than it believes: when the window stands, all is drawn anew. A stop that comes from outside
 * leaves the terminal in order as Ctrl-Z does.
 */
function keepInOrder({ redraw, stop }: { readonly redraw: () => void; readonly stop: () => void }): () => void {
  let timer: NodeJS.Timeout | undefined;
  const onResize = () => {
    clearTimeout(timer);
    timer = setTimeout(redraw, SETTLED_MS);
  };
  // The signal, because the stream is silent when the size is the same again, and the terminal may have cut its lines.
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
  readonly onReady: (suspend: Suspend) => void;
  readonly children: ReactNode;
}) {
  const { suspendTerminal } = useApp();
  useEffect(() => onReady(suspendTerminal), [onReady, suspendTerminal]);
  return <>{children}</>;
}
