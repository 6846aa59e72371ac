/** Terminals that report the mouse in the requested form (SGR, 1006). Others would send bytes that read as letters. */
const SGR_MOUSE_TERMS =
  /^(?:xterm|screen|tmux|rxvt|alacritty|foot|kitty|wezterm|ghostty|st-|contour|konsole|gnome|putty)/;

/**
 * Requests reports of buttons and wheel from the terminal, and ends them. Meanwhile, dragging selects text only with
 * Shift held, as in every program that uses the mouse (xterm's control sequences, "Mouse Tracking").
 */
export const MOUSE_ON = '\u001b[?1000h\u001b[?1006h';
export const MOUSE_OFF = '\u001b[?1006l\u001b[?1000l';

/** The direction of one step of the wheel. */
export type WheelStep = 'up' | 'down';

/**
 * Whether a terminal reports the mouse in SGR form.
 * @param term the value of `TERM`
 */
export function supportsMouse(term: string): boolean {
  return SGR_MOUSE_TERMS.test(term);
}

/**
 * A report in SGR form, or in the legacy form of a terminal that knows no other: button, column and row as characters.
 */
export const MOUSE_REPORT = /\u001b\[<(\d+);\d+;\d+[Mm]|\u001b\[M([\s\S])[\s\S]{2}/g;

/** Returns the step of the wheel in a report; null for a button, which has no function here. */
export function parseWheelStep([, sgr, legacy]: RegExpMatchArray): WheelStep | null {
  const button = sgr === undefined ? (legacy?.codePointAt(0) ?? 0) - 32 : Number(sgr);
  // 64 marks the wheel; 4, 8 and 16 are Shift, Alt and Ctrl.
  const wheel = button & ~(4 | 8 | 16);
  return wheel === 64 ? 'up' : wheel === 65 ? 'down' : null;
}
