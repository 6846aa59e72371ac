/** Characters and sequences that draw, hide, reverse or end displayed text. Each must be replaced in the output. */
export const POISON: readonly string[] = [
  ...[
    '\u0000',
    '\u0007',
    '\u0008',
    '\u000b',
    '\u000c',
    '\r',
    '\u001b',
    '\u007f',
    '\u0085',
    '\u0090',
    '\u009b',
    '\u009d',
  ],
  ...[
    '\u001b[2J',
    '\u001b[31m',
    '\u001b]0;title\u0007',
    '\u001b]52;c;cm0gLXJm\u0007',
    '\u001b]8;;http://x\u001b\\',
    '\u001bPq\u001b\\',
  ],
  ...[
    '\u001b_x\u001b\\',
    '\u001b^x\u001b\\',
    '\u001b[6n',
    '\u001b[?1049h',
    '\u001b[8;1;1t',
    '\u001bc',
    '\u009b2J',
    '\u009d0;x\u009c',
  ],
  ...[
    '\u200b',
    '\u200c',
    '\u200d',
    '\u200e',
    '\u200f',
    '\u202a',
    '\u202d',
    '\u202e',
    '\u2060',
    '\u2066',
    '\u2069',
    '\u061c',
  ],
  ...[
    '\ufeff',
    '\ufff9',
    '\ufffb',
    '\u{e0041}',
    '\u{e007f}',
    '\u{e0100}',
    '\u00ad',
    '\u034f',
    '\u115f',
    '\u180e',
    '\u2028',
  ],
  ...[
    '\u2029',
    '\u2062',
    '\u206f',
    '\u3164',
    '\ufe0f',
    '\uffa0',
    '\u{1d173}',
    '\ud800',
    '\udc00',
    '\nINJECTED',
    '\r\nINJECTED',
  ],
];

/**
 * A text of the maximum length before truncation: wide characters, several marks on one letter, and poison in its
 * middle.
 */
const LONG_TEXT = `${'長い文 '.repeat(60)}${'a\u0301\u0302\u0323'.repeat(200)}${'long '.repeat(1000)}\u202e\u001b[2J${'w'.repeat(4000)}`;

/** Creates a poison, or now and then a long text, after a mark with its index. The mark identifies it in any output. */
export function createPoison(count: number): string {
  const index = count % 9 === 0 ? POISON.length : count % POISON.length;
  return `q${index}j${POISON[index] ?? LONG_TEXT}z`;
}

const MARK = /q(\d+)j/g;

/** Counts the marked texts of an output, and lists the poisons that came out unchanged. */
export function findMarks(output: string): { readonly count: number; readonly raw: readonly string[] } {
  const found = [...output.matchAll(MARK)];
  const raw = found.flatMap(({ 0: mark, 1: index, index: offset }) => {
    const poison = POISON[Number(index)];
    return poison !== undefined && output.startsWith(poison, offset + mark.length) ? [JSON.stringify(poison)] : [];
  });
  return { count: found.length, raw: [...new Set(raw)] };
}

/** Control characters except newline and tab, invisible characters, line separators and lone surrogates. */
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb\p{Default_Ignorable_Code_Point}\p{Surrogate}]/u;

/** Returns the hostile text that came out unchanged; null: none. */
export function findUnsafeText(text: string): string | null {
  return findUnsafeCharacter(text) ?? (/^INJECTED/m.test(text) ? 'a newline started a new line' : null);
}

/** Same without newlines: in wrapped text any word may begin a row. */
export function findUnsafeCharacter(text: string): string | null {
  // Our own question for the background colour of the terminal (OSC 11).
  const found = UNSAFE.exec(text.replaceAll(/\u001b\]11;\?(?:\u0007|\u001b\\)/g, ''));
  if (found === null) return null;
  const codePoint = found[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  return `U+${codePoint} was printed raw: ${JSON.stringify(text.slice(Math.max(0, found.index - 60), found.index + 30))}`;
}

/** The links that the screens write: only characters of a URL. */
const LINK = /\u001b\]8;;[!-~]*\u0007/g;

/** How the wizard restores the terminal, after what was cut by its end: half a sequence, link or title. */
const RESTORED = /(?:\u001b(?:\[[0-9;?<>]*|\](?:8;?;?[!-~]*|2?;?[^\u0007\u001b]*))?)?\u001b\\\u001b\[\?2026l/g;

/** The sequences that the screens write. */
const SCREEN_SEQUENCES = /\u001b\[[0-9;?<>]*[A-Za-z]|\u001b\[\d q|\u001b[78=>]|\r/g;

/** The terminal title, which the screens set. */
const TITLE = /\u001b\]2;([^\u0007\u001b]*)(?:\u0007|\u001b\\)/g;

/** Removes the screens' own sequences from their output. */
export function stripScreenSequences(output: string): string {
  return output.replaceAll(TITLE, '$1').replaceAll(LINK, '').replaceAll(RESTORED, '').replaceAll(SCREEN_SEQUENCES, '');
}
