// A language derived from English. It shows text that bypasses the catalogue or has no space for longer words: each
// sentence is in brackets, with accents, and a third longer. Arguments of a sentence (names, numbers, commands) stay as
// they are.
import { catalogue } from '../../src/i18n/catalogue.ts';
import type { Catalogue } from '../../src/i18n/en/index.ts';
import { english } from '../../src/i18n/en/index.ts';

const PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ACCENTED = 'áƀçðéƒğĥíĵķļɱñóþɋřšţúṽŵẋýžÁɃÇÐÉƑĞĤÍĴĶĻṀÑÓÞɊŘŠŢÚṼŴẊÝŽ';
const PADDING = 'öüäöüä';

/** Texts in the arguments of a sentence. */
function collectTexts(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(collectTexts);
}

/** Translates a line into the pseudo-language. A line without letters of its own stays as it is. */
function translateLine(line: string, argumentTexts: readonly string[]): string {
  const [, before = '', text = '', after = ''] = /^(\s*)(.*?)(\s*)$/su.exec(line) ?? [];
  const escaped = argumentTexts.map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  // Not in the middle of a word.
  const parts = `(?<!\\p{L}(?=\\p{L}))(${escaped.join('|')})(?!(?<=\\p{L})\\p{L})`;
  const pieces = argumentTexts.length === 0 ? [text] : text.split(new RegExp(parts, 'u'));
  const ownText = pieces.filter((_, index) => index % 2 === 0).join('');
  if (!/[A-Za-z]/.test(ownText)) return line;
  const translation = pieces.map((piece, index) => (index % 2 === 1 ? piece : addAccents(piece))).join('');
  const padding = PADDING.repeat(Math.ceil(ownText.length / 18)).slice(0, Math.ceil(ownText.length / 3));
  // The padding of a sentence with several words can wrap.
  const wrappablePadding = text.includes(' ') ? padding.replace(/.{6}(?=.)/gu, '$& ') : padding;
  return `${before}⟦${translation}${text.includes(' ') ? ' ' : ''}${wrappablePadding}⟧${after}`;
}

const addAccents = (text: string) => text.replace(/[A-Za-z]/g, (letter) => ACCENTED[PLAIN.indexOf(letter)] ?? letter);

function translateText(text: string, args: unknown): string {
  const parts = collectTexts(args).toSorted((a, b) => b.length - a.length);
  // An argument over several lines stays as it is; the lines around it belong to the sentence.
  return text
    .split('\n')
    .map((line) =>
      translateLine(
        line,
        parts.flatMap((part) => part.split('\n')).filter((part) => part !== ''),
      ),
    )
    .join('\n');
}

function translate(texts: unknown, args: readonly unknown[] = []): unknown {
  if (typeof texts === 'string') return translateText(texts, args);
  if (typeof texts === 'function') return (...parts: unknown[]) => translate(texts(...parts), parts);
  if (Array.isArray(texts)) return texts.map((each) => translate(each, args));
  if (typeof texts !== 'object' || texts === null) return texts;
  return Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, translate(value, args)]));
}

/** The pseudo-language. */
export const pseudoLanguage = translate(english) as Catalogue;

/** Returns a sentence that a test writes in place of the program, in the current language. */
export const localize = (text: string, ...args: readonly string[]): string =>
  catalogue() === pseudoLanguage ? translateText(text, args) : text;

/** Words of a text that are outside of marked sentences. */
export const findUnmarkedWords = (text: string): string[] => text.match(/(?<!\p{L})[A-Za-z]{2,}(?!\p{L})/gu) ?? [];
