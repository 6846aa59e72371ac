import { catalogue } from '../../../text/catalogue.ts';
import { type Document, getAt, setAt } from '../document.ts';
import type { Field } from '../fields.ts';
import { bootUrl, freeAddress, fullName, hostFacts } from './facts.ts';
import { infraFields } from './infra.ts';

const words = () => catalogue().pages.services;
const OS = ['rhel8', 'rhel9', 'rhel10', 'debian'];
const DNS = 'services.dns.servers';
const BALANCERS = 'services.loadBalancer.servers';

const usualOs = () => 'rhel9';
const hasServers = (document: Document, path: string) => {
  const servers = getAt(document, path);
  return Array.isArray(servers) && servers.length > 0;
};

/** The same default as the design's: our own where it names hosts. */
const dnsKind = (document: Document) =>
  String(getAt(document, 'services.dns.kind') ?? (hasServers(document, DNS) ? 'bind' : 'external'));
const balancerKind = (document: Document) =>
  String(getAt(document, 'services.loadBalancer.kind') ?? (hasServers(document, BALANCERS) ? 'haproxy' : 'external'));

const isBind = (document: Document) => dnsKind(document) === 'bind';
const isHaproxy = (document: Document) => balancerKind(document) === 'haproxy';
/** A host in the file has a name, even where only its address matters. */
const lacksName = (document: Document, host: string) =>
  getAt(document, host) !== undefined && getAt(document, `${host}.name`) === undefined;

/** Not an answer of its own: what it says stands in the hosts of the services. */
const LAYOUT = 'services.layout';
/** Whose host each service has, where it is ours. */
const isOne = (document: Document) => {
  const name = getAt(document, 'services.bastion.name');
  const hosts = [
    ...(isBind(document) ? [getAt(document, `${DNS}.0.name`)] : []),
    ...(isHaproxy(document) ? [getAt(document, `${BALANCERS}.0.name`)] : []),
  ];
  return hosts.length > 0 && hosts.every((host) => host === name);
};

/** Puts every service of ours on the bastion, or those that are there on hosts of their own, whose addresses are then asked for. */
function layOut(document: Document): Document {
  const wanted = getAt(document, LAYOUT);
  const bare = setAt(document, LAYOUT, undefined);
  if (wanted === 'bastion') {
    const bastion = getAt(bare, 'services.bastion');
    return place(bare, { dns: bastion, balancer: bastion, dhcp: getAt(bare, 'services.bastion.name') });
  }
  if (!isOne(bare)) return bare;
  return place(bare, { dns: { name: 'ns1', ip: '' }, balancer: { name: 'lb1', ip: '' }, dhcp: 'ns1' });
}

function place(
  document: Document,
  { dns, balancer, dhcp }: { readonly dns: unknown; readonly balancer: unknown; readonly dhcp: unknown },
): Document {
  const withDns = isBind(document) ? setAt(document, DNS, [dns]) : document;
  const withBalancer = isHaproxy(document) ? setAt(withDns, BALANCERS, [balancer]) : withDns;
  const hasDhcp = getAt(document, 'services.dhcp.kind') !== 'none';
  return hasDhcp ? setAt(withBalancer, 'services.dhcp.server', dhcp) : withBalancer;
}

export const serviceFields: readonly Field[] = [
  {
    path: 'services.bastion.name',
    type: 'text',
    words: () => words().bastionName,
    facts: fullName(false),
    alsoOwns: ['services.bastion', 'services'],
  },
  { path: 'services.bastion.ip', type: 'addresses', words: () => words().bastionIp, facts: freeAddress },
  { path: 'services.bastion.os', type: 'choice', words: () => words().bastionOs, choices: OS, fallback: usualOs },
  {
    path: 'services.dns.kind',
    type: 'choice',
    words: () => words().dnsKind,
    choices: ['bind', 'external'],
    fallback: dnsKind,
  },
  {
    path: `${DNS}.0.name`,
    type: 'text',
    words: () => words().dnsName,
    facts: fullName(false),
    isVisible: (document) => isBind(document) || lacksName(document, `${DNS}.0`),
    alsoOwns: [DNS, `${DNS}.0`],
  },
  { path: `${DNS}.0.ip`, type: 'addresses', words: () => words().dnsIp, facts: freeAddress },
  {
    path: 'services.dns.forwarders',
    type: 'list',
    words: () => words().forwarders,
    isOptional: true,
    isVisible: isBind,
  },
  {
    path: 'services.dhcp.kind',
    type: 'choice',
    words: () => words().dhcpKind,
    choices: ['isc-dhcpd', 'kea', 'none'],
    fallback: () => 'isc-dhcpd',
  },
  {
    path: 'services.dhcp.server',
    type: 'text',
    words: () => words().dhcpServer,
    isVisible: (document) => getAt(document, 'services.dhcp.kind') !== 'none',
  },
  {
    path: 'services.loadBalancer.kind',
    type: 'choice',
    words: () => words().lbKind,
    choices: ['haproxy', 'external'],
    fallback: balancerKind,
  },
  {
    path: `${BALANCERS}.0.name`,
    type: 'text',
    words: () => words().lbName,
    facts: fullName(false),
    isVisible: isHaproxy,
    alsoOwns: [BALANCERS, `${BALANCERS}.0`],
  },
  {
    path: `${BALANCERS}.0.ip`,
    type: 'addresses',
    words: () => words().lbIp,
    facts: freeAddress,
    isVisible: isHaproxy,
  },
  {
    path: 'services.boot.kind',
    type: 'choice',
    words: () => words().bootKind,
    choices: ['ipxe', 'iso'],
    fallback: () => 'ipxe',
  },
  {
    path: 'services.boot.httpPort',
    type: 'number',
    words: () => words().httpPort,
    facts: bootUrl,
    fallback: () => '8080',
  },
  { path: 'services.time.servers', type: 'list', words: () => words().time, isOptional: true },
  {
    path: 'infra.registry.storage',
    type: 'choice',
    words: () => words().registryStorage,
    choices: ['pvc', 'emptyDir', 'none'],
    fallback: () => 'pvc',
  },
  {
    path: 'infra.registry.storageClass',
    type: 'text',
    words: () => words().storageClass,
    isOptional: true,
    isVisible: (document) => (getAt(document, 'infra.registry.storage') ?? 'pvc') === 'pvc',
  },
  {
    path: LAYOUT,
    type: 'choice',
    words: () => words().layout,
    choices: ['hosts', 'bastion'],
    fallback: (document) => (isOne(document) ? 'bastion' : 'hosts'),
    follow: layOut,
    isAdvanced: true,
  },
  {
    path: `${DNS}.0.os`,
    type: 'choice',
    words: () => words().dnsOs,
    choices: OS,
    fallback: usualOs,
    isAdvanced: true,
    isVisible: isBind,
  },
  {
    path: DNS,
    type: 'hosts',
    words: () => words().dnsMore,
    facts: hostFacts(DNS),
    isOptional: true,
    isAdvanced: true,
  },
  {
    path: `${BALANCERS}.0.os`,
    type: 'choice',
    words: () => words().lbOs,
    choices: OS,
    fallback: usualOs,
    isAdvanced: true,
    isVisible: isHaproxy,
  },
  {
    path: BALANCERS,
    type: 'hosts',
    words: () => words().lbMore,
    facts: hostFacts(BALANCERS),
    isOptional: true,
    isAdvanced: true,
    isVisible: isHaproxy,
  },
  ...infraFields,
];
