import { pages } from '../../text/en/pages.ts';
import { type Document, getAt } from '../document.ts';
import type { Field } from '../fields.ts';

const words = pages.services;
const OS = ['rhel8', 'rhel9', 'rhel10', 'debian'];

const is = (path: string, value: string) => (document: Document) => getAt(document, path) === value;

export const serviceFields: readonly Field[] = [
  { path: 'services.bastion.name', type: 'text', words: words.bastionName },
  { path: 'services.bastion.ip', type: 'addresses', words: words.bastionIp },
  { path: 'services.bastion.os', type: 'choice', words: words.bastionOs, choices: OS },
  { path: 'services.dns.kind', type: 'choice', words: words.dnsKind, choices: ['bind', 'external'] },
  {
    path: 'services.dns.servers.0.name',
    type: 'text',
    words: words.dnsName,
    isVisible: is('services.dns.kind', 'bind'),
  },
  { path: 'services.dns.servers.0.ip', type: 'addresses', words: words.dnsIp },
  {
    path: 'services.dns.forwarders',
    type: 'list',
    words: words.forwarders,
    isOptional: true,
    isVisible: is('services.dns.kind', 'bind'),
  },
  { path: 'services.dhcp.kind', type: 'choice', words: words.dhcpKind, choices: ['isc-dhcpd', 'kea', 'none'] },
  {
    path: 'services.dhcp.server',
    type: 'text',
    words: words.dhcpServer,
    isVisible: (document) => getAt(document, 'services.dhcp.kind') !== 'none',
  },
  { path: 'services.loadBalancer.kind', type: 'choice', words: words.lbKind, choices: ['haproxy', 'external'] },
  {
    path: 'services.loadBalancer.servers.0.name',
    type: 'text',
    words: words.lbName,
    isVisible: is('services.loadBalancer.kind', 'haproxy'),
  },
  {
    path: 'services.loadBalancer.servers.0.ip',
    type: 'addresses',
    words: words.lbIp,
    isVisible: is('services.loadBalancer.kind', 'haproxy'),
  },
  { path: 'services.boot.kind', type: 'choice', words: words.bootKind, choices: ['ipxe', 'iso'] },
  { path: 'services.boot.httpPort', type: 'number', words: words.httpPort },
  { path: 'services.time.servers', type: 'list', words: words.time, isOptional: true },
  {
    path: 'infra.registry.storage',
    type: 'choice',
    words: words.registryStorage,
    choices: ['pvc', 'emptyDir', 'none'],
  },
  {
    path: 'infra.registry.storageClass',
    type: 'text',
    words: words.storageClass,
    isOptional: true,
    isVisible: (document) => (getAt(document, 'infra.registry.storage') ?? 'pvc') === 'pvc',
  },
];
