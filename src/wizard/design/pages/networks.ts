import { addressCount } from '../../../design/facts.ts';
import { versionProfile } from '../../../design/versions.ts';
import { catalogue } from '../../../text/catalogue.ts';
import { type Document, getAt, setAt } from '../document.ts';
import type { Field } from '../fields.ts';
import { endpointFacts, machineFacts, podFacts, routerFacts } from './facts.ts';

const words = () => catalogue().pages.networks;

const has = (path: string) => (document: Document) => getAt(document, path) !== undefined;
const textAt = (document: Document, path: string) => String(getAt(document, path) ?? '');
const profileOf = (document: Document) => versionProfile(textAt(document, 'openshift.version'));

/** An entry of a list goes with its network: its other fields are of no use without it. */
const withoutEmpty = (entry: string) => (document: Document) =>
  getAt(document, `${entry}.cidr`) === undefined ? setAt(document, entry, undefined) : document;

/** The design's default. */
const USUAL_CLUSTER = '10.128.0.0/14';

/** An IPv6 cluster network always gives each node a /64. */
const standardPrefix = (cidr: string) => (cidr.includes(':') ? '64' : '23');

function clusterNetwork(index: 0 | 1): [cidr: Pick<Field, 'facts'>, prefix: Pick<Field, 'facts' | 'fallback'>] {
  const entry = `networks.cluster.${index}`;
  const prefixOf = (document: Document, cidr: string) =>
    Number(getAt(document, `${entry}.hostPrefix`) ?? standardPrefix(cidr));
  return [
    { facts: (document, text) => podFacts(document, text, prefixOf(document, text)) },
    {
      fallback: (document) => standardPrefix(textAt(document, `${entry}.cidr`)),
      facts: (document, text) =>
        podFacts(document, textAt(document, `${entry}.cidr`) || (index === 0 ? USUAL_CLUSTER : ''), Number(text)),
    },
  ];
}

const [cluster, hostPrefix] = clusterNetwork(0);
const [cluster2, hostPrefix2] = clusterNetwork(1);

export const networkFields: readonly Field[] = [
  {
    path: 'networks.machine.0.cidr',
    type: 'text',
    words: () => words().machine,
    facts: machineFacts,
    alsoOwns: ['networks.machine', 'networks'],
  },
  {
    path: 'networks.machine.0.gateway',
    type: 'text',
    words: () => words().gateway,
    isOptional: true,
    // The only problem of a network as a whole is a missing gateway.
    alsoOwns: ['networks.machine.0'],
  },
  {
    path: 'networks.cluster.0.cidr',
    type: 'text',
    words: () => words().cluster,
    fallback: () => USUAL_CLUSTER,
    ...cluster,
  },
  { path: 'networks.cluster.0.hostPrefix', type: 'number', words: () => words().hostPrefix, ...hostPrefix },
  {
    path: 'networks.service.0',
    type: 'text',
    words: () => words().service,
    fallback: () => '172.30.0.0/16',
    facts: (_document, text) => addressCount(text),
  },
  { path: 'networks.company', type: 'list', words: () => words().company, isOptional: true },
  { path: 'networks.router', type: 'text', words: () => words().router, isOptional: true, facts: routerFacts },
  {
    path: 'endpoints.api',
    type: 'addresses',
    words: () => words().api,
    facts: endpointFacts('api'),
    alsoOwns: ['endpoints'],
  },
  { path: 'endpoints.apiInt', type: 'addresses', words: () => words().apiInt, facts: endpointFacts('apiInt') },
  { path: 'endpoints.ingress', type: 'addresses', words: () => words().ingress, facts: endpointFacts('ingress') },
  {
    path: 'networks.machine.1.cidr',
    type: 'text',
    words: () => words().machine2,
    isOptional: true,
    isAdvanced: true,
    facts: machineFacts,
    follow: withoutEmpty('networks.machine.1'),
  },
  {
    path: 'networks.machine.1.gateway',
    type: 'text',
    words: () => words().gateway2,
    alsoOwns: ['networks.machine.1'],
    isOptional: true,
    isAdvanced: true,
    isVisible: has('networks.machine.1'),
  },
  {
    path: 'networks.cluster.1.cidr',
    type: 'text',
    words: () => words().cluster2,
    isOptional: true,
    isAdvanced: true,
    ...cluster2,
    alsoOwns: ['networks.cluster.1', 'networks.cluster'],
    follow: withoutEmpty('networks.cluster.1'),
  },
  {
    path: 'networks.cluster.1.hostPrefix',
    type: 'number',
    words: () => words().hostPrefix2,
    isOptional: true,
    isAdvanced: true,
    ...hostPrefix2,
    isVisible: has('networks.cluster.1'),
  },
  {
    path: 'networks.service.1',
    type: 'text',
    words: () => words().service2,
    isOptional: true,
    isAdvanced: true,
    alsoOwns: ['networks.service'],
    facts: (_document, text) => addressCount(text),
  },
  {
    path: 'networks.type',
    type: 'choice',
    words: () => words().networkType,
    choices: ['OVNKubernetes', 'OpenShiftSDN'],
    isOptional: true,
    isAdvanced: true,
    fallback: (document) => profileOf(document).defaultNetworkType,
    // A type that the version lacks can be corrected only where the person sees it.
    isVisible: (document) => profileOf(document).networkTypes.length > 1 || textAt(document, 'networks.type') !== '',
  },
  {
    path: 'proxy.httpProxy',
    type: 'text',
    words: () => words().httpProxy,
    isOptional: true,
    isAdvanced: true,
    alsoOwns: ['proxy'],
  },
  { path: 'proxy.httpsProxy', type: 'text', words: () => words().httpsProxy, isOptional: true, isAdvanced: true },
  {
    path: 'proxy.noProxy',
    type: 'text',
    words: () => words().noProxy,
    isOptional: true,
    isAdvanced: true,
    isVisible: (document) => textAt(document, 'proxy.httpProxy') + textAt(document, 'proxy.httpsProxy') !== '',
  },
];
