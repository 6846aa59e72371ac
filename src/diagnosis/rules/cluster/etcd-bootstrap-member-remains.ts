import { MINUTE } from '../../../platform/clock.ts';
import { diagnosticRule } from '../diagnostic-rule.ts';

const GRACE_PERIOD = 10 * MINUTE;

/**
 * Bootstrapping is complete, and etcd keeps the member on the bootstrap machine: removing that machine now costs etcd a
 * vote.
 */
export const etcdBootstrapMemberRemains = diagnosticRule(
  'etcd-bootstrap-member',
  'operatorIssues',
  ({ cluster, now }) => {
    const etcd = cluster?.operators?.find(({ name }) => name === 'etcd');
    if (cluster?.bootstrapStatus !== 'complete' || cluster.isBootstrapMemberRemoved !== false || etcd === undefined)
      return [];
    if (!etcd.degraded || now - (etcd.since ?? now) < GRACE_PERIOD) return [];
    return [{ likelihood: 'likely', subject: 'etcd', symptom: etcd.message, command: 'oc get etcd cluster -o yaml' }];
  },
);
