import { nodeFqdn } from '../../../design/names.ts';
import { cause } from '../cause.ts';
import { poolsOf, statusCommand } from './pools.ts';

/** Routers run on nodes that the pools of 443 and 80 do not have. */
export const routersOutsidePool = cause('routers-outside-pool', 'balancer', (evidence) => {
  const { design, cluster } = evidence;
  const running = (cluster?.routers ?? []).filter(({ phase, node }) => phase === 'Running' && node !== null);
  if (design === null || running.length === 0) return [];
  return poolsOf(evidence, 'ingress-https').flatMap((members) => {
    const names = new Set(
      design.nodes
        .filter(({ name }) => members.some((each) => each.name === name))
        .map((node) => nodeFqdn(design, node)),
    );
    const outside = running.filter(({ node }) => node !== null && !names.has(node));
    const [first] = members;
    if (first === undefined || outside.length === 0) return [];
    // While one router is inside, routes work, and are slower or lost when it goes.
    const likelihood = outside.length === running.length ? ('certain' as const) : ('likely' as const);
    return outside.map(({ name, node }) => ({
      likelihood,
      subject: node ?? '',
      symptom: `${name} runs on ${node}; ingress-https on ${first.balancer}: ${members.map((each) => each.name).join(', ')}`,
      command: `oc get pods -n openshift-ingress -o wide; ${statusCommand(first)}`,
    }));
  });
});
