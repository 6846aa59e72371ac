// What may never reach a screen, a log or a saved file from outside: control characters and the sequences they start
// (cursor moves, OSC 52 clipboard writes), bidirectional overrides, zero-width and tag characters, what else shows as nothing
// (UAX #44, Default_Ignorable_Code_Point), line separators, lone surrogates.
// The precedent is CVE-2021-25743 (kubectl printed them as they came).
const SEQUENCE =
  /\u001b\][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[PX^_][^\u001b\u009c]*(?:\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[ -/]*[0-~]?/g;
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;
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

/**
 * A text in which another program has escaped what it must (JSON, YAML in quotes), with the rest of what may not be shown escaped
 * too, as \uXXXX: its meaning stays.
 * @param wide how a character beyond U+FFFF is written; JSON knows it as two
 */
export function escapeUnseen(text: string, wide = (code: number) => asUnits(String.fromCodePoint(code))): string {
  if (PLAIN.test(text)) return text;
  const escaped = (found: string) => {
    const code = found.codePointAt(0) ?? 0;
    return code > 0xffff ? wide(code) : asUnits(found);
  };
  return text.replace(CONTROL, escaped).replace(INVISIBLE, escaped);
}

/** Whether a text holds what `sanitize` would mark. */
export function hasUnseen(text: string): boolean {
  return !PLAIN.test(text) && sanitize(text, Number.POSITIVE_INFINITY) !== text;
}

/** Each UTF-16 unit as \uXXXX. */
function asUnits(text: string): string {
  return [...Array(text.length).keys()]
    .map((index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('');
}

/** The same for a field of one line: newlines and tabs become spaces. */
export function sanitizeLine(text: string, limit = 500): string {
  return sanitize(text, limit).replace(/[\n\t]+/g, ' ');
}
