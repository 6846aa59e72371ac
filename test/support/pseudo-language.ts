// A language made from English, to show text that bypasses the catalogue or has no room for longer words: each sentence
// in brackets, with accents, a third longer. Arguments of a sentence (names, numbers, commands) stay as they are.
import type { Catalogue } from '../../src/text/catalogue.ts';
import { catalogue } from '../../src/text/catalogue.ts';
import { english } from '../../src/text/en/index.ts';

const PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ACCENTED = 'áƀçðéƒğĥíĵķļɱñóþɋřšţúṽŵẋýžÁɃÇÐÉƑĞĤÍĴĶĻṀÑÓÞɊŘŠŢÚṼŴẊÝŽ';
const LONGER = 'öüäöüä';

/** The texts in the arguments of a sentence, longest first. */
function textsIn(given: unknown): string[] {
  if (typeof given === 'string') return given === '' ? [] : [given];
  if (typeof given !== 'object' || given === null) return [];
  return Object.values(given).flatMap(textsIn);
}

/** A line in the pseudo-language; a line without letters of its own says nothing, and stays. */
function lineInPseudo(line: string, given: readonly string[]): string {
  const [, before = '', text = '', after = ''] = /^(\s*)(.*?)(\s*)$/su.exec(line) ?? [];
  const escaped = given.map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  // Not in the middle of a word.
  const parts = `(?<!\\p{L}(?=\\p{L}))(${escaped.join('|')})(?!(?<=\\p{L})\\p{L})`;
  const pieces = given.length === 0 ? [text] : text.split(new RegExp(parts, 'u'));
  const own = pieces.filter((_, index) => index % 2 === 0).join('');
  if (!/[A-Za-z]/.test(own)) return line;
  const said = pieces.map((piece, index) => (index % 2 === 1 ? piece : accented(piece))).join('');
  const more = LONGER.repeat(Math.ceil(own.length / 18)).slice(0, Math.ceil(own.length / 3));
  // In words that can wrap, where the sentence is one of words.
  const longer = text.includes(' ') ? more.replace(/.{6}(?=.)/gu, '$& ') : more;
  return `${before}⟦${said}${text.includes(' ') ? ' ' : ''}${longer}⟧${after}`;
}

const accented = (text: string) => text.replace(/[A-Za-z]/g, (letter) => ACCENTED[PLAIN.indexOf(letter)] ?? letter);

function textInPseudo(text: string, given: unknown): string {
  const parts = textsIn(given).toSorted((a, b) => b.length - a.length);
  // An argument over several lines stays as it is; the lines around it belong to the sentence.
  return text
    .split('\n')
    .map((line) =>
      lineInPseudo(
        line,
        parts.flatMap((part) => part.split('\n')).filter((part) => part !== ''),
      ),
    )
    .join('\n');
}

function inPseudo(words: unknown, given: readonly unknown[] = []): unknown {
  if (typeof words === 'string') return textInPseudo(words, given);
  if (typeof words === 'function') return (...parts: unknown[]) => inPseudo(words(...parts), parts);
  if (Array.isArray(words)) return words.map((each) => inPseudo(each, given));
  if (typeof words !== 'object' || words === null) return words;
  return Object.fromEntries(Object.entries(words).map(([key, value]) => [key, inPseudo(value, given)]));
}

/** The pseudo-language. */
export const pseudoLanguage = inPseudo(english) as Catalogue;

/** A sentence that a test writes in place of the program, in the current language. */
export const said = (text: string, ...given: readonly string[]): string =>
  catalogue() === pseudoLanguage ? textInPseudo(text, given) : text;

/** The words of a text outside of marked sentences. */
export const unmarkedWords = (text: string): string[] => text.match(/(?<!\p{L})[A-Za-z]{2,}(?!\p{L})/gu) ?? [];
