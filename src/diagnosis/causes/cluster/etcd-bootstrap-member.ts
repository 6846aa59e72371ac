import { MINUTE } from '../../../ports/clock.ts';
import { cause } from '../cause.ts';

const LONG = 10 * MINUTE;

/** The bootstrap is complete, and etcd keeps its member there: a machine that goes now takes a vote with it. */
export const etcdBootstrapMember = cause('etcd-bootstrap-member', 'operatorIssues', ({ cluster, now }) => {
  const etcd = cluster?.operators?.find(({ name }) => name === 'etcd');
  if (cluster?.bootstrapStatus !== 'complete' || cluster.isEtcdAlone !== false || etcd === undefined) return [];
  if (!etcd.degraded || now - (etcd.since ?? now) < LONG) return [];
  return [{ likelihood: 'likely', subject: 'etcd', symptom: etcd.message, command: 'oc get etcd cluster -o yaml' }];
});
