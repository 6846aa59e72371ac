import { EventEmitter } from 'node:events';
import xterm, { type IBufferCell } from '@xterm/headless';
import { render } from 'ink';
import type { ReactNode } from 'react';
import { compactOutput } from '../../src/terminal/output-stream.ts';
import { asReadStream } from './streams.ts';

export interface MountedApp {
  /** Types `text` as one read of the terminal and waits until its effects are drawn. */
  press(text: string): Promise<void>;
  /** Presses Esc alone. Ink takes it for a key only after a pause without the rest of a sequence. */
  escape(): Promise<void>;
  /** The lines of the screen without trailing spaces, joined by newlines. */
  screen(): string;
  lines(): string[];
  /** Position of the real cursor, or null while it is hidden. */
  cursor(): { x: number; y: number } | null;
  cell(x: number, y: number): IBufferCell | undefined;
  resize(cols: number, rows: number): Promise<void>;
  rerender(tree: ReactNode): Promise<void>;
  /** Frames that Ink has composed so far, also those without a change. */
  frames(): number;
  /** Bytes written to the terminal so far. */
  bytes(): number;
  /** Everything written so far. */
  rawOutput(): string;
  /** Waits until everything rendered so far is drawn. */
  waitUntilDrawn(): Promise<void>;
  unmount(): Promise<void>;
}

/**
 * Draws a tree with Ink as the product does (alternate screen, incremental rendering) into a real terminal emulator, in
 * this process.
 */
export async function mount(tree: ReactNode, { cols = 80, rows = 24 } = {}): Promise<MountedApp> {
  const terminal = new xterm.Terminal({ cols, rows, allowProposedApi: true, convertEol: true });
  let output = '';
  let writeQueue = Promise.resolve();
  const stdout = Object.assign(new EventEmitter(), {
    isTTY: true,
    columns: cols,
    rows,
    writable: true,
    write(data: string | Uint8Array, encoding?: unknown, callback?: () => void) {
      const done = typeof encoding === 'function' ? (encoding as () => void) : callback;
      output += typeof data === 'string' ? data : Buffer.from(data).toString('utf8');
      writeQueue = writeQueue.then(() => new Promise<void>((resolve) => terminal.write(data, resolve)));
      void writeQueue.then(() => done?.());
      return true;
    },
  });
  const pending: string[] = [];
  const stdin = Object.assign(new EventEmitter(), {
    isTTY: true,
    setRawMode: () => stdin,
    setEncoding: () => stdin,
    ref: () => stdin,
    unref: () => stdin,
    read: () => pending.shift() ?? null,
  });
  const stream = compactOutput(stdout as NodeJS.WriteStream).stream;
  let frames = 0;
  const app = render(tree, {
    onRender: () => {
      frames += 1;
    },
    stdout: stream,
    stderr: stream,
    stdin: asReadStream(stdin),
    interactive: true,
    alternateScreen: true,
    incrementalRendering: true,
    exitOnCtrlC: false,
    patchConsole: false,
    maxFps: 1000,
  });
  const waitUntilDrawn = async () => {
    await app.waitUntilRenderFlush();
    // Effects that measure and draw once more run between two turns of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    await app.waitUntilRenderFlush();
    await writeQueue;
  };
  const lines = () =>
    Array.from(
      { length: terminal.rows },
      (_, y) => terminal.buffer.active.getLine(y)?.translateToString().trimEnd() ?? '',
    );
  await waitUntilDrawn();
  let tail = '';
  const press = async (text: string) => {
    tail = (tail + text).slice(-16);
    pending.push(text);
    stdin.emit('readable');
    // An unfinished sequence draws nothing. On a busy host, waiting would let its time run out.
    if (!/\u001b(?:\[[\d;]*|O)?$/.test(tail)) await waitUntilDrawn();
  };
  return {
    press,
    async escape() {
      await press('\u001b');
      tail = '';
      // Set after Ink's timer of 20 ms and due after it, so it also fires after it.
      await new Promise((resolve) => setTimeout(resolve, 25));
      await waitUntilDrawn();
    },
    lines,
    screen: () => lines().join('\n'),
    cursor() {
      const isHidden = output.lastIndexOf('\u001b[?25l') > output.lastIndexOf('\u001b[?25h');
      return isHidden ? null : { x: terminal.buffer.active.cursorX, y: terminal.buffer.active.cursorY };
    },
    cell: (x, y) => terminal.buffer.active.getLine(y)?.getCell(x),
    async resize(nextCols, nextRows) {
      terminal.resize(nextCols, nextRows);
      stdout.columns = nextCols;
      stdout.rows = nextRows;
      stdout.emit('resize');
      await waitUntilDrawn();
    },
    async rerender(next) {
      app.rerender(next);
      await waitUntilDrawn();
    },
    frames: () => frames,
    bytes: () => Buffer.byteLength(output),
    rawOutput: () => output,
    waitUntilDrawn,
    async unmount() {
      app.unmount();
      await app.waitUntilExit();
      app.cleanup();
      terminal.dispose();
    },
  };
}
