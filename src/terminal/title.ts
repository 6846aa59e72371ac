import { asciiSigns } from '../text/ascii.ts';
import { sanitizeLine } from '../text/sanitize.ts';

/** The title of the terminal's window, which is put back as it was. */
export interface WindowTitle {
  /** Writes nothing where it is so already. */
  set(text: string): void;
  /** What puts the title back as it was; empty where nobody changed it. The next `set` begins anew. */
  restoring(): string;
}

/** Terminals that know a title; others would print it. */
const TITLED = /^(?:xterm|screen|tmux|rxvt|alacritty|foot|kitty|wezterm|ghostty|st-|contour|konsole|gnome|putty)/;
/** xterm's stack of titles: on it, and off it again. */
const PUSH = '\u001b[22;2t';
const POP = '\u001b[23;2t';
const LONGEST = 120;

/** The title of this terminal. @param write puts a sequence on the terminal, between two frames */
export function windowTitle(term: string, write: (sequence: string) => void): WindowTitle {
  let shown: string | null = null;
  return {
    set(text) {
      const safe = sanitizeLine(asciiSigns(text), LONGEST);
      if (safe === shown || !TITLED.test(term)) return;
      write(`${shown === null ? PUSH : ''}\u001b]2;${safe}\u0007`);
      shown = safe;
    },
    restoring() {
      const sequence = shown === null ? '' : `\u001b]2;\u0007${POP}`;
      shown = null;
      return sequence;
    },
  };
}
