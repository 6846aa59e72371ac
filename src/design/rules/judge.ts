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
    check(design, (at, said) => judged.push({ rule: id, severity, at, ...said }));
  return judged;
}
