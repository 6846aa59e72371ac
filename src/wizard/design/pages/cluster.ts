import { ARCHITECTURES, TOPOLOGIES } from '../../../design/model.ts';
import { buildPartialDesign } from '../../../design/parse.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { getAt } from '../document.ts';
import { type Field, field } from '../fields.ts';
import { clusterNameFacts, versionFacts } from './facts.ts';

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
