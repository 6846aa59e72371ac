import { shellCommand } from '../../../platform/shell-quoting.ts';
import { diagnosticRule, matchLogLines, symptomsFromLines } from '../diagnostic-rule.ts';

/** A container that exceeds its own limit is killed by its cgroup, which is no lack of the machine. */
const UNMET_REQUIREMENTS =
  /(?:^|\W)Out of memory: Killed process|invoked oom-killer.*global|CPU does not support x86-64-v\d/;

/** A machine has too little memory, too few processors, or one that is too old for this release. */
export const machineBelowRequirements = diagnosticRule('machine-too-weak', 'requirements', (evidence) => {
  const full = (evidence.cluster?.operators ?? []).filter(({ message }) =>
    /\bInsufficient (?:memory|cpu)\b/.test(message),
  );
  return [
    ...symptomsFromLines(
      matchLogLines(evidence, UNMET_REQUIREMENTS),
      'certain',
      'free -g; nproc; grep -m1 "model name" /proc/cpuinfo',
    ),
    ...full.map(({ name, message }) => ({
      likelihood: 'likely' as const,
      subject: name,
      symptom: message,
      command: shellCommand`oc get events -A --field-selector reason=FailedScheduling; oc describe clusteroperator ${name}`,
    })),
  ];
});
