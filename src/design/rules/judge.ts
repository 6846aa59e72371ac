import { sanitizeLine } from '../../text/sanitize.ts';
import type { Design, Problem } from '../model.ts';
import type { Path } from '../paths.ts';
import { RULES } from './index.ts';

export interface Judged extends Omit<Problem, 'path' | 'line' | 'column'> {
  readonly at: Path;
}

/** What the rules have to say about a design. */
export function judge(design: Design): Judged[] {
  const judged: Judged[] = [];
  for (const { id, severity, check } of RULES)
    check(design, (at, said) => {
      // Messages repeat what the file holds, which may be anything.
      judged.push({ rule: id, severity, at, message: sanitizeLine(said.message), fix: sanitizeLine(said.fix) });
    });
  return judged;
}
