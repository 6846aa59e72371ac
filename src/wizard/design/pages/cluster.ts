import { ARCHITECTURES, TOPOLOGIES } from '../../../design/model.ts';
import { draftDesign } from '../../../design/parse.ts';
import { catalogue } from '../../../text/catalogue.ts';
import { getAt } from '../document.ts';
import type { Field } from '../fields.ts';
import { clusterNames, versionFacts } from './facts.ts';

const words = () => catalogue().pages.cluster;

export const clusterFields: readonly Field[] = [
  {
    path: 'openshift.version',
    type: 'text',
    words: () => words().version,
    facts: versionFacts,
    alsoOwns: ['openshift'],
  },
  {
    path: 'openshift.architecture',
    type: 'choice',
    words: () => words().architecture,
    choices: ARCHITECTURES,
    fallback: () => 'x86_64',
  },
  {
    path: 'topology',
    type: 'choice',
    words: () => words().topology,
    choices: TOPOLOGIES,
    // The topology of the nodes.
    fallback: (document) => draftDesign(document)?.topology ?? 'standard',
    // The nodes are what does not fit it.
    isSettledLater: true,
  },
  {
    path: 'cluster.name',
    type: 'text',
    words: () => words().name,
    facts: (document, text) => clusterNames(text, String(getAt(document, 'cluster.baseDomain') ?? '')),
    alsoOwns: ['cluster'],
  },
  {
    path: 'cluster.baseDomain',
    type: 'text',
    words: () => words().baseDomain,
    facts: (document, text) => clusterNames(String(getAt(document, 'cluster.name') ?? ''), text),
  },
  { path: 'fips', type: 'flag', words: () => words().fips, choices: ['false', 'true'], fallback: () => 'false' },
];
