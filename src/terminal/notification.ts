import { sanitizeLine } from '../platform/sanitize.ts';
import { toAsciiPunctuation } from '../platform/text.ts';
import { hasControlStrings } from './output-stream.ts';

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
  if (!hasControlStrings(term)) return BELL;
  const clean = (part: string) => sanitizeLine(toAsciiPunctuation(part), MAX_TEXT_LENGTH);
  const osc9 = `\u001b]9;${clean(`${title}: ${text}`)}${BELL}`;
  // A semicolon ends the title.
  const osc777 = `\u001b]777;notify;${clean(title).replaceAll(';', ',')};${clean(text).replaceAll(';', ',')}${BELL}`;
  const isOsc9 = OSC_9_TERMS.test(term) || OSC_9_PROGRAMS.test(env.TERM_PROGRAM ?? '');
  const strings = isOsc9 ? [osc9] : OSC_777_TERMS.test(term) ? [osc777] : [osc9, osc777];
  return `${strings.map((each) => wrapForOuterTerminal(each, env)).join('')}${BELL}`;
}

function wrapForOuterTerminal(sequence: string, { TMUX, STY }: Environment): string {
  if (TMUX) return `\u001bPtmux;${sequence.replaceAll('\u001b', '\u001b\u001b')}\u001b\\`;
  return STY ? `\u001bP${sequence}\u001b\\` : sequence;
}
