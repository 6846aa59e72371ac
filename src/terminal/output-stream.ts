import { toAsciiPunctuation } from '../platform/ascii-punctuation.ts';

/** Cursor to the start of the next line, as Ink writes it once for every row that did not change. */
const NEXT_LINES = /(?:\u001b\[E){2,}/g;

/** More than this is buffered only if the terminal accepts nothing: a frozen line, a stopped `screen`. */
const MAX_BUFFERED_BYTES = 64 * 1024;

interface OutputOptions {
  /** Called for each frame: the terminal may report its abilities later. */
  readonly hasUnicode?: () => boolean;
  /** Called when a terminal that blocked accepts output again: frames were dropped, so the screen is outdated. */
  readonly onDrain?: () => void;
}

/**
 * Buffers writes to a terminal inside the process. Otherwise Node blocks the whole process until the terminal accepts
 * them: a frozen line would stop probes, saving and the reaction to a signal.
 */
export function makeNonBlocking(stream: NodeJS.WriteStream): void {
  const handle: unknown = Reflect.get(stream, '_handle');
  if (typeof handle !== 'object' || handle === null || !('setBlocking' in handle)) return;
  if (typeof handle.setBlocking === 'function') handle.setBlocking(false);
}

/**
 * The stream with the runs of "next line" that Ink writes over unchanged rows joined to one move: on 40 rows that saves some
 * 110 bytes a frame, which is most of a frame on a slow line. Without Unicode, typographic signs become ASCII of the same
 * width. Everything else is the stream's own.
 */
export function compactOutput(
  stream: NodeJS.WriteStream,
  { hasUnicode = () => true, onDrain = () => undefined }: OutputOptions = {},
): NodeJS.WriteStream {
  let isDropping = false;
  const handleDrain = () => {
    isDropping = false;
    onDrain();
  };
  const prepare = (data: string) => joinMoves(hasUnicode() ? data : toAsciiPunctuation(data));
  return new Proxy(stream, {
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
}

function joinMoves(data: string): string {
  return data.replace(NEXT_LINES, (run) => `\u001b[${run.length / 3}E`);
}
