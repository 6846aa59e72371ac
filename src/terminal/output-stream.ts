import { asciiSigns } from '../text/ascii.ts';

/** Cursor to the start of the next line, as Ink writes it once for every row that did not change. */
const NEXT_LINES = /(?:\u001b\[E){2,}/g;

/**
 * The stream with the runs of "next line" that Ink writes over unchanged rows joined to one move: on 40 rows that saves some
 * 110 bytes a frame, which is most of a frame on a slow line. Without Unicode, typographic signs become ASCII of the same
 * width. Everything else is the stream's own.
 */
export function compactOutput(
  stream: NodeJS.WriteStream,
  { hasUnicode = true }: { readonly hasUnicode?: boolean } = {},
): NodeJS.WriteStream {
  const prepared = (data: string) => joinMoves(hasUnicode ? data : asciiSigns(data));
  return new Proxy(stream, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'write') return value.bind(target);
      return (data: string | Uint8Array, ...rest: unknown[]): unknown =>
        Reflect.apply(value, target, [typeof data === 'string' ? prepared(data) : data, ...rest]);
    },
  });
}

function joinMoves(data: string): string {
  return data.replace(NEXT_LINES, (run) => `\u001b[${run.length / 3}E`);
}
