import { addressCount, clusterNetworkFacts } from '../../design/facts.ts';
import { pages } from '../../text/en/pages.ts';
import { getAt } from '../document.ts';
import type { Field } from '../fields.ts';

const words = pages.networks;

export const networkFields: readonly Field[] = [
  {
    path: 'networks.machine.0.cidr',
    type: 'text',
    words: words.machine,
    facts: (_document, text) => addressCount(text),
    alsoOwns: ['networks.machine.0', 'networks.machine'],
  },
  { path: 'networks.machine.0.gateway', type: 'text', words: words.gateway, isOptional: true },
  {
    path: 'networks.cluster.0.cidr',
    type: 'text',
    words: words.cluster,
    facts: (document, text) =>
      clusterNetworkFacts(text, Number(getAt(document, 'networks.cluster.0.hostPrefix') ?? 23)),
  },
  {
    path: 'networks.cluster.0.hostPrefix',
    type: 'number',
    words: words.hostPrefix,
    facts: (document, text) =>
      clusterNetworkFacts(String(getAt(document, 'networks.cluster.0.cidr') ?? ''), Number(text)),
  },
  { path: 'networks.service.0', type: 'text', words: words.service, facts: (_document, text) => addressCount(text) },
  { path: 'networks.company', type: 'list', words: words.company, isOptional: true },
  { path: 'networks.router', type: 'text', words: words.router, isOptional: true },
  { path: 'endpoints.api', type: 'addresses', words: words.api },
  { path: 'endpoints.apiInt', type: 'addresses', words: words.apiInt },
  { path: 'endpoints.ingress', type: 'addresses', words: words.ingress },
];
