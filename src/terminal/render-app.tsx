import { render, useApp } from 'ink';
import { type ReactNode, useEffect } from 'react';
import { capabilitiesOf } from './capabilities.ts';
import { wholeSequences } from './input-stream.ts';
import type { Lifecycle } from './lifecycle.ts';
import { compactOutput } from './output-stream.ts';

export interface RenderAppOptions {
  readonly lifecycle: Lifecycle;
  /** Linear text for a screen reader, on the ordinary screen. */
  readonly isForScreenReader?: boolean;
}

export interface RunningApp {
  /** Settles when the app is unmounted; a throw while rendering ends the process through the lifecycle instead. */
  readonly done: Promise<void>;
  unmount(): void;
  /** Redraws everything: other programs may have written on the screen. */
  redraw(): Promise<void>;
  /** Stops the process as Ctrl-Z does elsewhere, with the terminal in order; `fg` goes on. */
  stop(): Promise<void>;
  /** Lends the terminal to `task` (an editor, a pager, ssh) and redraws when it is done. */
  lend(task: () => Promise<void>): Promise<void>;
}

type Suspend = ReturnType<typeof useApp>['suspendTerminal'];

/** How long to wait for the stop to take effect: where there is no job control it never does. */
const STOP_MS = 200;

/** Draws the tree on the whole terminal until the process ends. Both ends must be terminals. */
export function renderApp(tree: ReactNode, { lifecycle, isForScreenReader = false }: RenderAppOptions): RunningApp {
  let suspend: Suspend | null = null;
  const instance = render(
    <AppHandle
      onReady={(ready) => {
        suspend = ready;
      }}
    >
      {tree}
    </AppHandle>,
    {
      stdin: wholeSequences(process.stdin),
      stdout: compactOutput(process.stdout, capabilitiesOf(process.env, process.stdin, process.stdout)),
      // A `CI` variable on a real terminal must not turn drawing off.
      interactive: true,
      alternateScreen: !isForScreenReader,
      isScreenReaderEnabled: isForScreenReader,
      incrementalRendering: true,
      exitOnCtrlC: false,
      patchConsole: true,
      maxFps: 30,
    },
  );
  lifecycle.attach(instance);
  const done = instance.waitUntilExit().then(
    () => undefined,
    (error: unknown) => lifecycle.end({ kind: 'crash', error }, 1),
  );
  const lend = async (task: () => Promise<void>) => {
    if (suspend) await suspend(task);
    else await task();
  };
  return {
    done,
    unmount: () => instance.unmount(),
    redraw: () => lend(() => Promise.resolve()),
    stop: () => lend(stopProcess),
    lend,
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

/** Stops the whole job, as the shell expects it; the timer also keeps the process alive, since its input is let go. */
function stopProcess(): Promise<void> {
  return new Promise((resolve) => {
    const goOn = () => {
      clearTimeout(timer);
      process.off('SIGCONT', goOn);
      resolve();
    };
    const timer = setTimeout(goOn, STOP_MS);
    process.once('SIGCONT', goOn);
    process.kill(0, 'SIGTSTP');
  });
}
