import { nodeFqdn } from '../../../design/names.ts';
import { diagnosticRule, type Symptom } from '../diagnostic-rule.ts';
import type { Evidence } from '../evidence.ts';
import { parseMembers } from './member-unreachable.ts';
import { groupMembersByBalancer, statusCommand } from './pools.ts';

/**
 * Routers run on nodes that the pools of 443 and 80 lack. Before any router runs: the pools have none of the planned
 * nodes.
 */
export const routersOutsidePool = diagnosticRule('routers-outside-pool', 'balancer', (evidence) => {
  const { design, cluster } = evidence;
  const running = (cluster?.routers ?? []).filter(({ phase, node }) => phase === 'Running' && node !== null);
  if (design === null) return [];
  if (running.length === 0) return findSectionsWithWrongMembers(evidence);
  return groupMembersByBalancer(evidence, 'ingress-https').flatMap((members) => {
    const names = new Set(
      design.nodes
        .filter(({ name }) => members.some((each) => each.name === name))
        .map((node) => nodeFqdn(design, node)),
    );
    const outside = running.filter(({ node }) => node !== null && !names.has(node));
    const [first] = members;
    if (first === undefined || outside.length === 0) return [];
    // While one router is in the pool, routes work, but are slower, or lost when it stops.
    const likelihood = outside.length === running.length ? ('certain' as const) : ('likely' as const);
    return outside.map(({ name, node }) => ({
      likelihood,
      subject: node ?? '',
      symptom: `${name} runs on ${node}; ingress-https on ${first.balancer}: ${members.map((each) => each.name).join(', ')}`,
      command: `oc get pods -n openshift-ingress -o wide; ${statusCommand(first)}`,
    }));
  });
});

/** Sections without any of the members that the generated file has there. */
function findSectionsWithWrongMembers({ files }: Evidence): Symptom[] {
  return files.flatMap(({ host, kind, path, text, planned }): Symptom[] => {
    if (kind !== 'haproxy') return [];
    const actual = parseMembers(text);
    const wanted = parseMembers(planned).filter(({ section }) => section.startsWith('ingress-'));
    return [...new Set(wanted.map(({ section }) => section))].flatMap((section): Symptom[] => {
      const own = actual.filter((each) => each.section === section);
      const expected = new Set(wanted.filter((each) => each.section === section).map(({ address }) => address));
      if (own.length === 0 || own.some(({ address }) => expected.has(address))) return [];
      const symptom = `${path} on ${host}: ${section}: ${own.map(({ address }) => address).join(', ')}; planned ${[...expected].join(', ')}`;
      return [{ likelihood: 'likely', subject: host, symptom, command: `ssh ${host} grep -n -A8 ${section} ${path}` }];
    });
  });
}
