import { MINUTE } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Rule, Said } from '../rule.ts';
import type { StuckEvidence } from './evidence.ts';

/** A rule for a stage that does not progress. That is the title of its findings, unless they have a better one. */
export function stuckRule(
  code: string,
  judge: (evidence: StuckEvidence) => readonly (Omit<Said, 'title'> & Partial<Said>)[],
): Rule<StuckEvidence> {
  return {
    code,
    severity: 'warning',
    judge(evidence) {
      const minutes = Math.floor(evidence.quietFor / MINUTE);
      const title = catalogue().diagnosis.bootstrap.noChange(evidence.stageTitle, minutes);
      return judge(evidence).map((said) => ({ title, ...said }));
    },
  };
}
