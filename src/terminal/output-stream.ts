import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { sanitizeLine } from '../platform/sanitize.ts';
import { toAsciiPunctuation } from '../platform/text.ts';
import { ScreenModel } from './screen-model.ts';

/** More than this is buffered only if the terminal accepts nothing: a stalled connection, a stopped `screen`. */
const MAX_BUFFERED_BYTES = 64 * 1024;

interface OutputOptions {
  /** Called for each frame: the terminal may report its abilities later. */
  readonly hasUnicode?: () => boolean;
  /** Called when a terminal that blocked accepts output again: frames were dropped, so the screen is outdated. */
  readonly onDrain?: () => void;
}

/**
 * Buffers writes to a terminal inside the process. Otherwise Node.js blocks the whole process until the terminal
 * accepts them: a stalled connection would stop probes, saving and the reaction to a signal.
 */
export function makeNonBlocking(stream: NodeJS.WriteStream): void {
  const handle: unknown = Reflect.get(stream, '_handle');
  if (typeof handle !== 'object' || handle === null || !('setBlocking' in handle)) return;
  if (typeof handle.setBlocking === 'function') handle.setBlocking(false);
}

/** A stream to the terminal that writes only what changed. */
export interface CompactStream {
  readonly stream: NodeJS.WriteStream;
  /** Call it after another program than Ink cleared the terminal. */
  readonly reset: () => void;
}

const BEGIN_UPDATE = '\u001b[?2026h';
const END_UPDATE = '\u001b[?2026l';

/**
 * Wraps the stream: of each frame, only the cells that changed are written. Replaces typographic characters by ASCII of
 * the same width without Unicode. Drops frames while more than `MAX_BUFFERED_BYTES` wait, and calls `onDrain`
 * afterwards.
 */
export function compactOutput(
  stream: NodeJS.WriteStream,
  { hasUnicode = () => true, onDrain = () => undefined }: OutputOptions = {},
): CompactStream {
  let isDropping = false;
  let isUpdating = false;
  let pendingBegin = '';
  const model = new ScreenModel(stream.columns || 80, stream.rows || 24);
  const handleDrain = () => {
    isDropping = false;
    onDrain();
  };
  /** Returns what to write: nothing for a synchronised update in which nothing changes. */
  const prepare = (data: string): string => {
    if (data === BEGIN_UPDATE) {
      isUpdating = true;
      pendingBegin = data;
      return '';
    }
    if (data === END_UPDATE) {
      isUpdating = false;
      const isEmpty = pendingBegin !== '';
      pendingBegin = '';
      return isEmpty ? '' : data;
    }
    model.resize(stream.columns || 80, stream.rows || 24);
    model.feed(hasUnicode() ? data : toAsciiPunctuation(data));
    const output = model.flush();
    const beginSequence = isUpdating && output !== '' ? pendingBegin : '';
    if (output !== '') pendingBegin = '';
    return beginSequence + output;
  };
  const proxy = new Proxy(stream, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'write') return value.bind(target);
      return (data: string | Uint8Array, ...rest: unknown[]): unknown => {
        const isFull = target.writableLength > MAX_BUFFERED_BYTES;
        if (!isFull) return Reflect.apply(value, target, [typeof data === 'string' ? prepare(data) : data, ...rest]);
        if (!isDropping) stream.once('drain', handleDrain);
        isDropping = true;
        const callback = rest.at(-1);
        if (typeof callback === 'function') queueMicrotask(() => callback());
        return false;
      };
    },
  });
  return { stream: proxy, reset: () => model.reset() };
}

/** Maximum time that a blocked terminal may delay the end of the process. */
const WRITE_TIMEOUT_MS = 1_000;
const RETRY_INTERVAL_MS = 20;

/**
 * Writes to a descriptor before the process ends. Gives up if the terminal accepts no output (a stalled connection),
 * so that the end does not hang. Fails silently if the terminal is gone.
 */
export function writeFinalOutput(fd: 1 | 2, text: string): void {
  try {
    const descriptor = openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    try {
      writeWithTimeout(descriptor, Buffer.from(text));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // The terminal disappeared meanwhile.
  }
}

function writeWithTimeout(fd: number, data: Buffer): void {
  let remainingData = data;
  for (let waitedMs = 0; remainingData.length > 0 && waitedMs <= WRITE_TIMEOUT_MS; ) {
    try {
      remainingData = remainingData.subarray(writeSync(fd, remainingData));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      // Nothing else runs any more: the whole process may block.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_INTERVAL_MS);
      waitedMs += RETRY_INTERVAL_MS;
    }
  }
}

/** The title of the terminal's window, which is restored at the end. */
export interface WindowTitle {
  /** Writes nothing if the title is unchanged. */
  set(text: string): void;
  /** The sequence that restores the original title; empty if it was never changed. The next `set` starts over. */
  createRestoreSequence(): string;
}

/** Terminals that understand control strings (OSC), such as the title; others would print them. */
const CONTROL_STRING_TERMS =
  /^(?:xterm|screen|tmux|rxvt|alacritty|foot|kitty|wezterm|ghostty|st-|contour|konsole|gnome|putty)/;

/**
 * Whether a terminal understands control strings.
 * @param term the value of `TERM`
 */
export const hasControlStrings = (term: string) => CONTROL_STRING_TERMS.test(term);

/** xterm's stack of titles: push and pop. */
const PUSH_TITLE = '\u001b[22;2t';
const POP_TITLE = '\u001b[23;2t';
const MAX_TITLE_LENGTH = 120;

/**
 * Creates the title of this terminal.
 * @param write writes a sequence to the terminal, between two frames
 */
export function createWindowTitle(term: string, write: (sequence: string) => void): WindowTitle {
  let currentTitle: string | null = null;
  return {
    set(text) {
      const safeText = sanitizeLine(toAsciiPunctuation(text), MAX_TITLE_LENGTH);
      if (safeText === currentTitle || !hasControlStrings(term)) return;
      write(`${currentTitle === null ? PUSH_TITLE : ''}\u001b]2;${safeText}\u0007`);
      currentTitle = safeText;
    },
    createRestoreSequence() {
      const sequence = currentTitle === null ? '' : `\u001b]2;\u0007${POP_TITLE}`;
      currentTitle = null;
      return sequence;
    },
  };
}

/** Maximum characters in one control string of GNU screen, which drops longer ones. */
const MAX_SCREEN_STRING = 700;

/**
 * Formats the sequence that makes the terminal copy a text into its clipboard (OSC 52). Inside tmux and screen it is
 * also wrapped for the terminal around them: tmux accepts the plain sequence if `set-clipboard` is on, and passes the
 * wrapped one if `allow-passthrough` is. A terminal that does not support it shows nothing.
 */
export function formatClipboardSequence(text: string, env: Readonly<Record<string, string | undefined>>): string {
  const plainSequence = `\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`;
  if (env.TMUX) return `${plainSequence}\u001bPtmux;${plainSequence.replaceAll('\u001b', '\u001b\u001b')}\u001b\\`;
  if (!env.STY) return plainSequence;
  const pieces = plainSequence.match(new RegExp(`[\\s\\S]{1,${MAX_SCREEN_STRING}}`, 'g')) ?? [];
  return pieces.map((piece) => `\u001bP${piece}\u001b\\`).join('');
}
