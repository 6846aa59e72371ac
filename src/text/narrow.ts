// Before a start has drawn anything, a segmenter costs it 14 ms of CPU, and the library's first look at a text 25 ms. So text of
// characters that take one cell each and never become one with their neighbours is counted without either: Latin, and the signs,
// brackets and spinners that we draw with.
const SIGNS =
  '\\x20-\\x7e\\xa1-\\xac\\xae-\\u02ff\\u1e00-\\u1eff\\u2010-\\u2027\\u2030-\\u205e\\u2190-\\u21ff\\u2500-\\u25fc\\u2713-\\u2718\\u27e6-\\u27eb\\u2800-\\u28ff';
const NARROW = new RegExp(`^[${SIGNS}]*$`);
const SEPARATE = new RegExp(`^[\\x1b${SIGNS}]*$`);

/** Whether each character (UTF-16) of a text takes one cell. */
export const isNarrow = (text: string): boolean => NARROW.test(text);

/** Whether each character (UTF-16) of a text is a grapheme; escape sequences may be among them. */
export const isSeparate = (text: string): boolean => SEPARATE.test(text);
