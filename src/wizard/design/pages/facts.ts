import { canonicalAddress, canonicalMac } from '../../../design/address.ts';
import { addressesLeft, clusterNetworkFacts, nextFree, nodeRoom, resultingNames } from '../../../design/facts.ts';
import { isDomain, isLabel } from '../../../design/text-forms.ts';
import { minorOf } from '../../../design/versions.ts';
import { catalogue } from '../../../text/catalogue.ts';
import { answerOf, textOf } from '../answers.ts';
import { type Document, getAt } from '../document.ts';

// What follows from an answer while a person types it. Each takes the document and the text under the cursor; empty
// while there is nothing to say.

const words = () => catalogue().design.facts;

const textAt = (document: Document, path: string) => textOf('text', getAt(document, path)).trim();

function listAt(document: Document, path: string): readonly unknown[] {
  const value = getAt(document, path);
  return Array.isArray(value) ? value : value === undefined || value === null || value === '' ? [] : [value];
}

/** Every address that the design gives to a machine, the router included. */
function usedAddresses(document: Document): string[] {
  const owners = [
    ...listAt(document, 'nodes'),
    getAt(document, 'services.bastion'),
    ...listAt(document, 'services.dns.servers'),
    ...listAt(document, 'services.loadBalancer.servers'),
  ];
  const endpoints = ['api', 'apiInt', 'ingress'].flatMap((key) => listAt(document, `endpoints.${key}`));
  const gateways = listAt(document, 'networks.machine').map((network) => getAt(network, 'gateway'));
  return [...owners.flatMap((owner) => listAt(owner, 'ip')), ...endpoints, ...gateways].flatMap((address) =>
    typeof address === 'string' ? [address] : [],
  );
}

/** `Kubernetes 1.31`: the two have counted up together since 4.1 (4.18 has 1.31). */
export function versionFacts(_document: Document, text: string): string {
  const [major, minor] = (minorOf(text.trim()) ?? '').split('.');
  return major === '4' ? words().kubernetes(Number(minor) + 13) : '';
}

/** The resulting names; none while the text cannot be a name. */
export function clusterNames(name: string, domain: string): string {
  const isPossible = isLabel(name.trim()) && isDomain(domain.trim()) && !/(?:^|\.)\d+$/.test(domain.trim());
  return isPossible ? resultingNames(name, domain) : '';
}

export function machineFacts(document: Document, text: string): string {
  return addressesLeft(text, usedAddresses(document));
}

/** Nodes and pods of a cluster network, and whether the nodes of the design fit into it. */
export function podFacts(document: Document, cidr: string, hostPrefix: number): string {
  const facts = clusterNetworkFacts(cidr, hostPrefix);
  const room = nodeRoom(cidr, hostPrefix);
  const nodes = listAt(document, 'nodes').filter((node) => getAt(node, 'role') !== 'bootstrap').length;
  if (facts === '' || room === null || nodes === 0) return facts;
  return room >= BigInt(nodes) ? words().enoughFor(facts, nodes) : words().tooFewFor(facts, nodes);
}

const CALLED = { api: 'api', apiInt: 'api-int', ingress: '*.apps' } as const;

/** The name of an endpoint, and which machine has its address. */
export function endpointFacts(key: 'api' | 'apiInt' | 'ingress') {
  return (document: Document, text: string): string => {
    const [address = ''] = listAt({ ip: answerOf('addresses', text.trim(), null) }, 'ip').map(String);
    if (canonicalAddress(address) === null) return '';
    const domain = `${textAt(document, 'cluster.name')}.${textAt(document, 'cluster.baseDomain')}`;
    const called = words().called(`${CALLED[key]}.${domain}`);
    const balancers = listAt(document, 'services.loadBalancer.servers');
    if (textAt(document, 'services.loadBalancer.kind') !== 'haproxy' || balancers.length === 0) return called;
    const owner = balancers.find((host) => listAt(host, 'ip').includes(address));
    const names = balancers.map((host) => textAt(host, 'name')).join(', ');
    return `${called}; ${owner === undefined ? words().keepalived(names) : words().ownAddress(textAt(owner, 'name'))}`;
  };
}

/** The route that the company's machines need. */
export function routerFacts(document: Document, text: string): string {
  const cidr = textAt(document, 'networks.machine.0.cidr');
  return canonicalAddress(text.trim()) === null || cidr === '' ? '' : words().returnRoute(cidr, text.trim());
}

/** A full name: of a node in the cluster's domain, of a service host in the base domain. */
export function fullName(isNode: boolean) {
  return (document: Document, text: string): string => {
    const name = text.trim();
    const base = textAt(document, 'cluster.baseDomain');
    const domain = isNode ? `${textAt(document, 'cluster.name')}.${base}` : base;
    return isLabel(name) && isDomain(domain) ? `${name}.${domain}` : '';
  };
}

/** For an address still to be chosen: the next free one. */
export function freeAddress(document: Document, text: string): string {
  if (text.trim() !== '') return '';
  const free = nextFree(textAt(document, 'networks.machine.0.cidr'), usedAddresses(document));
  return free === '' ? '' : words().nextFree(free);
}

/** The usual spelling, where the typed one differs. */
export function macFacts(_document: Document, text: string): string {
  const mac = canonicalMac(text.trim());
  return mac === null || mac === text.trim() ? '' : words().mac(mac);
}

/** Where machines fetch their files. */
export function bootUrl(document: Document, text: string): string {
  const [address = ''] = listAt(document, 'services.bastion.ip').map(String);
  return /^\d+$/.test(text.trim()) && canonicalAddress(address) !== null ? words().url(address, text.trim()) : '';
}

/** Every host of a list, the one with questions of its own first. */
export function hostFacts(path: string) {
  return (document: Document, text: string): string => {
    const hosts = answerOf('hosts', text.trim(), getAt(document, path));
    const names = listAt({ hosts }, 'hosts').map((host) => textAt(host, 'name'));
    return names.length > 1 && names.every(isLabel) ? words().hosts(names.join(', ')) : '';
  };
}

export function mirrorFacts(_document: Document, text: string): string {
  const count = text.split(/[,;\s]+/).filter((pair) => /^[^=]+=[^=]+$/.test(pair)).length;
  return count === 0 ? '' : words().pairs(count);
}
