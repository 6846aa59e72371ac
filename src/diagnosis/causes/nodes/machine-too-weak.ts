import { shell } from '../../../text/shell-word.ts';
import { cause, clueOfLines, told } from '../cause.ts';

/** A container that exceeds its own limit dies of its cgroup, which is no lack of the machine. */
const KILLED = /(?:^|\W)Out of memory: Killed process|invoked oom-killer.*global|CPU does not support x86-64-v\d/;

/** A machine has too little memory, too few processors, or one that is too old for this release. */
export const machineTooWeak = cause('machine-too-weak', 'requirements', (evidence) => {
  const full = (evidence.cluster?.operators ?? []).filter(({ message }) =>
    /\bInsufficient (?:memory|cpu)\b/.test(message),
  );
  return [
    ...clueOfLines(told(evidence, KILLED), 'certain', 'free -g; nproc; grep -m1 "model name" /proc/cpuinfo'),
    ...full.map(({ name, message }) => ({
      likelihood: 'likely' as const,
      subject: name,
      symptom: message,
      command: shell`oc get events -A --field-selector reason=FailedScheduling; oc describe clusteroperator ${name}`,
    })),
  ];
});
