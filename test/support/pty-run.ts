import { type IPty, spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { shellPath } from './shell-path.ts';

export interface PtyRun {
  readonly pty: IPty;
  /** Everything that the program wrote. */
  output(): string;
  /** The screen as a person sees it now. */
  screen(): string;
  isAlternate(): boolean;
  /** The rows, from 0, that hold what did not fit into the row above: the screens never write past the edge. */
  overflown(): number[];
  /** Where the real cursor stands, from 0. */
  cursor(): { readonly x: number; readonly y: number };
  resize(cols: number, rows: number): void;
  /** Waits until `isTrue` holds, looking again after each output. */
  until(isTrue: () => boolean, what: string): Promise<void>;
  readonly exit: Promise<{ readonly exitCode: number; readonly signal?: number }>;
}

/** Closes the master side, as sshd does when the line drops. */
export function hangUp(pty: IPty): void {
  if (!('destroy' in pty) || typeof pty.destroy !== 'function') throw new Error('this pty cannot be closed');
  pty.destroy();
}

const BEGIN_UPDATE = '\u001b[?2026h';
const END_UPDATE = '\u001b[?2026l';

/** What was read at once, cut behind each frame. */
const framesOf = (data: string) =>
  data
    .split(END_UPDATE)
    .map((piece, index, all) => (index + 1 < all.length ? piece + END_UPDATE : piece))
    .filter((frame) => frame);

/** Ends a program that hangs, and reports its screen. */
const PATIENCE_MS = Number(process.env.PATIENCE ?? 300) * 1000;

/** Runs a program on a real pty, with a terminal emulator at its other end. */
export function runOnPty(
  file: string,
  args: readonly string[],
  options: {
    readonly cols?: number;
    readonly rows?: number;
    readonly env?: Readonly<Record<string, string>>;
    readonly cwd?: string;
  } = {},
): PtyRun {
  const { cols = 80, rows = 24, env = {}, cwd = process.cwd() } = options;
  const terminal = new xterm.Terminal({ cols, rows, allowProposedApi: true });
  const base = { PATH: shellPath(), HOME: process.env.HOME ?? '', TERM: 'xterm-256color', LANG: 'C.UTF-8' };
  const pty = spawn(file, [...args], { cols, rows, cwd, env: { ...base, ...env } });
  let output = '';
  let drawn = '';
  let drawing = Promise.resolve();
  // Between the two marks of a synchronised update the screen is half of one frame and half of the next: nobody sees that.
  const isWhole = () => drawn.lastIndexOf(BEGIN_UPDATE) <= drawn.lastIndexOf(END_UPDATE);
  const waiting = new Set<() => void>();
  const look = () => {
    for (const check of [...waiting]) check();
  };
  // One frame at a time, and whoever waits goes on between two of them: on a busy machine many frames arrive
  // at once, and a screen that stood only for a while would never have been seen.
  const draw = async (frame: string) => {
    await new Promise<void>((resolve) => terminal.write(frame, resolve));
    drawn += frame;
    look();
    await new Promise(setImmediate);
  };
  pty.onData((data) => {
    output += data;
    for (const frame of framesOf(data)) drawing = drawing.then(() => draw(frame));
  });
  const exit = new Promise<{ exitCode: number; signal?: number }>((resolve) => {
    pty.onExit((result) => {
      drawing = drawing.then(() => resolve(result));
    });
  });
  const screen = () => {
    const { active } = terminal.buffer;
    return Array.from(
      { length: terminal.rows },
      (_, y) => active.getLine(active.baseY + y)?.translateToString(true) ?? '',
    )
      .join('\n')
      .trimEnd();
  };
  return {
    pty,
    output: () => output,
    screen,
    overflown() {
      const { active } = terminal.buffer;
      return Array.from({ length: terminal.rows }, (_, y) => y).filter(
        (y) => active.getLine(active.baseY + y)?.isWrapped,
      );
    },
    isAlternate: () => terminal.buffer.active.type === 'alternate',
    cursor: () => ({ x: terminal.buffer.active.cursorX, y: terminal.buffer.active.cursorY }),
    resize(width, height) {
      terminal.resize(width, height);
      pty.resize(width, height);
    },
    exit,
    until(isTrue, what) {
      return new Promise((resolve, reject) => {
        const check = () => {
          if (!isWhole() || !isTrue()) return;
          clearTimeout(timer);
          waiting.delete(check);
          resolve();
        };
        const timer = setTimeout(() => {
          waiting.delete(check);
          reject(new Error(`not seen: ${what}\n${screen()}\n${JSON.stringify(output.slice(-2000))}`));
        }, PATIENCE_MS);
        waiting.add(check);
        check();
      });
    },
  };
}
