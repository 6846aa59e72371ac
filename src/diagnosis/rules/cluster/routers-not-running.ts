import { diagnosticRule, isInstalled } from '../diagnostic-rule.ts';

/** The cluster is installed, nodes are Ready, and no router runs: no route answers. */
export const routersNotRunning = diagnosticRule(
  'routers-not-running',
  'operators',
  (evidence) => {
    const { routers, nodes } = evidence.cluster ?? { routers: null, nodes: null };
    const isReady = (nodes ?? []).some((node) => node.isReady);
    if (!isInstalled(evidence) || !isReady || routers === null) return [];
    if (routers.some(({ phase, reason }) => phase === 'Running' && reason === '')) return [];
    const pods = routers.map(({ name, phase, reason, message }) => `${name} ${phase} ${reason} ${message}`.trim());
    return [
      {
        likelihood: 'likely' as const,
        subject: 'openshift-ingress',
        symptom: pods.length === 0 ? 'openshift-ingress: 0 pods router-*' : pods.join('; '),
        command:
          'oc get ingresscontroller default -n openshift-ingress-operator -o yaml; oc get pods -n openshift-ingress -o wide',
      },
    ];
  },
  true,
);
