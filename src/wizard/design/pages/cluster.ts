import { ARCHITECTURES, TOPOLOGIES } from '../../../design/model.ts';
import { draftDesign } from '../../../design/parse.ts';
import { catalogue } from '../../../text/catalogue.ts';
import { getAt } from '../document.ts';
import { type Field, field } from '../fields.ts';
import { clusterNames, versionFacts } from './facts.ts';

const words = () => catalogue().pages.cluster;

export const clusterFields: readonly Field[] = [
  field('openshift.version', 'text', () => words().version, { facts: versionFacts, alsoOwns: ['openshift'] }),
  field('openshift.architecture', 'choice', () => words().architecture, {
    choices: ARCHITECTURES,
    fallback: () => 'x86_64',
  }),
  field('topology', 'choice', () => words().topology, {
    choices: TOPOLOGIES,
    // The topology of the nodes.
    fallback: (document) => draftDesign(document)?.topology ?? 'standard',
    // The nodes are what does not fit it.
    isSettledLater: true,
  }),
  field('cluster.name', 'text', () => words().name, {
    facts: (document, text) => clusterNames(text, String(getAt(document, 'cluster.baseDomain') ?? '')),
    alsoOwns: ['cluster'],
  }),
  field('cluster.baseDomain', 'text', () => words().baseDomain, {
    facts: (document, text) => clusterNames(String(getAt(document, 'cluster.name') ?? ''), text),
  }),
  field('fips', 'flag', () => words().fips, { choices: ['false', 'true'], fallback: () => 'false' }),
];
