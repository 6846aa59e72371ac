import { expect, test } from 'vitest';
import type { Diagnosis } from '../../../src/checks/rules/index.ts';
import { realSiteActions } from '../../../src/platform/manual-actions.ts';
import { toMostLikelyFinding, withRepairCommands } from '../../../src/steps/diagnose/index.ts';
import { createStepState } from '../../../src/steps/step-state.ts';

const diagnosis = (rule: Diagnosis['rule']): Diagnosis => ({
  rule,
  likelihood: 'certain',
  title: 'Title',
  subjects: [],
  symptom: 'symptom',
  cause: 'cause',
  confirmCommand: 'true',
  remedy: 'Repair it.',
  evidence: [],
  documentationUrl: '',
});

/** A rehearsal with these injected faults. */
const rehearse = (...faults: readonly string[]) => ({
  stepState: createStepState({ 'powered-on': { w1: 1 } }),
  manualActions: {
    ...realSiteActions,
    findRepair: (fault: string) =>
      faults.includes(fault) ? { id: fault, isReboot: fault === 'gateway-wrong', command: `repair ${fault}` } : null,
  },
});

test.each([
  ['clock-skew', 'clock-skew'],
  ['machine-clock', 'clock-skew'],
  ['packet-size', 'mtu-too-small'],
  ['node-gone', 'etcd-member-lost'],
] as const)('finding %s of a rehearsal: its command repairs %s, its page names the keys', (rule, fault) => {
  const [found] = withRepairCommands(rehearse(fault), [diagnosis(rule)]);
  expect(found?.remedy).toContain(`\`repair ${fault}\``);
  expect(toMostLikelyFinding(rehearse(fault), [diagnosis(rule)])?.remedy).toMatch(
    /^Repair it\. In this rehearsal, press /,
  );
});

test('a finding whose remedy ends with a reboot: the page and the command reboot the machines', () => {
  const context = rehearse('gateway-wrong');
  expect(withRepairCommands(context, [diagnosis('gateway-wrong')])[0]?.remedy).toBe(
    'Repair it. In this rehearsal, this reboots the machines that have not joined: `repair gateway-wrong`',
  );
  expect(toMostLikelyFinding(context, [diagnosis('gateway-wrong')])?.remedy).toBe(
    'Repair it. In this rehearsal, press !, then z: it reboots the machines that have not joined.',
  );
});

test('a finding of another fault, or of a real site, has neither', () => {
  for (const context of [rehearse('foreign-dhcp'), { ...rehearse(), manualActions: realSiteActions }]) {
    expect(withRepairCommands(context, [diagnosis('clock-skew')])[0]?.remedy).toBe('Repair it.');
    expect(toMostLikelyFinding(context, [diagnosis('clock-skew')])?.remedy).toBe('Repair it.');
  }
});

test('no reboot is offered before a machine was powered on; another repair is', () => {
  const stepState = createStepState({});
  for (const [rule, isOffered] of [
    ['gateway-wrong', false],
    ['clock-skew', true],
  ] as const) {
    const context = { ...rehearse(rule), stepState };
    expect(withRepairCommands(context, [diagnosis(rule)])[0]?.remedy !== 'Repair it.').toBe(isOffered);
    expect(toMostLikelyFinding(context, [diagnosis(rule)])?.remedy !== 'Repair it.').toBe(isOffered);
  }
});
