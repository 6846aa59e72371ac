/**
 * Keyboard input, one event per key. A single read from the terminal is split into these events. Each one is resolved
 * and applied before the next, so that a burst has the effect of single keys.
 */
export type KeyEvent =
  /** One grapheme, or a word that an input method composed. */
  | { readonly kind: 'char'; readonly text: string }
  /**
   * A bracketed paste, sanitised; its newlines are line feeds.
   */
  | { readonly kind: 'paste'; readonly text: string }
  | { readonly kind: 'key'; readonly name: KeyName };

// Ctrl-H is Backspace, Ctrl-I Tab, Ctrl-J and Ctrl-M Enter: terminals send the same byte.
type ControlLetter =
  | ('a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'k' | 'l' | 'n' | 'o' | 'p')
  | ('q' | 'r' | 's' | 't' | 'u' | 'v' | 'w' | 'x' | 'y' | 'z');

/** Keys other than characters, by their names in bindings. */
export type KeyName =
  | ('enter' | 'escape' | 'tab' | 'shift-tab' | 'backspace' | 'delete')
  | ('up' | 'down' | 'left' | 'right' | 'home' | 'end' | 'page-up' | 'page-down')
  | ('ctrl-left' | 'ctrl-right')
  /** One step of the mouse wheel. */
  | ('wheel-up' | 'wheel-down')
  | `ctrl-${ControlLetter}`;
