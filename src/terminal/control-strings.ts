// Control strings (OSC) of a terminal: its title, its clipboard and its notifications.
import { sanitizeLine } from '../platform/sanitize.ts';
import { toAsciiPunctuation } from '../platform/text.ts';

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
export const supportsControlStrings = (term: string) => CONTROL_STRING_TERMS.test(term);

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
      if (safeText === currentTitle || !supportsControlStrings(term)) return;
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
export function formatClipboardSequence(text: string, env: Environment): string {
  const plainSequence = `\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`;
  if (env.TMUX) return `${plainSequence}${wrapForOuterTerminal(plainSequence, env)}`;
  if (!env.STY) return plainSequence;
  const pieces = plainSequence.match(new RegExp(`[\\s\\S]{1,${MAX_SCREEN_STRING}}`, 'g')) ?? [];
  return pieces.map((piece) => wrapForOuterTerminal(piece, env)).join('');
}

const MAX_TEXT_LENGTH = 200;
const BELL = '\u0007';

/** Terminals that show OSC 777, by `TERM`. They get only that: one that knows OSC 9 as well would show both. */
const OSC_777_TERMS = /^(?:foot|rxvt|gnome|vte)/;
/** Terminals that show OSC 9. */
const OSC_9_TERMS = /^(?:xterm-(?:kitty|ghostty)|kitty|wezterm|ghostty|contour)/;
/** The same terminals by TERM_PROGRAM, which SSH does not forward. */
const OSC_9_PROGRAMS = /^(?:iTerm\.app|WezTerm|ghostty|kitty)$/;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Formats the sequence that notifies a user who looks elsewhere: OSC 9 or OSC 777, both if the terminal is not
 * identified, and the bell. Inside tmux (`allow-passthrough on`) and GNU screen the control strings are wrapped for the
 * terminal around them; the bell is for the multiplexer itself, which marks the window.
 * @param title the program
 */
export function formatNotification(title: string, text: string, env: Environment): string {
  const term = env.TERM ?? '';
  if (!supportsControlStrings(term)) return BELL;
  const sanitizePart = (part: string) => sanitizeLine(toAsciiPunctuation(part), MAX_TEXT_LENGTH);
  const osc9 = `\u001b]9;${sanitizePart(`${title}: ${text}`)}${BELL}`;
  // A semicolon ends the title.
  const osc777 = `\u001b]777;notify;${sanitizePart(title).replaceAll(';', ',')};${sanitizePart(text).replaceAll(';', ',')}${BELL}`;
  const isOsc9 = OSC_9_TERMS.test(term) || OSC_9_PROGRAMS.test(env.TERM_PROGRAM ?? '');
  const strings = isOsc9 ? [osc9] : OSC_777_TERMS.test(term) ? [osc777] : [osc9, osc777];
  return `${strings.map((controlString) => wrapForOuterTerminal(controlString, env)).join('')}${BELL}`;
}

function wrapForOuterTerminal(sequence: string, { TMUX, STY }: Environment): string {
  if (TMUX) return `\u001bPtmux;${sequence.replaceAll('\u001b', '\u001b\u001b')}\u001b\\`;
  return STY ? `\u001bP${sequence}\u001b\\` : sequence;
}
