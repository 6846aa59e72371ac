import { catalogue } from '../../i18n/catalogue.ts';
import { MINUTE } from '../../platform/clock.ts';
import type { FindingInput, Rule } from '../rule.ts';
import type { StuckEvidence } from './evidence.ts';

/** Creates a rule for a stage without progress. Findings without a title get "no change for N minutes". */
export function stuckRule(
  code: string,
  evaluate: (evidence: StuckEvidence) => readonly (Omit<FindingInput, 'title'> & Partial<FindingInput>)[],
): Rule<StuckEvidence> {
  return {
    code,
    severity: 'warning',
    evaluate(evidence) {
      const minutes = Math.floor(evidence.quietFor / MINUTE);
      const title = catalogue().diagnosis.bootstrap.noChange(evidence.stageTitle, minutes);
      return evaluate(evidence).map((input) => ({ title, ...input }));
    },
  };
}
