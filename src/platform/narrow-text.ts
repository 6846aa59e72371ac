// Before the first frame, an `Intl.Segmenter` costs 14 ms of CPU, and the first call of the width library 25 ms. So
// text of characters that take one cell each and never combine with their neighbours is counted without either: Latin,
// and the symbols, brackets and spinners of our screens.
const NARROW_CHARACTERS =
  '\\x20-\\x7e\\xa1-\\xac\\xae-\\u02ff\\u1e00-\\u1eff\\u2010-\\u2027\\u2030-\\u205e\\u2190-\\u21ff\\u2500-\\u25fc\\u2713-\\u2718\\u27e6-\\u27eb\\u2800-\\u28ff';
const NARROW_TEXT = new RegExp(`^[${NARROW_CHARACTERS}]*$`);
const SINGLE_UNIT = new RegExp(`^[\\x1b${NARROW_CHARACTERS}]*$`);

/** Whether each UTF-16 unit of a text takes one cell. */
export const isNarrow = (text: string): boolean => NARROW_TEXT.test(text);

/** Whether each UTF-16 unit of a text is a grapheme; escape sequences may be among them. */
export const hasSingleUnitGraphemes = (text: string): boolean => SINGLE_UNIT.test(text);
