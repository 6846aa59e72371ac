import type { Likelihood } from '../../../src/diagnosis/rules/diagnostic-rule.ts';
import type { Evidence } from '../../../src/diagnosis/rules/evidence.ts';
import type { DiagnosticRuleId } from '../../../src/diagnosis/rules/index.ts';

/** Rule id, evidence that triggers the rule with its likelihood, and evidence that must not trigger it. */
export type RuleCase = readonly [DiagnosticRuleId, readonly [Evidence, Likelihood][], readonly Evidence[]];
