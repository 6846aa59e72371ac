import { resultingNames } from '../../design/facts.ts';
import { pages } from '../../text/en/pages.ts';
import { getAt } from '../document.ts';
import type { Field } from '../fields.ts';

const words = pages.cluster;

export const clusterFields: readonly Field[] = [
  { path: 'openshift.version', type: 'text', words: words.version },
  {
    path: 'openshift.architecture',
    type: 'choice',
    words: words.architecture,
    choices: ['x86_64', 'aarch64', 'ppc64le', 's390x'],
  },
  { path: 'topology', type: 'choice', words: words.topology, choices: ['standard', 'compact', 'single-node'] },
  {
    path: 'cluster.name',
    type: 'text',
    words: words.name,
    facts: (document, text) => resultingNames(text, String(getAt(document, 'cluster.baseDomain') ?? '')),
  },
  {
    path: 'cluster.baseDomain',
    type: 'text',
    words: words.baseDomain,
    facts: (document, text) => resultingNames(String(getAt(document, 'cluster.name') ?? ''), text),
  },
  { path: 'fips', type: 'flag', words: words.fips, choices: ['false', 'true'] },
];
