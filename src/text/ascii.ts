/** What typographic signs become on a terminal without Unicode: one cell for one cell, so that nothing moves. */
const SIGNS: Readonly<Record<string, string>> = {
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
const KNOWN = new RegExp(`[${Object.keys(SIGNS).join('')}]`, 'g');

/** The text with the signs that our own sentences use written in ASCII; other characters stay as they are. */
export function asciiSigns(text: string): string {
  return text.replace(KNOWN, (sign) => SIGNS[sign] ?? sign);
}
