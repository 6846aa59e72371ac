import type { Likelihood } from '../../../src/checks/check.ts';
import type { Evidence } from '../../../src/checks/rules/evidence.ts';
import type { DiagnosticRuleId } from '../../../src/checks/rules/index.ts';

/** Rule id, evidence that triggers the rule with its likelihood, and evidence that must not trigger it. */
export type RuleCase = readonly [DiagnosticRuleId, readonly [Evidence, Likelihood][], readonly Evidence[]];
