import {
  formatNetwork,
  parseNetwork,
  toCanonicalAddress,
  toCanonicalCidr,
  toCanonicalMac,
} from '../../../design/address.ts';
import {
  countPossibleNodes,
  describeClusterNetwork,
  describeEndpointName,
  describeFreeAddresses,
  findFreeAddress,
} from '../../../design/derived-facts.ts';
import { type DesignDocument, getAt } from '../../../design/paths.ts';
import { isDnsLabel, isDomain, isDomainNotEndingInNumber } from '../../../design/text-formats.ts';
import { parseMinorVersion } from '../../../design/versions.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { formatFieldValue, parseFieldValue } from '../fields.ts';
import { collectUsedAddresses } from '../node-table.ts';

// Facts derived from an answer while the user types it. Each function takes the document and the text under the cursor,
// and returns an empty text if there is nothing to show.

const words = () => catalogue().design.facts;

const getText = (document: DesignDocument, path: string) => formatFieldValue('text', getAt(document, path)).trim();

function getList(document: DesignDocument, path: string): readonly unknown[] {
  const value = getAt(document, path);
  return Array.isArray(value) ? value : value === undefined || value === null || value === '' ? [] : [value];
}

/**
 * Formats the Kubernetes version, such as `Kubernetes 1.31`: minor versions have increased together since 4.1 (4.18 has
 * 1.31).
 */
export function formatVersionFacts(_document: DesignDocument, text: string): string {
  const [major, minor] = (parseMinorVersion(text.trim()) ?? '').split('.');
  return major === '4' ? words().kubernetes(Number(minor) + 13) : '';
}

/** Returns the resulting DNS name of the API or of the applications; empty while the text is not a valid name. */
export function formatClusterNameFacts(kind: 'api' | 'apps', name: string, domain: string): string {
  const isValid = name.trim().split('.').every(isDnsLabel) && isDomainNotEndingInNumber(domain.trim());
  return isValid ? describeEndpointName(kind, name, domain) : '';
}

/** Formats the free addresses of a machine network. */
export function formatMachineNetworkFacts(document: DesignDocument, text: string): string {
  return describeFreeAddresses(text, collectUsedAddresses(document));
}

/** Formats the capacity of a cluster network in nodes and pods, and whether the nodes of the design fit into it. */
export function formatClusterNetworkFacts(document: DesignDocument, cidr: string, hostPrefix: number): string {
  const facts = describeClusterNetwork(cidr, hostPrefix);
  const nodeCapacity = countPossibleNodes(cidr, hostPrefix);
  const nodeCount = getList(document, 'nodes').filter((node) => getAt(node, 'role') !== 'bootstrap').length;
  if (facts === '' || nodeCapacity === null || nodeCount === 0) return facts;
  return nodeCapacity >= BigInt(nodeCount) ? words().enoughFor(facts, nodeCount) : words().tooFewFor(facts, nodeCount);
}

const ENDPOINT_LABELS = { api: 'api', apiInt: 'api-int', ingress: '*.apps' } as const;

/**
 * Creates the formatter of an endpoint: the load balancer with its address, or those that share it through keepalived.
 * Without own load balancers: the DNS name.
 */
export function createEndpointFactsFormatter(key: 'api' | 'apiInt' | 'ingress') {
  return (document: DesignDocument, text: string): string => {
    const [address = ''] = getList({ ip: parseFieldValue('addresses', text.trim(), null) }, 'ip').map(String);
    if (toCanonicalAddress(address) === null) return '';
    const balancers = getList(document, 'services.loadBalancer.servers');
    if (getText(document, 'services.loadBalancer.kind') !== 'haproxy' || balancers.length === 0) {
      const [name, domain] = [getText(document, 'cluster.name'), getText(document, 'cluster.baseDomain')];
      return formatClusterNameFacts('api', name, domain) === '' ? '' : `${ENDPOINT_LABELS[key]}.${name}.${domain}`;
    }
    const owner = balancers.find((host) => getList(host, 'ip').includes(address));
    const names = (owner === undefined ? balancers : [owner]).map((host) => getText(host, 'name'));
    if (!names.every(isDnsLabel)) return '';
    return owner === undefined ? words().keepalived(names.join(', ')) : words().ownAddress(names.join());
  };
}

/** Returns the return route that the company network needs. */
export function formatRouterFacts(document: DesignDocument, text: string): string {
  const cidr = getText(document, 'networks.machine.0.cidr');
  const network = parseNetwork(cidr);
  const isNetwork = network !== null && formatNetwork(network) === toCanonicalCidr(cidr);
  return isNetwork && toCanonicalAddress(text.trim()) !== null ? words().returnRoute(cidr) : '';
}

/**
 * Creates the formatter of a host name: the FQDN, of a node in the cluster domain, of a service host in the base
 * domain.
 */
export function createFullNameFormatter(isNode: boolean) {
  return (document: DesignDocument, text: string): string => {
    const name = text.trim();
    const base = getText(document, 'cluster.baseDomain');
    const domain = isNode ? `${getText(document, 'cluster.name')}.${base}` : base;
    return isDnsLabel(name) && isDomain(domain) ? `${name}.${domain}` : '';
  };
}

/** Suggests the next free address for an empty field. */
export function formatFreeAddressFacts(document: DesignDocument, text: string): string {
  if (text.trim() !== '') return '';
  const freeAddress = findFreeAddress(getText(document, 'networks.machine.0.cidr'), collectUsedAddresses(document));
  return freeAddress === '' ? '' : words().nextFree(freeAddress);
}

/** Returns the canonical notation of a MAC address, if the typed one differs. */
export function formatMacFacts(_document: DesignDocument, text: string): string {
  const mac = toCanonicalMac(text.trim());
  return mac === null || mac === text.trim() ? '' : words().mac(mac);
}

const MAX_PORT = 65_535;

/** Returns the URL from which machines fetch their boot files. */
export function formatBootUrlFacts(document: DesignDocument, text: string): string {
  const [address = ''] = getList(document, 'services.bastion.ip').map(String);
  const port = /^\d+$/.test(text.trim()) ? Number(text) : 0;
  return port >= 1 && port <= MAX_PORT && toCanonicalAddress(address) !== null ? words().url(address, text.trim()) : '';
}

/**
 * Creates the formatter of a host list: the names of all hosts, if there are several. The first host has form fields of
 * its own; the typed text holds the others.
 */
export function createHostFactsFormatter(path: string) {
  return (document: DesignDocument, text: string): string => {
    const hosts = parseFieldValue('hosts', text.trim(), getAt(document, path));
    const names = getList({ hosts }, 'hosts').map((host) => getText(host, 'name'));
    return names.length > 1 && names.every(isDnsLabel) ? words().hosts(names.join(', ')) : '';
  };
}

/** Formats the number of complete `source=mirror` pairs. */
export function formatMirrorFacts(_document: DesignDocument, text: string): string {
  const count = text.split(/[,;\s]+/).filter((pair) => /^[^=]+=[^=]+$/.test(pair)).length;
  return count === 0 ? '' : words().pairs(count);
}
