import { diagnosticRule, matchLogLines, symptomsFromLines } from '../diagnostic-rule.ts';

/** SELinux denies HAProxy ports and backends that the policy of the distribution does not know. */
export const selinuxDenies = diagnosticRule('selinux-denies', 'balancer', (evidence) =>
  symptomsFromLines(
    matchLogLines(evidence, /cannot bind socket \(Permission denied\)|avc: +denied.*haproxy/).slice(-1),
    'certain',
    'getsebool haproxy_connect_any',
  ),
);
