import { cause, clueOfLines, told } from '../cause.ts';

/** SELinux keeps HAProxy from ports and backends that the distribution does not know. */
export const selinuxDenies = cause('selinux-denies', 'balancer', (evidence) =>
  clueOfLines(
    told(evidence, /cannot bind socket \(Permission denied\)|avc: +denied.*haproxy/).slice(-1),
    'certain',
    'getsebool haproxy_connect_any',
  ),
);
