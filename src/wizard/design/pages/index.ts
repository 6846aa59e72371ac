import { setAt } from '../../../design/document-draft.ts';
import { buildPartialDesign } from '../../../design/parse.ts';
import { type DesignDocument, getAt } from '../../../design/paths.ts';
import { versionProfile } from '../../../design/versions.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { type Field, field } from '../fields.ts';
import { clusterNameFacts, freeAddressFacts, fullNameFacts, macFacts, mirrorFacts, versionFacts } from './facts.ts';
import { networkFields } from './networks.ts';
import { serviceFields } from './services.ts';

const words = () => catalogue().pages.cluster;
const getProfile = (document: DesignDocument) => versionProfile(String(getAt(document, 'openshift.version')));

const clusterFields: readonly Field[] = [
  field('openshift.version', 'text', () => words().version, { facts: versionFacts, extraPaths: ['openshift'] }),
  field('openshift.architecture', 'choice', () => words().architecture),
  field('openshift.osImageStream', 'choice', () => words().osImageStream, {
    fallback: (document) => (getProfile(document).rhel === 10 ? 'rhel-10' : 'rhel-9'),
    isOptional: true,
    isAdvanced: true,
    isVisible: (document) =>
      Boolean(getAt(document, 'openshift.osImageStream')) || getProfile(document).osImageStream !== 'unknown',
  }),
  field('topology', 'choice', () => words().topology, {
    // Derived from the nodes.
    fallback: (document) => buildPartialDesign(document)?.topology ?? 'standard',
    // The nodes are the answers to correct, on a later page.
    isFixedOnLaterPage: true,
  }),
  field('cluster.name', 'text', () => words().name, {
    facts: (document, text) => clusterNameFacts(text, String(getAt(document, 'cluster.baseDomain') ?? '')),
    extraPaths: ['cluster'],
  }),
  field('cluster.baseDomain', 'text', () => words().baseDomain, {
    facts: (document, text) => clusterNameFacts(String(getAt(document, 'cluster.name') ?? ''), text),
  }),
  field('fips', 'flag', () => words().fips),
];

const credentialsWords = () => catalogue().pages.credentials;

const credentialFields: readonly Field[] = [
  field('credentials.pullSecretFile', 'text', () => credentialsWords().pullSecretFile, { isOptional: true }),
  field('credentials.sshKeyFile', 'text', () => credentialsWords().sshKeyFile, { isOptional: true }),
  field('credentials.fencingFile', 'text', () => credentialsWords().fencingFile, {
    isOptional: true,
    isVisible: (document) =>
      Boolean(getAt(document, 'credentials.fencingFile')) || getAt(document, 'topology') === 'fencing',
  }),
  field('additionalTrustBundleFile', 'text', () => credentialsWords().trustBundleFile, {
    isOptional: true,
    isAdvanced: true,
  }),
  field('additionalTrustBundlePolicy', 'choice', () => credentialsWords().trustBundlePolicy, {
    fallback: () => 'Always',
    isOptional: true,
    isAdvanced: true,
    isVisible: (document) =>
      Boolean(getAt(document, 'additionalTrustBundlePolicy')) ||
      (Boolean(getAt(document, 'additionalTrustBundleFile')) && getProfile(document).hasTrustBundlePolicy),
  }),
  field('imageDigestSources', 'mirrors', () => credentialsWords().mirrors, {
    facts: mirrorFacts,
    isOptional: true,
    isAdvanced: true,
  }),
  field('downloadsDir', 'text', () => credentialsWords().downloadsDir, { isOptional: true, isAdvanced: true }),
];

const nodesWords = () => catalogue().pages.nodes.edit;

/** A new bond gets a mode that works with every switch; without a name the bond is removed. */
function completeBond(node: DesignDocument): DesignDocument {
  if (getAt(node, 'bond.name') === undefined) return setAt(node, 'bond', undefined);
  return getAt(node, 'bond.mode') === undefined ? setAt(node, 'bond.mode', 'active-backup') : node;
}

const hasBond = (node: DesignDocument) => getAt(node, 'bond') !== undefined && getAt(node, 'bond') !== null;

/** The design states the sizes and the disk of each node: a missing value is a missing answer. */
const noDefault = () => '';

/** A field whose path starts at a node. */
const nodeField: typeof field = (path, type, nodeWords, rest) => field(path, type, nodeWords, rest, `nodes.0.${path}`);

/** The fields of one node. */
export const nodeFields: readonly Field[] = [
  nodeField('name', 'text', () => nodesWords().name, { facts: fullNameFacts(true) }),
  nodeField('role', 'choice', () => nodesWords().role),
  nodeField('ip', 'addresses', () => nodesWords().ip, { facts: freeAddressFacts }),
  nodeField('mac', 'mac', () => nodesWords().mac, { facts: macFacts }),
  nodeField('vcpu', 'number', () => nodesWords().vcpu),
  nodeField('memoryGiB', 'number', () => nodesWords().memoryGiB),
  nodeField('diskGiB', 'number', () => nodesWords().diskGiB, { fallback: noDefault }),
  nodeField('installDisk', 'text', () => nodesWords().installDisk, { fallback: noDefault }),
  nodeField('interface', 'text', () => nodesWords().interface, { isOptional: true, isAdvanced: true }),
  nodeField('vlan', 'number', () => nodesWords().vlan, { isOptional: true, isAdvanced: true }),
  nodeField('bond.name', 'text', () => nodesWords().bondName, {
    isOptional: true,
    isAdvanced: true,
    extraPaths: ['bond'],
    applyFollowUp: completeBond,
  }),
  nodeField('bond.interfaces', 'list', () => nodesWords().bondInterfaces, { isAdvanced: true, isVisible: hasBond }),
  nodeField('bond.mode', 'choice', () => nodesWords().bondMode, {
    choices: ['active-backup', '802.3ad', 'balance-rr', 'balance-xor', 'broadcast', 'balance-tlb', 'balance-alb'],
    isAdvanced: true,
    isVisible: hasBond,
  }),
  nodeField('firmware', 'choice', () => nodesWords().firmware, { isAdvanced: true }),
  nodeField('secureBoot', 'flag', () => nodesWords().secureBoot, { isAdvanced: true }),
  nodeField('kernelArguments', 'space-separated', () => nodesWords().kernelArguments, {
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

export type FormId = keyof typeof FORMS;
