// What may never reach a screen, a log or a saved file from outside: control characters and the sequences they start
// (cursor moves, OSC 52 clipboard writes), bidirectional overrides, zero-width and tag characters, lone surrogates.
// The precedent is CVE-2021-25743 (kubectl printed them as they came).
const SEQUENCE =
  /\u001b\][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[PX^_][^\u001b\u009c]*(?:\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[ -/]*[0-~]?/g;
const INVISIBLE = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\u061c\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
/** Nearly all that comes: a thousand long lists of a cluster hold not one character that needs a closer look. */
const PLAIN = /^[\t\n -~]*$/;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * Text from outside made safe to show: escape sequences, control and invisible characters become a visible mark, CR is
 * dropped, lone surrogates are replaced; newlines and tabs stay.
 * @param limit the most characters kept (the rest is cut and marked)
 */
export function sanitize(text: string, limit = 100_000): string {
  const cut = text.length > limit ? `${text.slice(0, limit)}…` : text;
  if (PLAIN.test(cut)) return cut;
  return cut
    .toWellFormed()
    .replace(/\r/g, '')
    .replace(SEQUENCE, '\ufffd')
    .replace(INVISIBLE, '\ufffd')
    .replace(CONTROL, '\ufffd');
}

/** The same for a field of one line: newlines and tabs become spaces. */
export function sanitizeLine(text: string, limit = 500): string {
  return sanitize(text, limit).replace(/[\n\t]+/g, ' ');
}
