import { asciiSigns } from '../text/ascii.ts';

/** Cursor to the start of the next line, as Ink writes it once for every row that did not change. */
const NEXT_LINES = /(?:\u001b\[E){2,}/g;

/** More than this waits only where the terminal takes nothing: a frozen line, a stopped `screen`. */
const MOST_WAITING = 64 * 1024;

interface OutputOptions {
  /** Asked for each frame: the terminal may tell later what it can show. */
  readonly hasUnicode?: () => boolean;
  /** Frames were dropped because the terminal took nothing, and now it does: what it shows is old. */
  readonly onCaughtUp?: () => void;
}

/**
 * Lets writes to a terminal wait inside the process, where Node would hold the whole process until the terminal takes them: a
 * frozen line would stop the looks, the saving and the answer to a signal.
 */
export function neverBlock(stream: NodeJS.WriteStream): void {
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
  { hasUnicode = () => true, onCaughtUp = () => undefined }: OutputOptions = {},
): NodeJS.WriteStream {
  let isBehind = false;
  const caughtUp = () => {
    isBehind = false;
    onCaughtUp();
  };
  const prepared = (data: string) => joinMoves(hasUnicode() ? data : asciiSigns(data));
  return new Proxy(stream, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'write') return value.bind(target);
      return (data: string | Uint8Array, ...rest: unknown[]): unknown => {
        const isFull = target.writableLength > MOST_WAITING;
        if (!isFull) return Reflect.apply(value, target, [typeof data === 'string' ? prepared(data) : data, ...rest]);
        if (!isBehind) stream.once('drain', caughtUp);
        isBehind = true;
        const written = rest.at(-1);
        if (typeof written === 'function') queueMicrotask(() => written());
        return false;
      };
    },
  });
}

function joinMoves(data: string): string {
  return data.replace(NEXT_LINES, (run) => `\u001b[${run.length / 3}E`);
}
