import { EventEmitter } from 'node:events';
import { MOUSE_REPORT, type WheelStep, wheelOf } from './mouse.ts';

// An escape sequence that is not over: Esc, Esc [ with parameters, Esc O with parameters, each perhaps after a second Esc; or
// the mouse in its old form.
const UNFINISHED = /\u001b{1,2}(?:\[{1,2}[0-?]*[ -/]*|O[0-9;]*|\[M[\s\S]{0,2})?$/;

/** How long a lone Esc waits for the rest of a sequence: people press Esc and the next key further apart than this. */
const LONE_ESCAPE_MS = 50;
/** An unfinished sequence waits longer: a person does not type Esc and [ within the time above. */
const BEGUN_SEQUENCE_MS = 400;

export interface Listening {
  /** The keyboard is listened to, in raw mode: an answer of the terminal is not echoed. Called each time it begins. */
  readonly onBegin?: () => void;
  /** Called with the column of each cursor report, which is taken out of the keys. */
  readonly onColumn?: (column: number) => void;
  /** The keyboard is given back: what `onBegin` asked of the terminal ends. */
  readonly onEnd?: () => void;
  /** Called at each step of the mouse wheel, between the keys before and after it. Reports of the mouse are no keys. */
  readonly onWheel?: (step: WheelStep) => void;
}

/** Where the cursor is, as a terminal answers: no key, whenever it comes. */
const CURSOR_REPORT = /\u001b\[\d+;(\d+)R/g;

/**
 * The keyboard as Ink reads it, with escape sequences put together that a slow line delivered in pieces. Ink alone waits
 * 20 ms for the rest and then takes it for Esc and letters, which would leave the screen and type into another.
 * Everything but reading is the stream's own (raw mode, reference counting).
 */
export function wholeSequences(stdin: NodeJS.ReadStream, listening: Listening = {}): NodeJS.ReadStream {
  const reader = new SequenceReader(stdin, listening);
  return new Proxy(stdin, {
    get(target, name) {
      const own: unknown = Reflect.get(reader, name, reader);
      const isReading = name === 'read' || EMITTER_METHODS.has(name);
      const value: unknown = isReading ? own : Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(isReading ? reader : target) : value;
    },
  });
}

const EMITTER_METHODS = new Set<string | symbol>([
  ...['on', 'once', 'off', 'addListener', 'removeListener', 'removeAllListeners'],
  ...['emit', 'listenerCount', 'listeners', 'setMaxListeners', 'getMaxListeners'],
]);

class SequenceReader extends EventEmitter {
  readonly #stdin: NodeJS.ReadStream;
  readonly #ready: string[] = [];
  #held = '';
  #timer: NodeJS.Timeout | undefined;
  readonly #onReadable = () => this.#take();

  readonly #listening: Listening;

  constructor(stdin: NodeJS.ReadStream, listening: Listening) {
    super();
    this.#stdin = stdin;
    this.#listening = listening;
    // Ink attaches and detaches as it takes and leaves raw mode; the real stream is read only meanwhile.
    this.on('newListener', (event) => {
      if (event !== 'readable' || this.listenerCount('readable') > 0) return;
      stdin.on('readable', this.#onReadable);
      this.#listening.onBegin?.();
    });
    this.on('removeListener', (event) => {
      if (event !== 'readable' || this.listenerCount('readable') > 0) return;
      stdin.off('readable', this.#onReadable);
      clearTimeout(this.#timer);
      this.#held = '';
      this.#listening.onEnd?.();
    });
  }

  read(): string | null {
    return this.#ready.shift() ?? null;
  }

  #take(): void {
    clearTimeout(this.#timer);
    for (let chunk = this.#stdin.read(); chunk !== null; chunk = this.#stdin.read()) this.#held += String(chunk);
    const rest = UNFINISHED.exec(this.#held)?.[0] ?? '';
    this.#deliver(this.#held.slice(0, this.#held.length - rest.length), rest);
    if (rest === '') return;
    const wait = /^\u001b+$/.test(rest) ? LONE_ESCAPE_MS : BEGUN_SEQUENCE_MS;
    // When the time is up, what has arrived meanwhile in a busy process is read first: then this is cleared.
    this.#timer = setTimeout(() => {
      this.#timer = setTimeout(() => this.#deliver(this.#held, ''), 1);
    }, wait);
  }

  #deliver(all: string, rest: string): void {
    this.#held = rest;
    const text = all.replaceAll(CURSOR_REPORT, (_report, column: string) => {
      this.#listening.onColumn?.(Number(column));
      return '';
    });
    let from = 0;
    for (const report of text.matchAll(MOUSE_REPORT)) {
      this.#give(text.slice(from, report.index));
      from = report.index + report[0].length;
      const step = wheelOf(report);
      if (step !== null) this.#listening.onWheel?.(step);
    }
    this.#give(text.slice(from));
  }

  #give(text: string): void {
    if (text === '') return;
    this.#ready.push(text);
    this.emit('readable');
  }
}
