import { sanitizeLine } from '../../platform/sanitize.ts';
import type { Design, Problem } from '../model.ts';
import { createPathMatcher, type Path } from '../paths.ts';
import { DESIGN_RULES } from './index.ts';

/** A violation of a rule, before its position in the file is known. */
export interface RuleViolation extends Omit<Problem, 'path' | 'line' | 'column'> {
  readonly at: Path;
}

/** Matches a quote longer than any valid name in a design; its beginning identifies the value. */
const LONG_QUOTE = /"([^"]{300})[^"]+"/gu;

/**
 * Evaluates all rules on a design.
 * @param unreadable paths whose values could not be read and were replaced; rules that depend on them report nothing
 * @param isErrorsOnly skips the rules that only warn
 */
export function evaluateDesignRules(
  design: Design,
  unreadable: readonly Path[],
  isErrorsOnly = false,
): RuleViolation[] {
  const isUnreadable = createPathMatcher(unreadable);
  const violations: RuleViolation[] = [];
  for (const { id, severity, check, dependsOn = [] } of DESIGN_RULES) {
    if (dependsOn.some(isUnreadable) || (isErrorsOnly && severity !== 'error')) continue;
    check(design, (at, { message, fix }) => {
      if (isUnreadable(at)) return false;
      // Messages quote values of any content and length. Shortening a long quote keeps the problem behind it visible.
      const shortened = message.replace(LONG_QUOTE, '"$1…"');
      violations.push({ rule: id, severity, at, message: sanitizeLine(shortened), fix: sanitizeLine(fix) });
      return true;
    });
  }
  return violations;
}
