import { catalogue } from '../../text/catalogue.ts';
import type { Finding } from '../finding.ts';
import { judge, type Rule, type Said } from '../rule.ts';
import type { OperatorState } from './states.ts';

const words = () => catalogue().diagnosis.operators;

/** Operators that wait for the same thing. */
interface OperatorsEvidence {
  readonly group: readonly [OperatorState, ...OperatorState[]];
  /** The installer reported completion: we report what is not healthy now, and nothing waits for it. */
  readonly isInstalled: boolean;
}

const degraded: Rule<OperatorsEvidence> = {
  code: 'operator-degraded',
  severity: 'fatal',
  judge: ({ group, isInstalled }) =>
    group[0].degraded ? [{ ...saidOf(group, 'operator-degraded'), severity: isInstalled ? 'warning' : 'fatal' }] : [],
};

const slow: Rule<OperatorsEvidence> = {
  code: 'operator-slow',
  severity: 'warning',
  judge: ({ group }) => (group[0].degraded ? [] : [saidOf(group, 'operator-slow')]),
};

const OPERATORS: readonly Rule<OperatorsEvidence>[] = [degraded, slow];

/** Findings for operators that are not healthy; the table in `waits` knows what each waits for. */
export function judgeOperators(operators: readonly OperatorState[], isInstalled: boolean): Finding[] {
  return groupsOf(operators).flatMap((group) => judge(OPERATORS, { group, isInstalled }));
}

/** Groups the operators that wait for the same thing. */
function groupsOf(operators: readonly OperatorState[]): OperatorsEvidence['group'][] {
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

function saidOf(group: OperatorsEvidence['group'], code: 'operator-degraded' | 'operator-slow'): Said {
  const [{ name, reason, message, wait }] = group;
  const isKnown = wait !== null && wait.code !== 'other';
  return {
    subject: name,
    title: isKnown
      ? words().waitsFor(group.map((each) => each.name).join(', '), wait.waitsFor)
      : words()[code].title(name),
    cause: message === '' ? reason : `${reason}: ${message}`,
    whatToDo: wait?.whatToDo ?? words().whatToDo(name),
  };
}
