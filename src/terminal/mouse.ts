/** Terminals that report the mouse in the form asked for here (SGR, 1006). Others would send bytes that read as letters. */
const REPORTING = /^(?:xterm|screen|tmux|rxvt|alacritty|foot|kitty|wezterm|ghostty|st-|contour|konsole|gnome|putty)/;

/**
 * Asks the terminal to report buttons and wheel, and no longer. Meanwhile dragging selects text only with Shift held, as in
 * every program that takes the mouse (xterm's control sequences, "Mouse Tracking").
 */
export const MOUSE_ON = '\u001b[?1000h\u001b[?1006h';
export const MOUSE_OFF = '\u001b[?1006l\u001b[?1000l';

/** Which way one step of the wheel went. */
export type WheelStep = 'up' | 'down';

export function reportsMouse(term: string): boolean {
  return REPORTING.test(term);
}

/** A report in the form asked for; and in the old form, of a terminal that knows no other: button, column and row as characters. */
export const MOUSE_REPORT = /\u001b\[<(\d+);\d+;\d+[Mm]|\u001b\[M([\s\S])[\s\S]{2}/g;

/** The step of the wheel in a report; null for a button, which means nothing here. */
export function wheelOf([, sgr, old]: RegExpMatchArray): WheelStep | null {
  const button = sgr === undefined ? (old?.codePointAt(0) ?? 0) - 32 : Number(sgr);
  // 64 marks the wheel; 4, 8 and 16 are Shift, Alt and Ctrl.
  const wheel = button & ~(4 | 8 | 16);
  return wheel === 64 ? 'up' : wheel === 65 ? 'down' : null;
}
