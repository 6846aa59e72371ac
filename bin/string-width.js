// Stands in for string-width: almost all that is asked needs no look at graphemes, and so the library is evaluated when it is needed.
import { stripVTControlCharacters } from 'node:util';
import { isNarrow } from '../src/text/narrow.ts';
import library from './string-width-library.cjs';

// biome-ignore lint/style/noDefaultExport: it is imported by its default.
export default (text, options) => {
  const shown = options?.countAnsiEscapeCodes ? text : stripVTControlCharacters(text);
  return isNarrow(shown) ? shown.length : library()(text, options);
};
