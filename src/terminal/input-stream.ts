import { EventEmitter } from 'node:events';
import { supportsControlStrings } from './control-strings.ts';

/**
 * MOUSE_ON requests reports of buttons and wheel from the terminal; MOUSE_OFF ends them. Meanwhile, dragging selects
 * text only with Shift held, as in every program that uses the mouse (xterm's control sequences, "Mouse Tracking").
 */
export const MOUSE_ON = '\u001b[?1000h\u001b[?1006h';
export const MOUSE_OFF = '\u001b[?1006l\u001b[?1000l';

/** The direction of one step of the wheel. */
export type WheelStep = 'up' | 'down';

/**
 * Whether a terminal reports the mouse in the requested form (SGR, 1006): those with control strings do. Others would
 * send bytes that read as letters.
 * @param term the value of `TERM`
 */
export const supportsMouse = (term: string): boolean => supportsControlStrings(term);

/**
 * A report in SGR form, or in the legacy form of a terminal that knows no other: button, column and row as characters.
 */
const MOUSE_REPORT = /\u001b\[<(\d+);\d+;\d+[Mm]|\u001b\[M([\s\S])[\s\S]{2}/g;

/** Returns the step of the wheel in a report; null for a button, which has no function here. */
function parseWheelStep([, sgr, legacy]: RegExpMatchArray): WheelStep | null {
  const button = sgr === undefined ? (legacy?.codePointAt(0) ?? 0) - 32 : Number(sgr);
  // 64 marks the wheel; 4, 8 and 16 are Shift, Alt and Ctrl.
  const wheel = button & ~(4 | 8 | 16);
  return wheel === 64 ? 'up' : wheel === 65 ? 'down' : null;
}

// An unfinished escape sequence: Esc, Esc [ with parameters, Esc O with parameters, each perhaps after a second Esc; a
// mouse report in the legacy form; or a report of the background.
const UNFINISHED_SEQUENCE =
  /\u001b{1,2}(?:\[{1,2}[0-?]*[ -/]*|O[0-9;]*|\[M[\s\S]{0,2})?$|\u001b\](?:1(?:1(?:;[\w:/]{0,30}\u001b?)?)?)?$/;

/** Timeout for the rest of a sequence after a lone Esc. Users press Esc and the next key further apart than this. */
const ESCAPE_TIMEOUT_MS = 50;
/** An unfinished sequence has a longer timeout: no user types Esc and [ within the time above. */
const SEQUENCE_TIMEOUT_MS = 400;

/** Handlers of the keyboard's begin and end, and of everything that a terminal sends besides keys. */
export interface InputHandlers {
  /** Called each time reading of the keyboard begins. The terminal is in raw mode: its responses are not echoed. */
  readonly onBegin?: () => void;
  /** Called with the column of each cursor report, which is removed from the keys. */
  readonly onColumn?: (column: number) => void;
  /** Called with the colour of each report of the background, which is removed from the keys. */
  readonly onBackground?: (colour: string) => void;
  /** Called when reading of the keyboard ends: undoes what `onBegin` requested of the terminal. */
  readonly onEnd?: () => void;
  /** Called for each step of the mouse wheel, in order with the keys. Mouse reports are not keys. */
  readonly onWheel?: (step: WheelStep) => void;
}

/** The cursor position and the background that a terminal reports; never a key. */
const CURSOR_REPORT = /\u001b\[\d+;(\d+)R/g;
const BACKGROUND_REPORT = /\u001b\]11;([\w:/]{1,30})(?:\u0007|\u001b\\)/g;

/**
 * Returns the keyboard as Ink reads it, and joins escape sequences that a slow line delivered in pieces. Ink alone
 * waits 20 ms for the rest, then reads Esc and letters, which would leave the screen and type into another. Everything
 * except reading (raw mode, reference counting) is the stream's own.
 */
export function joinEscapeSequences(stdin: NodeJS.ReadStream, handlers: InputHandlers = {}): NodeJS.ReadStream {
  const reader = new SequenceReader(stdin, handlers);
  return new Proxy(stdin, {
    get(target, name) {
      const readerValue: unknown = Reflect.get(reader, name, reader);
      const isReaderMember = name === 'read' || EMITTER_METHODS.has(name);
      const value: unknown = isReaderMember ? readerValue : Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(isReaderMember ? reader : target) : value;
    },
  });
}

const EMITTER_METHODS = new Set<string | symbol>([
  ...['on', 'once', 'off', 'addListener', 'removeListener', 'removeAllListeners'],
  ...['emit', 'listenerCount', 'listeners', 'setMaxListeners', 'getMaxListeners'],
]);

class SequenceReader extends EventEmitter {
  readonly #stdin: NodeJS.ReadStream;
  readonly #readyTexts: string[] = [];
  #pending = '';
  #timer: NodeJS.Timeout | undefined;
  readonly #onReadable = () => this.#readChunks();

  readonly #handlers: InputHandlers;

  constructor(stdin: NodeJS.ReadStream, handlers: InputHandlers) {
    super();
    this.#stdin = stdin;
    this.#handlers = handlers;
    // Ink attaches and detaches as it enters and leaves raw mode; the real stream is read only in between.
    this.on('newListener', (event) => {
      if (event !== 'readable' || this.listenerCount('readable') > 0) return;
      stdin.on('readable', this.#onReadable);
      this.#handlers.onBegin?.();
    });
    this.on('removeListener', (event) => {
      if (event !== 'readable' || this.listenerCount('readable') > 0) return;
      stdin.off('readable', this.#onReadable);
      clearTimeout(this.#timer);
      this.#pending = '';
      this.#handlers.onEnd?.();
    });
  }

  read(): string | null {
    return this.#readyTexts.shift() ?? null;
  }

  #readChunks(): void {
    clearTimeout(this.#timer);
    for (let chunk = this.#stdin.read(); chunk !== null; chunk = this.#stdin.read()) this.#pending += String(chunk);
    const unfinishedSequence = UNFINISHED_SEQUENCE.exec(this.#pending)?.[0] ?? '';
    this.#deliver(this.#pending.slice(0, this.#pending.length - unfinishedSequence.length), unfinishedSequence);
    if (unfinishedSequence === '') return;
    const timeoutMs = /^\u001b+$/.test(unfinishedSequence) ? ESCAPE_TIMEOUT_MS : SEQUENCE_TIMEOUT_MS;
    // At the timeout, input that arrived meanwhile in a busy process is read first, which clears this timer.
    this.#timer = setTimeout(() => {
      this.#timer = setTimeout(() => this.#deliver(this.#pending, ''), 1);
    }, timeoutMs);
  }

  #deliver(completeText: string, unfinishedSequence: string): void {
    this.#pending = unfinishedSequence;
    const text = completeText
      .replaceAll(CURSOR_REPORT, (_report, column: string) => {
        this.#handlers.onColumn?.(Number(column));
        return '';
      })
      .replaceAll(BACKGROUND_REPORT, (_report, colour: string) => {
        this.#handlers.onBackground?.(colour);
        return '';
      });
    let textStart = 0;
    for (const report of text.matchAll(MOUSE_REPORT)) {
      this.#emitText(text.slice(textStart, report.index));
      textStart = report.index + report[0].length;
      const step = parseWheelStep(report);
      if (step !== null) this.#handlers.onWheel?.(step);
    }
    this.#emitText(text.slice(textStart));
  }

  #emitText(text: string): void {
    if (text === '') return;
    this.#readyTexts.push(text);
    this.emit('readable');
  }
}
