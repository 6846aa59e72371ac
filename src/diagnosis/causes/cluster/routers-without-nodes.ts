import { cause } from '../cause.ts';

/** Routers wait for a compute node that is Ready, longer than joining takes. */
export const routersWithoutNodes = cause('routers-without-nodes', 'operators', ({ cluster }) =>
  (cluster?.operators ?? [])
    .filter(({ name, wait }) => name === 'ingress' && wait?.code === 'compute' && !wait.isNormal)
    .map(({ name, message }) => ({
      likelihood: 'likely' as const,
      subject: name,
      symptom: message,
      command: 'oc get pods -n openshift-ingress -o wide; oc get nodes; upi-wizard csr list',
    })),
);
