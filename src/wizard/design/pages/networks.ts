import { addressCount } from '../../../design/facts.ts';
import { versionProfile } from '../../../design/versions.ts';
import { catalogue } from '../../../text/catalogue.ts';
import { type Document, getAt, setAt } from '../document.ts';
import { type Field, field } from '../fields.ts';
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
  field('networks.machine.0.cidr', 'text', () => words().machine, {
    facts: machineFacts,
    alsoOwns: ['networks.machine', 'networks'],
  }),
  field('networks.machine.0.gateway', 'text', () => words().gateway, {
    isOptional: true,
    // The only problem of a network as a whole is a missing gateway.
    alsoOwns: ['networks.machine.0'],
  }),
  field('networks.cluster.0.cidr', 'text', () => words().cluster, { fallback: () => USUAL_CLUSTER, ...cluster }),
  field('networks.cluster.0.hostPrefix', 'number', () => words().hostPrefix, { ...hostPrefix }),
  field('networks.service.0', 'text', () => words().service, {
    fallback: () => '172.30.0.0/16',
    facts: (_document, text) => addressCount(text),
  }),
  field('networks.company', 'list', () => words().company, { isOptional: true }),
  field('networks.router', 'text', () => words().router, { isOptional: true, facts: routerFacts }),
  field('endpoints.api', 'addresses', () => words().api, { facts: endpointFacts('api'), alsoOwns: ['endpoints'] }),
  field('endpoints.apiInt', 'addresses', () => words().apiInt, { facts: endpointFacts('apiInt') }),
  field('endpoints.ingress', 'addresses', () => words().ingress, { facts: endpointFacts('ingress') }),
  field('networks.machine.1.cidr', 'text', () => words().machine2, {
    isOptional: true,
    isAdvanced: true,
    facts: machineFacts,
    follow: withoutEmpty('networks.machine.1'),
  }),
  field('networks.machine.1.gateway', 'text', () => words().gateway2, {
    alsoOwns: ['networks.machine.1'],
    isOptional: true,
    isAdvanced: true,
    isVisible: has('networks.machine.1'),
  }),
  field('networks.cluster.1.cidr', 'text', () => words().cluster2, {
    isOptional: true,
    isAdvanced: true,
    ...cluster2,
    alsoOwns: ['networks.cluster.1', 'networks.cluster'],
    follow: withoutEmpty('networks.cluster.1'),
  }),
  field('networks.cluster.1.hostPrefix', 'number', () => words().hostPrefix2, {
    isOptional: true,
    isAdvanced: true,
    ...hostPrefix2,
    isVisible: has('networks.cluster.1'),
  }),
  field('networks.service.1', 'text', () => words().service2, {
    isOptional: true,
    isAdvanced: true,
    alsoOwns: ['networks.service'],
    facts: (_document, text) => addressCount(text),
  }),
  field('networks.type', 'choice', () => words().networkType, {
    choices: ['OVNKubernetes', 'OpenShiftSDN'],
    isOptional: true,
    isAdvanced: true,
    fallback: (document) => profileOf(document).defaultNetworkType,
    // A type that the version lacks can be corrected only where the person sees it.
    isVisible: (document) => profileOf(document).networkTypes.length > 1 || textAt(document, 'networks.type') !== '',
  }),
  field('proxy.httpProxy', 'text', () => words().httpProxy, {
    isOptional: true,
    isAdvanced: true,
    alsoOwns: ['proxy'],
  }),
  field('proxy.httpsProxy', 'text', () => words().httpsProxy, { isOptional: true, isAdvanced: true }),
  field('proxy.noProxy', 'text', () => words().noProxy, {
    isOptional: true,
    isAdvanced: true,
    isVisible: (document) => textAt(document, 'proxy.httpProxy') + textAt(document, 'proxy.httpsProxy') !== '',
  }),
];
