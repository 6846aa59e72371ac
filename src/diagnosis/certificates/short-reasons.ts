import { catalogue } from '../../i18n/catalogue.ts';
import { findEntry } from '../../platform/find-entry.ts';

/** Formats the reasons of a refusal in a few words, each followed by its code. An unknown code appears alone. */
export function formatShortReasons(reasons: readonly string[]): string {
  const { short, withCode } = catalogue().csr;
  return reasons
    .map((code) => {
      const text = findEntry(short, code);
      return text === undefined ? code : withCode(text, code);
    })
    .join(', ');
}
