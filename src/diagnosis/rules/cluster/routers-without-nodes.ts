import { diagnosticRule, isBootstrapping } from '../diagnostic-rule.ts';
import type { Evidence } from '../evidence.ts';

/** Routers wait for a Ready compute node for longer than joining takes. */
export const routersWithoutNodes = diagnosticRule('routers-without-nodes', 'operators', (evidence) =>
  (areNodesExpected(evidence) ? (evidence.cluster?.operators ?? []) : [])
    .filter(({ name, wait }) => name === 'ingress' && wait?.code === 'compute' && !wait.isNormal)
    .map(({ name, message }) => ({
      likelihood: 'likely' as const,
      subject: name,
      symptom: message,
      command: 'oc get pods -n openshift-ingress -o wide; oc get nodes; upi-wizard csr list',
    })),
);

/** Compute nodes are expected once the control plane runs on its own and the user has powered them on. */
function areNodesExpected(evidence: Evidence): boolean {
  const compute = evidence.machines.filter(({ role }) => role !== 'bootstrap' && role !== 'control-plane');
  return (
    !isBootstrapping(evidence) &&
    (compute.length === 0 || compute.some(({ poweredOnAt, hasJoined }) => poweredOnAt !== null || hasJoined))
  );
}
