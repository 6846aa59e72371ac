import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { toAsciiPunctuation } from '../platform/text.ts';
import { ScreenModel } from './screen-model.ts';

/**
 * Limit for buffered output: more waits only if the terminal accepts nothing (a stalled connection, a stopped
 * `screen`).
 */
const MAX_BUFFERED_BYTES = 64 * 1024;

interface OutputOptions {
  /** Whether Unicode may be written. Called for each frame: the terminal may report the width of its symbols later. */
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
  /** Must be called after anything but Ink has cleared the terminal. */
  readonly reset: () => void;
}

const BEGIN_UPDATE = '\u001b[?2026h';
const END_UPDATE = '\u001b[?2026l';

/**
 * Wraps the stream: of each frame, only the cells that changed are written. Without Unicode, replaces typographic
 * characters with ASCII of the same width. Drops frames while more than `MAX_BUFFERED_BYTES` wait, and calls `onDrain`
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
  const resumeOutput = () => {
    isDropping = false;
    onDrain();
  };
  /** Returns what to write: nothing for a synchronized update in which nothing changes. */
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
        if (!isDropping) stream.once('drain', resumeOutput);
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
