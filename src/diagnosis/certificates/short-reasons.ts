import { catalogue } from '../../text/catalogue.ts';
import { entryOf } from '../../text/entry.ts';

/** Why a request is refused, in a few words, each with its code behind it. A code that nobody knows stands alone. */
export function shortReasons(reasons: readonly string[]): string {
  const { short, withCode } = catalogue().csr;
  return reasons
    .map((code) => {
      const text = entryOf(short, code);
      return text === undefined ? code : withCode(text, code);
    })
    .join(', ');
}
