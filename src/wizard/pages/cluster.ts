import { resultingNames } from '../../design/facts.ts';
import { isDomain, isLabel } from '../../design/text-forms.ts';
import { pages } from '../../text/en/pages.ts';
import { getAt } from '../document.ts';
import type { Field } from '../fields.ts';

const words = pages.cluster;

/** The names that follow; none of what cannot be a name while it is typed. */
function namesOf(name: string, domain: string): string {
  const isPossible = isLabel(name.trim()) && isDomain(domain.trim()) && !/(?:^|\.)\d+$/.test(domain.trim());
  return isPossible ? resultingNames(name, domain) : '';
}

export const clusterFields: readonly Field[] = [
  { path: 'openshift.version', type: 'text', words: words.version },
  {
    path: 'openshift.architecture',
    type: 'choice',
    words: words.architecture,
    choices: ['x86_64', 'aarch64', 'ppc64le', 's390x'],
  },
  {
    path: 'topology',
    type: 'choice',
    words: words.topology,
    choices: ['standard', 'compact', 'single-node'],
    // It is the nodes that do not fit it.
    isSettledLater: true,
  },
  {
    path: 'cluster.name',
    type: 'text',
    words: words.name,
    facts: (document, text) => namesOf(text, String(getAt(document, 'cluster.baseDomain') ?? '')),
  },
  {
    path: 'cluster.baseDomain',
    type: 'text',
    words: words.baseDomain,
    facts: (document, text) => namesOf(String(getAt(document, 'cluster.name') ?? ''), text),
  },
  { path: 'fips', type: 'flag', words: words.fips, choices: ['false', 'true'] },
];
