import { nodeFqdn } from '../../../design/names.ts';
import { type Clue, cause } from '../cause.ts';
import type { Evidence } from '../evidence.ts';
import { membersIn } from './member-unreachable.ts';
import { poolsOf, statusCommand } from './pools.ts';

/** Routers run on nodes that the pools of 443 and 80 do not have; before there are any, none of the nodes that they will run on. */
export const routersOutsidePool = cause('routers-outside-pool', 'balancer', (evidence) => {
  const { design, cluster } = evidence;
  const running = (cluster?.routers ?? []).filter(({ phase, node }) => phase === 'Running' && node !== null);
  if (design === null) return [];
  if (running.length === 0) return configured(evidence);
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

/** No member of a pool is one of those that the generated file has there. */
function configured({ files }: Evidence): Clue[] {
  return files.flatMap(({ host, kind, path, text, planned }): Clue[] => {
    if (kind !== 'haproxy') return [];
    const there = membersIn(text);
    const wanted = membersIn(planned).filter(({ section }) => section.startsWith('ingress-'));
    return [...new Set(wanted.map(({ section }) => section))].flatMap((section): Clue[] => {
      const own = there.filter((each) => each.section === section);
      const right = new Set(wanted.filter((each) => each.section === section).map(({ address }) => address));
      if (own.length === 0 || own.some(({ address }) => right.has(address))) return [];
      const symptom = `${path} on ${host}: ${section}: ${own.map(({ address }) => address).join(', ')}; planned ${[...right].join(', ')}`;
      return [{ likelihood: 'likely', subject: host, symptom, command: `ssh ${host} grep -n -A8 ${section} ${path}` }];
    });
  });
}
