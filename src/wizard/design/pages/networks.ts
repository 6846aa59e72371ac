import { DEFAULT_CLUSTER_NETWORK, DEFAULT_SERVICE_NETWORK, getDefaultHostPrefix } from '../../../design/choices.ts';
import { describeAddressCount, describePodsPerNode } from '../../../design/derived-facts.ts';
import { type DesignDocument, getAt, setAt } from '../../../design/paths.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { createField, type Field, getDocumentProfile } from '../fields.ts';
import {
  createEndpointFactsFormatter,
  formatClusterNetworkFacts,
  formatMachineNetworkFacts,
  formatRouterFacts,
} from './facts.ts';

const words = () => catalogue().pages.networks;

const hasPath = (path: string) => (document: DesignDocument) => getAt(document, path) !== undefined;
const getText = (document: DesignDocument, path: string) => String(getAt(document, path) ?? '');

/** Removes a list entry without a network: its other fields have no meaning then. */
const removeEntryWithoutCidr = (entry: string) => (document: DesignDocument) =>
  getAt(document, `${entry}.cidr`) === undefined ? setAt(document, entry, undefined) : document;

function createClusterNetworkOptions(
  index: 0 | 1,
): [cidr: Pick<Field, 'formatFacts'>, prefix: Pick<Field, 'formatFacts' | 'fallback'>] {
  const entry = `networks.cluster.${index}`;
  const getPrefix = (document: DesignDocument, cidr: string) =>
    Number(getAt(document, `${entry}.hostPrefix`) ?? getDefaultHostPrefix(cidr));
  return [
    { formatFacts: (document, text) => formatClusterNetworkFacts(document, text, getPrefix(document, text)) },
    {
      fallback: (document) => String(getDefaultHostPrefix(getText(document, `${entry}.cidr`))),
      formatFacts: (document, text) =>
        describePodsPerNode(
          getText(document, `${entry}.cidr`) || (index === 0 ? DEFAULT_CLUSTER_NETWORK : ''),
          Number(text),
        ),
    },
  ];
}

const [clusterOptions, hostPrefixOptions] = createClusterNetworkOptions(0);
const [secondClusterOptions, secondHostPrefixOptions] = createClusterNetworkOptions(1);

/** The fields of the page Networks. */
export const networkFields: readonly Field[] = [
  createField('networks.machine.0.cidr', 'text', () => words().machine, {
    formatFacts: formatMachineNetworkFacts,
    extraPaths: ['networks.machine', 'networks'],
  }),
  createField('networks.machine.0.gateway', 'text', () => words().gateway, {
    isOptional: true,
    // The only problem reported for a network as a whole is a missing gateway.
    extraPaths: ['networks.machine.0'],
  }),
  createField('networks.cluster.0.cidr', 'text', () => words().cluster, {
    fallback: () => DEFAULT_CLUSTER_NETWORK,
    ...clusterOptions,
  }),
  createField('networks.cluster.0.hostPrefix', 'number', () => words().hostPrefix, { ...hostPrefixOptions }),
  createField('networks.service.0', 'text', () => words().service, {
    fallback: () => DEFAULT_SERVICE_NETWORK,
    formatFacts: (_document, text) => describeAddressCount(text),
  }),
  createField('networks.company', 'list', () => words().company, { isOptional: true }),
  createField('networks.router', 'text', () => words().router, { isOptional: true, formatFacts: formatRouterFacts }),
  createField('endpoints.api', 'addresses', () => words().api, {
    formatFacts: createEndpointFactsFormatter('api'),
    extraPaths: ['endpoints'],
  }),
  createField('endpoints.apiInt', 'addresses', () => words().apiInt, {
    formatFacts: createEndpointFactsFormatter('apiInt'),
  }),
  createField('endpoints.ingress', 'addresses', () => words().ingress, {
    formatFacts: createEndpointFactsFormatter('ingress'),
  }),
  createField('networks.machine.1.cidr', 'text', () => words().machine2, {
    isOptional: true,
    isAdvanced: true,
    formatFacts: formatMachineNetworkFacts,
    applyFollowUp: removeEntryWithoutCidr('networks.machine.1'),
  }),
  createField('networks.machine.1.gateway', 'text', () => words().gateway2, {
    extraPaths: ['networks.machine.1'],
    isOptional: true,
    isAdvanced: true,
    isVisible: hasPath('networks.machine.1'),
  }),
  createField('networks.cluster.1.cidr', 'text', () => words().cluster2, {
    isOptional: true,
    isAdvanced: true,
    ...secondClusterOptions,
    extraPaths: ['networks.cluster.1', 'networks.cluster'],
    applyFollowUp: removeEntryWithoutCidr('networks.cluster.1'),
  }),
  createField('networks.cluster.1.hostPrefix', 'number', () => words().hostPrefix2, {
    isOptional: true,
    isAdvanced: true,
    ...secondHostPrefixOptions,
    isVisible: hasPath('networks.cluster.1'),
  }),
  createField('networks.service.1', 'text', () => words().service2, {
    isOptional: true,
    isAdvanced: true,
    extraPaths: ['networks.service'],
    formatFacts: (_document, text) => describeAddressCount(text),
  }),
  createField('networks.type', 'choice', () => words().networkType, {
    choices: ['OVNKubernetes', 'OpenShiftSDN'],
    isOptional: true,
    isAdvanced: true,
    fallback: (document) => getDocumentProfile(document).defaultNetworkType,
    // An unsupported type must be visible, so that the user can correct it.
    isVisible: (document) =>
      getDocumentProfile(document).networkTypes.length > 1 || getText(document, 'networks.type') !== '',
  }),
  createField('proxy.httpProxy', 'text', () => words().httpProxy, {
    isOptional: true,
    isAdvanced: true,
    extraPaths: ['proxy'],
  }),
  createField('proxy.httpsProxy', 'text', () => words().httpsProxy, { isOptional: true, isAdvanced: true }),
  createField('proxy.noProxy', 'text', () => words().noProxy, {
    isOptional: true,
    isAdvanced: true,
    isVisible: (document) => getText(document, 'proxy.httpProxy') + getText(document, 'proxy.httpsProxy') !== '',
  }),
];
