import { buildPartialDesign } from '../../../design/parse.ts';
import { type DesignDocument, getAt, setAt } from '../../../design/paths.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { createField, type Field, getDocumentProfile } from '../fields.ts';
import {
  createFullNameFormatter,
  formatClusterNameFacts,
  formatFreeAddressFacts,
  formatMacFacts,
  formatMirrorFacts,
  formatVersionFacts,
} from './facts.ts';
import { networkFields } from './networks.ts';
import { serviceFields } from './services.ts';

const words = () => catalogue().pages.cluster;

const clusterFields: readonly Field[] = [
  createField('openshift.version', 'text', () => words().version, {
    formatFacts: formatVersionFacts,
    extraPaths: ['openshift'],
  }),
  createField('openshift.architecture', 'choice', () => words().architecture),
  createField('openshift.osImageStream', 'choice', () => words().osImageStream, {
    fallback: (document) => (getDocumentProfile(document).rhel === 10 ? 'rhel-10' : 'rhel-9'),
    isOptional: true,
    isAdvanced: true,
    isVisible: (document) =>
      Boolean(getAt(document, 'openshift.osImageStream')) || getDocumentProfile(document).osImageStream !== 'unknown',
  }),
  createField('topology', 'choice', () => words().topology, {
    // The default is derived from the nodes.
    fallback: (document) => buildPartialDesign(document)?.topology ?? 'standard',
    // The nodes are the answers to correct, on a later page.
    isFixedOnLaterPage: true,
  }),
  createField('cluster.name', 'text', () => words().name, {
    formatFacts: (document, text) =>
      formatClusterNameFacts('api', text, String(getAt(document, 'cluster.baseDomain') ?? '')),
    extraPaths: ['cluster'],
  }),
  createField('cluster.baseDomain', 'text', () => words().baseDomain, {
    formatFacts: (document, text) =>
      formatClusterNameFacts('apps', String(getAt(document, 'cluster.name') ?? ''), text),
    // A full name may end in a dot; a domain of the design has none.
    applyFollowUp: (document) =>
      setAt(document, 'cluster.baseDomain', String(getAt(document, 'cluster.baseDomain') ?? '').replace(/\.$/, '')),
  }),
  createField('fips', 'flag', () => words().fips),
];

const credentialsWords = () => catalogue().pages.credentials;

const credentialFields: readonly Field[] = [
  createField('credentials.pullSecretFile', 'text', () => credentialsWords().pullSecretFile, { isOptional: true }),
  createField('credentials.sshKeyFile', 'text', () => credentialsWords().sshKeyFile, { isOptional: true }),
  createField('credentials.fencingFile', 'text', () => credentialsWords().fencingFile, {
    isOptional: true,
    isVisible: (document) =>
      Boolean(getAt(document, 'credentials.fencingFile')) || getAt(document, 'topology') === 'fencing',
  }),
  createField('additionalTrustBundleFile', 'text', () => credentialsWords().trustBundleFile, {
    isOptional: true,
    isAdvanced: true,
  }),
  createField('additionalTrustBundlePolicy', 'choice', () => credentialsWords().trustBundlePolicy, {
    fallback: () => 'Always',
    isOptional: true,
    isAdvanced: true,
    isVisible: (document) =>
      Boolean(getAt(document, 'additionalTrustBundlePolicy')) ||
      (Boolean(getAt(document, 'additionalTrustBundleFile')) && getDocumentProfile(document).hasTrustBundlePolicy),
  }),
  createField('imageDigestSources', 'mirrors', () => credentialsWords().mirrors, {
    formatFacts: formatMirrorFacts,
    isOptional: true,
    isAdvanced: true,
  }),
  createField('downloadsDir', 'text', () => credentialsWords().downloadsDir, { isOptional: true, isAdvanced: true }),
];

const nodesWords = () => catalogue().pages.nodes.edit;

/** Completes a bond: a new one gets a mode that works with every switch, and one without a name is removed. */
function completeBond(node: DesignDocument): DesignDocument {
  if (getAt(node, 'bond.name') === undefined) return setAt(node, 'bond', undefined);
  return getAt(node, 'bond.mode') === undefined ? setAt(node, 'bond.mode', 'active-backup') : node;
}

const hasBond = (node: DesignDocument) => getAt(node, 'bond') !== undefined && getAt(node, 'bond') !== null;

/** The design states the sizes and the disk of each node: a missing value is a missing answer. */
const getNoDefault = () => '';

/** Creates a field whose path starts at a node. */
const createNodeField: typeof createField = (path, type, nodeWords, options) =>
  createField(path, type, nodeWords, options, `nodes.0.${path}`);

/** The fields of one node. */
export const nodeFields: readonly Field[] = [
  createNodeField('name', 'text', () => nodesWords().name, { formatFacts: createFullNameFormatter(true) }),
  createNodeField('role', 'choice', () => nodesWords().role),
  createNodeField('ip', 'addresses', () => nodesWords().ip, { formatFacts: formatFreeAddressFacts }),
  createNodeField('mac', 'mac', () => nodesWords().mac, { formatFacts: formatMacFacts }),
  createNodeField('vcpu', 'number', () => nodesWords().vcpu),
  createNodeField('memoryGiB', 'number', () => nodesWords().memoryGiB),
  createNodeField('diskGiB', 'number', () => nodesWords().diskGiB, { fallback: getNoDefault }),
  createNodeField('installDisk', 'text', () => nodesWords().installDisk, { fallback: getNoDefault }),
  createNodeField('interface', 'text', () => nodesWords().interface, { isOptional: true, isAdvanced: true }),
  createNodeField('vlan', 'number', () => nodesWords().vlan, { isOptional: true, isAdvanced: true }),
  createNodeField('bond.name', 'text', () => nodesWords().bondName, {
    isOptional: true,
    isAdvanced: true,
    extraPaths: ['bond'],
    applyFollowUp: completeBond,
  }),
  createNodeField('bond.interfaces', 'list', () => nodesWords().bondInterfaces, {
    isAdvanced: true,
    isVisible: hasBond,
  }),
  createNodeField('bond.mode', 'choice', () => nodesWords().bondMode, {
    choices: ['active-backup', '802.3ad', 'balance-rr', 'balance-xor', 'broadcast', 'balance-tlb', 'balance-alb'],
    isAdvanced: true,
    isVisible: hasBond,
  }),
  createNodeField('firmware', 'choice', () => nodesWords().firmware, { isAdvanced: true }),
  createNodeField('secureBoot', 'flag', () => nodesWords().secureBoot, { isAdvanced: true }),
  createNodeField('kernelArguments', 'space-separated', () => nodesWords().kernelArguments, {
    isOptional: true,
    isAdvanced: true,
  }),
];

/** The design pages that are forms, with their fields. */
export const FORMS = {
  cluster: clusterFields,
  networks: networkFields,
  services: serviceFields,
  credentials: credentialFields,
} as const satisfies Record<string, readonly Field[]>;

/** The name of a design page that is a form. */
export type FormId = keyof typeof FORMS;
