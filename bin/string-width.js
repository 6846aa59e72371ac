// Replaces string-width: almost no text needs graphemes, so the library is evaluated only for such a text.
import { stripVTControlCharacters } from 'node:util';
import { isNarrow } from '../src/platform/text.ts';
import library from './string-width-library.cjs';

// biome-ignore lint/style/noDefaultExport: it is imported by its default.
export default (text, options) => {
  const visibleText = options?.countAnsiEscapeCodes ? text : stripVTControlCharacters(text);
  return isNarrow(visibleText) ? visibleText.length : library()(text, options);
};
