import { ARCHITECTURES, ROLES, TOPOLOGIES } from '../../../design/model.ts';
import { buildPartialDesign } from '../../../design/parse.ts';
import { versionProfile } from '../../../design/versions.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { type DesignDocument, getAt, setAt } from '../document.ts';
import { type Field, field } from '../fields.ts';
import { clusterNameFacts, freeAddressFacts, fullNameFacts, macFacts, mirrorFacts, versionFacts } from './facts.ts';

const words = () => catalogue().pages.cluster;

export const clusterFields: readonly Field[] = [
  field('openshift.version', 'text', () => words().version, { facts: versionFacts, extraPaths: ['openshift'] }),
  field('openshift.architecture', 'choice', () => words().architecture, {
    choices: ARCHITECTURES,
    fallback: () => 'x86_64',
  }),
  field('topology', 'choice', () => words().topology, {
    choices: TOPOLOGIES,
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
  field('fips', 'flag', () => words().fips, { choices: ['false', 'true'], fallback: () => 'false' }),
];

const credentialsWords = () => catalogue().pages.credentials;

export const credentialFields: readonly Field[] = [
  field('credentials.pullSecretFile', 'text', () => credentialsWords().pullSecretFile, { isOptional: true }),
  field('credentials.sshKeyFile', 'text', () => credentialsWords().sshKeyFile, { isOptional: true }),
  field('additionalTrustBundleFile', 'text', () => credentialsWords().trustBundleFile, {
    isOptional: true,
    isAdvanced: true,
  }),
  field('additionalTrustBundlePolicy', 'choice', () => credentialsWords().trustBundlePolicy, {
    choices: ['Always', 'Proxyonly'],
    fallback: () => 'Always',
    isOptional: true,
    isAdvanced: true,
    isVisible: (document) =>
      Boolean(getAt(document, 'additionalTrustBundlePolicy')) ||
      (Boolean(getAt(document, 'additionalTrustBundleFile')) &&
        versionProfile(String(getAt(document, 'openshift.version'))).hasTrustBundlePolicy),
  }),
  field('imageDigestSources', 'mirrors', () => credentialsWords().mirrors, {
    facts: mirrorFacts,
    isOptional: true,
    isAdvanced: true,
  }),
];

const nodesWords = () => catalogue().pages.nodes.edit;

/** A new bond gets a mode that works with every switch; without a name the bond is removed. */
function completeBond(node: DesignDocument): DesignDocument {
  if (getAt(node, 'bond.name') === undefined) return setAt(node, 'bond', undefined);
  return getAt(node, 'bond.mode') === undefined ? setAt(node, 'bond.mode', 'active-backup') : node;
}

const hasBond = (node: DesignDocument) => getAt(node, 'bond') !== undefined && getAt(node, 'bond') !== null;

/** The fields of one node. Paths are relative to the node. */
export const nodeFields: readonly Field[] = [
  field('name', 'text', () => nodesWords().name, { facts: fullNameFacts(true) }),
  field('role', 'choice', () => nodesWords().role, { choices: ROLES }),
  field('ip', 'addresses', () => nodesWords().ip, { facts: freeAddressFacts }),
  field('mac', 'text', () => nodesWords().mac, { facts: macFacts }),
  field('vcpu', 'number', () => nodesWords().vcpu),
  field('memoryGiB', 'number', () => nodesWords().memoryGiB),
  field('diskGiB', 'number', () => nodesWords().diskGiB),
  field('installDisk', 'text', () => nodesWords().installDisk),
  field('interface', 'text', () => nodesWords().interface, { isOptional: true, isAdvanced: true }),
  field('vlan', 'number', () => nodesWords().vlan, { isOptional: true, isAdvanced: true }),
  field('bond.name', 'text', () => nodesWords().bondName, {
    isOptional: true,
    isAdvanced: true,
    extraPaths: ['bond'],
    applyFollowUp: completeBond,
  }),
  field('bond.interfaces', 'list', () => nodesWords().bondInterfaces, { isAdvanced: true, isVisible: hasBond }),
  field('bond.mode', 'choice', () => nodesWords().bondMode, {
    choices: ['active-backup', '802.3ad', 'balance-rr', 'balance-xor', 'broadcast', 'balance-tlb', 'balance-alb'],
    isAdvanced: true,
    isVisible: hasBond,
  }),
  field('firmware', 'choice', () => nodesWords().firmware, {
    choices: ['uefi', 'bios'],
    isAdvanced: true,
    fallback: () => 'uefi',
  }),
  field('secureBoot', 'flag', () => nodesWords().secureBoot, { isAdvanced: true, fallback: () => 'false' }),
  field('kernelArguments', 'words', () => nodesWords().kernelArguments, { isOptional: true, isAdvanced: true }),
];
