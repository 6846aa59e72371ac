import type { EventEmitter } from 'node:events';

/** What Ink and the terminal's parts take of standard input. */
export interface Input extends EventEmitter {
  readonly isTTY: boolean;
  read(): unknown;
  setRawMode(mode: boolean): unknown;
  setEncoding?(): unknown;
  ref?(): unknown;
  unref?(): unknown;
}

/** Standard input as far as a test plays it. */
export function asReadStream(input: Input): NodeJS.ReadStream {
  return input as NodeJS.ReadStream;
}
