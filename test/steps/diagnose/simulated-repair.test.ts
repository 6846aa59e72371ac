import { expect, test } from 'vitest';
import type { Diagnosis } from '../../../src/checks/rules/index.ts';
import { realSiteActions } from '../../../src/platform/manual-actions.ts';
import { toMostLikelyFinding, withInstallDirectory, withRepairCommands } from '../../../src/steps/diagnose/index.ts';

const diagnosis = (rule: Diagnosis['rule']): Diagnosis => ({
  rule,
  likelihood: 'certain',
  title: 'Title',
  subjects: [],
  symptom: 'symptom',
  cause: 'cause',
  howToBeSure: 'true',
  whatToDo: 'Repair it.',
  evidence: [],
  explained: '',
});

/** A rehearsal with these injected faults. */
const rehearse = (...faults: readonly string[]) => ({
  manualActions: {
    ...realSiteActions,
    findRepairCommand: (fault: string) => (faults.includes(fault) ? `repair ${fault}` : null),
  },
});

test.each([
  ['clock-skew', 'clock-skew'],
  ['machine-clock', 'clock-skew'],
  ['packet-size', 'mtu-too-small'],
  ['node-gone', 'etcd-member-lost'],
] as const)('finding %s of a rehearsal: its command repairs %s, its page names the keys', (rule, fault) => {
  const [found] = withRepairCommands(rehearse(fault), [diagnosis(rule)]);
  expect(found?.whatToDo).toContain(`\`repair ${fault}\``);
  expect(toMostLikelyFinding(rehearse(fault), [diagnosis(rule)])?.remedy).toMatch(
    /^Repair it\. In this rehearsal, press /,
  );
});

test('the commands of a finding name the install directory', () => {
  const whatToDo = 'Approve it: `upi-wizard csr approve --expected` or `oc get csr`';
  const howToBeSure = 'upi-wizard check --only lb-reaches';
  const [found] = withInstallDirectory('/my dir', [{ ...diagnosis('clock-skew'), whatToDo, howToBeSure }]);
  expect(found?.whatToDo).toBe("Approve it: `upi-wizard csr approve --expected --dir '/my dir'` or `oc get csr`");
  expect(found?.howToBeSure).toBe("upi-wizard check --only lb-reaches --dir '/my dir'");
});

test('a finding of another fault, or of a real site, has neither', () => {
  for (const context of [rehearse('foreign-dhcp'), { manualActions: realSiteActions }]) {
    expect(withRepairCommands(context, [diagnosis('clock-skew')])[0]?.whatToDo).toBe('Repair it.');
    expect(toMostLikelyFinding(context, [diagnosis('clock-skew')])?.remedy).toBe('Repair it.');
  }
});
