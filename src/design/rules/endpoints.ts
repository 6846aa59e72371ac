import { designRules as words } from '../../text/en/design-rules.ts';
import { canonicalAddress } from '../address.ts';
import { reportOutside } from './membership.ts';
import { endpointAddresses, nodeAddresses, placedHosts } from './places.ts';
import type { Rule } from './rule.ts';

const endpointMember: Rule = {
  id: 'endpoint-outside-network',
  restsOn: [['topology'], ['networks', 'machine'], ['services']],
  severity: 'error',
  source: 'keepalived puts the endpoints on the interface of the machine network',
  title: words.endpointMember.title,
  check(design, report) {
    // A load balancer that is not ours may be anywhere.
    if (design.services.loadBalancer.kind === 'external' && design.topology !== 'single-node') return;
    reportOutside(design, endpointAddresses(design), words.endpointMember, report);
  },
};

const endpointTaken: Rule = {
  id: 'endpoint-taken',
  restsOn: [['topology'], ['nodes'], ['services']],
  severity: 'error',
  source: 'the design file: endpoints are equal to each other or to a load balancer’s own address',
  title: words.endpointTaken.title,
  check(design, report) {
    const balancers = new Set(design.services.loadBalancer.servers.map(({ name }) => name));
    const owners = new Map<string, string>();
    // A single node is its own API server and router.
    const nodes = design.topology === 'single-node' ? [] : nodeAddresses(design);
    for (const { address, owner } of nodes) owners.set(address, owner);
    for (const { host } of placedHosts(design)) {
      if (!balancers.has(host.name)) for (const address of host.ip) owners.set(address, host.name);
    }
    for (const { at, address } of endpointAddresses(design)) {
      const owner = owners.get(address);
      if (owner === undefined || canonicalAddress(address) === null) continue;
      report(at, { message: words.endpointTaken.message(address, owner), fix: words.endpointTaken.fix });
    }
  },
};

const endpointApiInt: Rule = {
  id: 'endpoint-api-int-shared',
  restsOn: [['topology'], ['services']],
  severity: 'warning',
  source: 'openshift-docs modules/installation-load-balancing-user-infra.adoc: 22623 is internal only',
  title: words.endpointApiInt.title,
  check(design, report) {
    if (design.topology === 'single-node' || design.services.loadBalancer.kind === 'external') return;
    const shared = design.endpoints.apiInt.find((address) => design.endpoints.ingress.includes(address));
    if (shared === undefined || canonicalAddress(shared) === null) return;
    report(['endpoints', 'apiInt'], { message: words.endpointApiInt.message(shared), fix: words.endpointApiInt.fix });
  },
};

export const endpointRules: readonly Rule[] = [endpointMember, endpointTaken, endpointApiInt];
