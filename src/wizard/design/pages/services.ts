import { catalogue } from '../../../text/catalogue.ts';
import { type Document, getAt, setAt } from '../document.ts';
import { type Field, field } from '../fields.ts';
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
  field('services.bastion.name', 'text', () => words().bastionName, {
    facts: fullName(false),
    alsoOwns: ['services.bastion', 'services'],
  }),
  field('services.bastion.ip', 'addresses', () => words().bastionIp, { facts: freeAddress }),
  field('services.bastion.os', 'choice', () => words().bastionOs, { choices: OS, fallback: usualOs }),
  field('services.dns.kind', 'choice', () => words().dnsKind, { choices: ['bind', 'external'], fallback: dnsKind }),
  field(`${DNS}.0.name`, 'text', () => words().dnsName, {
    facts: fullName(false),
    isVisible: (document) => isBind(document) || lacksName(document, `${DNS}.0`),
    alsoOwns: [DNS, `${DNS}.0`],
  }),
  field(`${DNS}.0.ip`, 'addresses', () => words().dnsIp, { facts: freeAddress }),
  field('services.dns.forwarders', 'list', () => words().forwarders, { isOptional: true, isVisible: isBind }),
  field('services.dhcp.kind', 'choice', () => words().dhcpKind, {
    choices: ['isc-dhcpd', 'kea', 'none'],
    fallback: () => 'isc-dhcpd',
  }),
  field('services.dhcp.server', 'text', () => words().dhcpServer, {
    isVisible: (document) => getAt(document, 'services.dhcp.kind') !== 'none',
  }),
  field('services.loadBalancer.kind', 'choice', () => words().lbKind, {
    choices: ['haproxy', 'external'],
    fallback: balancerKind,
  }),
  field(`${BALANCERS}.0.name`, 'text', () => words().lbName, {
    facts: fullName(false),
    isVisible: isHaproxy,
    alsoOwns: [BALANCERS, `${BALANCERS}.0`],
  }),
  field(`${BALANCERS}.0.ip`, 'addresses', () => words().lbIp, { facts: freeAddress, isVisible: isHaproxy }),
  field('services.boot.kind', 'choice', () => words().bootKind, { choices: ['ipxe', 'iso'], fallback: () => 'ipxe' }),
  field('services.boot.httpPort', 'number', () => words().httpPort, { facts: bootUrl, fallback: () => '8080' }),
  field('services.time.servers', 'list', () => words().time, { isOptional: true }),
  field('infra.registry.storage', 'choice', () => words().registryStorage, {
    choices: ['pvc', 'emptyDir', 'none'],
    fallback: () => 'pvc',
  }),
  field('infra.registry.storageClass', 'text', () => words().storageClass, {
    isOptional: true,
    isVisible: (document) => (getAt(document, 'infra.registry.storage') ?? 'pvc') === 'pvc',
  }),
  field(LAYOUT, 'choice', () => words().layout, {
    choices: ['hosts', 'bastion'],
    fallback: (document) => (isOne(document) ? 'bastion' : 'hosts'),
    follow: layOut,
    isAdvanced: true,
  }),
  field(`${DNS}.0.os`, 'choice', () => words().dnsOs, {
    choices: OS,
    fallback: usualOs,
    isAdvanced: true,
    isVisible: isBind,
  }),
  field(DNS, 'hosts', () => words().dnsMore, { facts: hostFacts(DNS), isOptional: true, isAdvanced: true }),
  field(`${BALANCERS}.0.os`, 'choice', () => words().lbOs, {
    choices: OS,
    fallback: usualOs,
    isAdvanced: true,
    isVisible: isHaproxy,
  }),
  field(BALANCERS, 'hosts', () => words().lbMore, {
    facts: hostFacts(BALANCERS),
    isOptional: true,
    isAdvanced: true,
    isVisible: isHaproxy,
  }),
  ...infraFields,
];
