import { toAsciiPunctuation } from '../platform/ascii-punctuation.ts';
import { sanitizeLine } from '../platform/sanitize.ts';

/** The title of the terminal's window, which is restored at the end. */
export interface WindowTitle {
  /** Writes nothing if the title is unchanged. */
  set(text: string): void;
  /** The sequence that restores the original title; empty if it was never changed. The next `set` starts over. */
  restoreSequence(): string;
}

/** Terminals that support a title; others would print it. */
const TITLE_TERMS = /^(?:xterm|screen|tmux|rxvt|alacritty|foot|kitty|wezterm|ghostty|st-|contour|konsole|gnome|putty)/;
/** xterm's stack of titles: push and pop. */
const PUSH_TITLE = '\u001b[22;2t';
const POP_TITLE = '\u001b[23;2t';
const MAX_TITLE_LENGTH = 120;

/**
 * Creates the title of this terminal.
 * @param write writes a sequence to the terminal, between two frames
 */
export function createWindowTitle(term: string, write: (sequence: string) => void): WindowTitle {
  let shown: string | null = null;
  return {
    set(text) {
      const safe = sanitizeLine(toAsciiPunctuation(text), MAX_TITLE_LENGTH);
      if (safe === shown || !TITLE_TERMS.test(term)) return;
      write(`${shown === null ? PUSH_TITLE : ''}\u001b]2;${safe}\u0007`);
      shown = safe;
    },
    restoreSequence() {
      const sequence = shown === null ? '' : `\u001b]2;\u0007${POP_TITLE}`;
      shown = null;
      return sequence;
    },
  };
}
