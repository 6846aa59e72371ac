import { catalogue } from '../../i18n/catalogue.ts';
import type { Finding } from '../finding.ts';
import { evaluateRules, type FindingInput, type Rule } from '../rule.ts';
import type { OperatorState } from './states.ts';

const words = () => catalogue().diagnosis.operators;

/** Operators that wait for the same condition. */
interface OperatorsEvidence {
  readonly group: readonly [OperatorState, ...OperatorState[]];
  /** The installer reported completion: unhealthy operators are reported, but nothing waits for them any more. */
  readonly isInstalled: boolean;
}

const operatorDegraded: Rule<OperatorsEvidence> = {
  code: 'operator-degraded',
  severity: 'fatal',
  evaluate: ({ group, isInstalled }) =>
    group[0].degraded
      ? [{ ...describeGroup(group, 'operator-degraded'), severity: isInstalled ? 'warning' : 'fatal' }]
      : [],
};

const operatorSlow: Rule<OperatorsEvidence> = {
  code: 'operator-slow',
  severity: 'warning',
  evaluate: ({ group }) => (group[0].degraded ? [] : [describeGroup(group, 'operator-slow')]),
};

const OPERATOR_RULES: readonly Rule<OperatorsEvidence>[] = [operatorDegraded, operatorSlow];

/** Explains unhealthy operators; the table in `waits.ts` knows the condition that each one waits for. */
export function explainOperators(operators: readonly OperatorState[], isInstalled: boolean): Finding[] {
  return groupByWait(operators).flatMap((group) => evaluateRules(OPERATOR_RULES, { group, isInstalled }));
}

function groupByWait(operators: readonly OperatorState[]): OperatorsEvidence['group'][] {
  const groups = new Map<string, [OperatorState, ...OperatorState[]]>();
  for (const operator of operators) {
    const { code, waitsFor } = operator.wait ?? { code: 'other', waitsFor: '' };
    const key = code === 'other' ? operator.name : waitsFor;
    const known = groups.get(key);
    if (known) known.push(operator);
    else groups.set(key, [operator]);
  }
  return [...groups.values()];
}

function describeGroup(group: OperatorsEvidence['group'], code: 'operator-degraded' | 'operator-slow'): FindingInput {
  const [{ name, reason, message, wait }] = group;
  const isKnown = wait !== null && wait.code !== 'other';
  return {
    subject: name,
    title: isKnown
      ? words().waitsFor(group.map((each) => each.name).join(', '), wait.waitsFor)
      : words()[code].title(name),
    cause: message === '' ? reason : `${reason}: ${message}`,
    remedy: wait?.whatToDo ?? words().remedy(name),
  };
}
