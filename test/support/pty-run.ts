import { type IPty, spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { getShellPath } from './shell-path.ts';

export interface PtyRun {
  readonly pty: IPty;
  /** Everything that the program wrote. */
  output(): string;
  /** The current screen as the user sees it. */
  screen(): string;
  isAlternate(): boolean;
  /** Rows, from 0, that hold text which did not fit into the row above. The screens never write past the edge. */
  findWrappedRows(): number[];
  /** Position of the real cursor, from 0. */
  cursor(): { readonly x: number; readonly y: number };
  resize(cols: number, rows: number): void;
  /** Waits until `isTrue` holds, with a check after each output. */
  waitUntil(isTrue: () => boolean, what: string): Promise<void>;
  readonly exit: Promise<{ readonly exitCode: number; readonly signal?: number }>;
}

/** Closes the master side, as sshd does when the connection drops. */
export function hangUp(pty: IPty): void {
  if (!('destroy' in pty) || typeof pty.destroy !== 'function') throw new Error('this pty cannot be closed');
  pty.destroy();
}

const BEGIN_UPDATE = '\u001b[?2026h';
const END_UPDATE = '\u001b[?2026l';

/** Splits data that was read at once, after each frame. */
const splitFrames = (data: string) =>
  data
    .split(END_UPDATE)
    .map((piece, index, all) => (index + 1 < all.length ? piece + END_UPDATE : piece))
    .filter((frame) => frame);

/** Limit of a wait: it ends a program that hangs, and reports its screen. */
const WAIT_TIMEOUT_MS = Number(process.env.PATIENCE ?? 300) * 1000;

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
  const base = { PATH: getShellPath(), HOME: process.env.HOME ?? '', TERM: 'xterm-256color', LANG: 'C.UTF-8' };
  const pty = spawn(file, [...args], { cols, rows, cwd, env: { ...base, ...env } });
  let output = '';
  let drawnOutput = '';
  let drawQueue = Promise.resolve();
  // Between the two marks of a synchronized update the screen mixes two frames, which no user sees.
  const isFrameComplete = () => drawnOutput.lastIndexOf(BEGIN_UPDATE) <= drawnOutput.lastIndexOf(END_UPDATE);
  const waiters = new Set<() => void>();
  const checkWaiters = () => {
    for (const check of [...waiters]) check();
  };
  // Draws one frame at a time and lets waiters run between two frames. On a busy host many frames arrive at once, and a
  // screen that stays only briefly would be missed.
  const draw = async (frame: string) => {
    await new Promise<void>((resolve) => terminal.write(frame, resolve));
    drawnOutput += frame;
    checkWaiters();
    await new Promise(setImmediate);
  };
  pty.onData((data) => {
    output += data;
    for (const frame of splitFrames(data)) drawQueue = drawQueue.then(() => draw(frame));
  });
  const exit = new Promise<{ exitCode: number; signal?: number }>((resolve) => {
    pty.onExit((result) => {
      drawQueue = drawQueue.then(() => resolve(result));
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
    findWrappedRows() {
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
    waitUntil(isTrue, what) {
      return new Promise((resolve, reject) => {
        const check = () => {
          if (!isFrameComplete() || !isTrue()) return;
          clearTimeout(timer);
          waiters.delete(check);
          resolve();
        };
        const timer = setTimeout(() => {
          waiters.delete(check);
          reject(new Error(`not seen: ${what}\n${screen()}\n${JSON.stringify(output.slice(-2000))}`));
        }, WAIT_TIMEOUT_MS);
        waiters.add(check);
        check();
      });
    },
  };
}
