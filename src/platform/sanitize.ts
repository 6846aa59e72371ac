// Characters from outside that must not reach a screen, a log or a saved file. These are control characters and the
// sequences they start (cursor moves, OSC 52 clipboard writes), and bidirectional overrides. Zero-width, tag and other
// invisible characters (UAX #44, Default_Ignorable_Code_Point), line separators and lone surrogates count as well. The
// precedent is CVE-2021-25743 (kubectl printed them unchanged).
const ESCAPE_SEQUENCE =
  /\u001b\][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[PX^_][^\u001b\u009c]*(?:\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[ -/]*[0-~]?/g;
const INVISIBLE_CHARACTERS = /[\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;
/** Fast path for nearly all input: a thousand long lists of a cluster contain no character that needs more checks. */
const PLAIN_TEXT = /^[\t\n -~]*$/;
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * Makes text from outside safe to show. Escape sequences, control and invisible characters become a visible mark, CR is
 * dropped, lone surrogates are replaced. Newlines and tabs stay.
 * @param limit the maximum number of characters; the rest is cut and marked
 */
export function sanitize(text: string, limit = 100_000): string {
  const limitedText = text.length > limit ? `${text.slice(0, limit)}…` : text;
  if (PLAIN_TEXT.test(limitedText)) return limitedText;
  return limitedText
    .toWellFormed()
    .replace(/\r/g, '')
    .replace(ESCAPE_SEQUENCE, '\ufffd')
    .replace(INVISIBLE_CHARACTERS, '\ufffd')
    .replace(CONTROL_CHARACTERS, '\ufffd');
}

/**
 * Escapes the characters that must not be shown as \uXXXX, in a text that another program has already escaped (JSON,
 * YAML in quotes). The meaning stays the same.
 * @param escapeWide writes a character beyond U+FFFF; JSON needs two units
 */
export function escapeUnprintable(
  text: string,
  escapeWide = (code: number) => escapeUnits(String.fromCodePoint(code)),
): string {
  if (PLAIN_TEXT.test(text)) return text;
  const escapeMatch = (match: string) => {
    const code = match.codePointAt(0) ?? 0;
    return code > 0xffff ? escapeWide(code) : escapeUnits(match);
  };
  return text.replace(CONTROL_CHARACTERS, escapeMatch).replace(INVISIBLE_CHARACTERS, escapeMatch);
}

/** Whether a text contains characters that `sanitize` would mark. */
export function hasUnprintable(text: string): boolean {
  return !PLAIN_TEXT.test(text) && sanitize(text, Number.POSITIVE_INFINITY) !== text;
}

/** Returns each UTF-16 unit as \uXXXX. */
function escapeUnits(text: string): string {
  return [...Array(text.length).keys()]
    .map((index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('');
}

/** Makes text from outside safe to show in one line, like `sanitize`: newlines and tabs become spaces. */
export function sanitizeLine(text: string, limit = 500): string {
  return sanitize(text, limit).replace(/[\n\t]+/g, ' ');
}

const MARKUP_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Returns a text for one line of HTML or XML, in an element or a quoted attribute: sanitized, with its markup escaped.
 * XML 1.0 forbids U+FFFE and U+FFFF, so they become a visible mark too.
 * @param limit the maximum number of characters; the rest is cut and marked
 */
export function escapeMarkup(text: string, limit = 10_000): string {
  return sanitizeLine(text, limit)
    .replace(/[\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"']/g, (character) => MARKUP_ENTITIES[character] ?? character);
}

/**
 * Formats a value as JSON for a terminal. Unprintable and invisible characters are escaped, which keeps the meaning.
 * @param indent blanks for each level; 0: one line
 */
export function formatJson(value: unknown, indent = 2): string {
  return `${escapeUnprintable(JSON.stringify(value, null, indent))}\n`;
}
