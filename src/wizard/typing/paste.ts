import { catalogue } from '../../i18n/catalogue.ts';
import { splitGraphemes } from '../../platform/width.ts';
import type { Field } from '../design/fields.ts';
import { splitPastedLines } from './text-field.ts';

/** Longer than any answer. A longer text was copied by mistake, and would slow down every following key. */
const MAX_PASTE_LENGTH = 1000;

/** A paste as one line for the field, and a message about the parts that do not fit into it. */
export interface FittedPaste {
  readonly text: string;
  /** Null if the field took all of it. */
  readonly message: string | null;
}

const LIST_TYPES: readonly Field['type'][] = ['list', 'words', 'addresses', 'hosts', 'mirrors'];

/**
 * Fits a paste into a field. A list appends all lines. A field with one value takes the first line; the message counts
 * the omitted lines, or quotes the existing value before the paste.
 * @param before the text of the field before the cursor
 */
export function fitPaste(field: Pick<Field, 'type'>, pasted: string, before = ''): FittedPaste {
  const lines = splitPastedLines(pasted);
  const isList = LIST_TYPES.includes(field.type);
  const line = isList
    ? lines.map((part) => part.replace(/,$/, '')).join(field.type === 'words' ? ' ' : ', ')
    : (lines[0] ?? '');
  if (line.length > MAX_PASTE_LENGTH) {
    return {
      text: splitGraphemes(line.slice(0, MAX_PASTE_LENGTH)).join(''),
      message: catalogue().pages.pasteTooLong(MAX_PASTE_LENGTH),
    };
  }
  if (isList)
    return { text: /[^\s,;=]$/.test(before) ? `${field.type === 'words' ? ' ' : ', '}${line}` : line, message: null };
  const message = lines.length > 1 ? catalogue().pages.pasteFirstLine(lines.length - 1) : null;
  return { text: line, message: message ?? (before === '' ? null : catalogue().pages.pasteAppended(before)) };
}
