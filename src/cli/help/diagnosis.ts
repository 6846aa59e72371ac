import { DIAGNOSTIC_RULES, type DiagnosticRuleTexts } from '../../checks/rules/index.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { formatProse } from '../../i18n/prose.ts';
import { type Block, heading, longTerms, text } from './page.ts';

const words = () => catalogue().diagnose.page;

/** Returns every rule of `upi-wizard diagnose`. */
export function diagnosisPage(): readonly Block[] {
  const ruleTexts = catalogue().diagnosis.causes;
  return [
    text(words().intro),
    text(words().bundle),
    text(words().likelihoods),
    heading(words().rulesTitle),
    longTerms(
      DIAGNOSTIC_RULES.map(({ id }) => {
        const { title, cause, remedy }: DiagnosticRuleTexts = ruleTexts[id];
        return { name: id, lines: [`${title}. ${cause}`, ...formatProse(remedy).map(({ text: line }) => line)] };
      }),
    ),
  ];
}
