import { diagnosticRule, matchLogLines, symptomsFromLines } from '../diagnostic-rule.ts';

/** A single query may be lost in the network. */
const MIN_OCCURRENCES = 3;

/** Nodes use a name server that does not answer them, or cannot; from this machine it may look healthy. */
export const nodeResolverFails = diagnosticRule('resolver-fails', 'dns', (evidence) =>
  symptomsFromLines(
    matchLogLines(evidence, /lookup \S+.*(?:server misbehaving|i\/o timeout)/, MIN_OCCURRENCES).filter(
      ({ source }) => source !== 'openshift-install',
    ),
    'likely',
    'cat /etc/resolv.conf; resolvectl status',
  ),
);
