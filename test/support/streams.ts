import type { EventEmitter } from 'node:events';

/** The parts of standard input that Ink and our terminal code use. */
export interface Input extends EventEmitter {
  readonly isTTY: boolean;
  read(): unknown;
  setRawMode(mode: boolean): unknown;
  setEncoding?(): unknown;
  ref?(): unknown;
  unref?(): unknown;
}

/** Uses the input of a test as standard input. */
export function asReadStream(input: Input): NodeJS.ReadStream {
  return input as NodeJS.ReadStream;
}
