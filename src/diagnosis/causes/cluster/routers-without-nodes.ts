import { cause, isBootstrapping } from '../cause.ts';
import type { Evidence } from '../evidence.ts';

/** Routers wait for a compute node that is Ready, longer than joining takes. */
export const routersWithoutNodes = cause('routers-without-nodes', 'operators', (evidence) =>
  (isExpected(evidence) ? (evidence.cluster?.operators ?? []) : [])
    .filter(({ name, wait }) => name === 'ingress' && wait?.code === 'compute' && !wait.isNormal)
    .map(({ name, message }) => ({
      likelihood: 'likely' as const,
      subject: name,
      symptom: message,
      command: 'oc get pods -n openshift-ingress -o wide; oc get nodes; upi-wizard csr list',
    })),
);

/** Compute nodes come when the control plane runs by itself, and a person has powered them on. */
function isExpected(evidence: Evidence): boolean {
  const compute = evidence.machines.filter(({ role }) => role !== 'bootstrap' && role !== 'control-plane');
  return (
    !isBootstrapping(evidence) &&
    (compute.length === 0 || compute.some(({ poweredOnAt, hasJoined }) => poweredOnAt !== null || hasJoined))
  );
}
