/**
 * ASCII replacements for typographic characters on a terminal without Unicode: one cell for one cell, so that no column
 * shifts.
 */
const ASCII_REPLACEMENTS: Readonly<Record<string, string>> = {
  '\u2018': "'",
  '\u2019': "'",
  '\u201c': '"',
  '\u201d': '"',
  '\u2013': '-',
  '\u2014': '-',
  '\u2026': '~',
  '\u00d7': 'x',
  '\u00b7': '-',
  '\u00a0': ' ',
};
const REPLACEABLE = new RegExp(`[${Object.keys(ASCII_REPLACEMENTS).join('')}]`, 'g');

/** Replaces the typographic characters of our own sentences by ASCII; other characters are left as they are. */
export function toAsciiPunctuation(text: string): string {
  return text.replace(REPLACEABLE, (sign) => ASCII_REPLACEMENTS[sign] ?? sign);
}
