/**
 * What a person did at the keyboard, one event per key. We split whatever a terminal delivers in one read into these,
 * and resolve and apply each before the next, so that a burst has the effect of single keys.
 */
export type KeyEvent =
  /** One grapheme (what a person sees as one character), or a word that an input method composed. */
  | { readonly kind: 'char'; readonly text: string }
  /** A bracketed paste: sanitised, newlines are `\n`. */
  | { readonly kind: 'paste'; readonly text: string }
  | { readonly kind: 'key'; readonly name: KeyName };

// Ctrl-H is Backspace, Ctrl-I Tab, Ctrl-J and Ctrl-M Enter: terminals send the same byte.
type ControlLetter =
  | ('a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'k' | 'l' | 'n' | 'o' | 'p')
  | ('q' | 'r' | 's' | 't' | 'u' | 'v' | 'w' | 'x' | 'y' | 'z');

/** The keys that are no characters, by the names in bindings. */
export type KeyName =
  | ('enter' | 'escape' | 'tab' | 'shift-tab' | 'backspace' | 'delete')
  | ('up' | 'down' | 'left' | 'right' | 'home' | 'end' | 'page-up' | 'page-down')
  | ('ctrl-left' | 'ctrl-right')
  /** One step of the mouse wheel. */
  | ('wheel-up' | 'wheel-down')
  | `ctrl-${ControlLetter}`;
