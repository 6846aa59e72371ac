import { sanitizeLine } from '../../text/sanitize.ts';
import type { Design, Problem } from '../model.ts';
import { branchesOf, type Path } from '../paths.ts';
import { RULES } from './index.ts';

export interface Judged extends Omit<Problem, 'path' | 'line' | 'column'> {
  readonly at: Path;
}

/** Longer than any name that may stand in a design: of a quoted text, its beginning says which one it is. */
const LONG_QUOTE = /"([^"]{300})[^"]+"/gu;

/**
 * Judges a design by all rules.
 * @param unread places whose values could not be read and were replaced; rules that rest on them report nothing
 * @param isErrorsOnly where warnings are of no use
 */
export function judge(design: Design, unread: readonly Path[], isErrorsOnly = false): Judged[] {
  const isUnread = branchesOf(unread);
  const judged: Judged[] = [];
  for (const { id, severity, check, restsOn = [] } of RULES) {
    if (restsOn.some(isUnread) || (isErrorsOnly && severity !== 'error')) continue;
    check(design, (at, { message, fix }) => {
      if (isUnread(at)) return false;
      // Messages repeat what the file holds, which may be anything, and of any length: what is wrong with it stands behind it.
      const told = message.replace(LONG_QUOTE, '"$1…"');
      judged.push({ rule: id, severity, at, message: sanitizeLine(told), fix: sanitizeLine(fix) });
      return true;
    });
  }
  return judged;
}
