import { catalogue } from '../../text/catalogue.ts';
import { graphemesOf } from '../../text/width.ts';
import type { Field } from '../design/fields.ts';
import { pastedLines } from './text-field.ts';

/** No answer is this long; a longer one was copied by mistake, and slows every key that follows. */
const LONGEST_PASTE = 1000;

/** A paste as one line for the field, and a message about what did not fit into it. */
export interface FittedPaste {
  readonly text: string;
  /** Null when the field took all of it. */
  readonly said: string | null;
}

const LISTS: readonly Field['type'][] = ['list', 'words', 'addresses', 'hosts', 'mirrors'];

/**
 * A list takes every line of a paste, behind what it has; a field of one value takes the first one, and says what it left
 * out, or that there was a value already.
 * @param before the text of the field in front of the cursor
 */
export function fitPaste(field: Pick<Field, 'type'>, pasted: string, before = ''): FittedPaste {
  const lines = pastedLines(pasted);
  const isList = LISTS.includes(field.type);
  const line = isList
    ? lines.map((part) => part.replace(/,$/, '')).join(field.type === 'words' ? ' ' : ', ')
    : (lines[0] ?? '');
  if (line.length > LONGEST_PASTE) {
    return {
      text: graphemesOf(line.slice(0, LONGEST_PASTE)).join(''),
      said: catalogue().pages.pasteTooLong(LONGEST_PASTE),
    };
  }
  if (isList)
    return { text: /[^\s,;=]$/.test(before) ? `${field.type === 'words' ? ' ' : ', '}${line}` : line, said: null };
  const said = lines.length > 1 ? catalogue().pages.pasteFirstLine(lines.length - 1) : null;
  return { text: line, said: said ?? (before === '' ? null : catalogue().pages.pasteBehind(before)) };
}
