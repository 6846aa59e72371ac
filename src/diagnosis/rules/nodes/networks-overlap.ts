import { diagnosticRule, matchLogLines, symptomsFromLines } from '../diagnostic-rule.ts';

/** The cluster's own networks overlap with the machine network, or with something that nodes must reach. */
export const networksOverlap = diagnosticRule('networks-overlap', 'network', (evidence) =>
  symptomsFromLines(
    matchLogLines(evidence, /\b(?:cidrs?|networks?|subnets?|ip address(?:es)?)\b.*\boverlap/i).slice(-1),
    'likely',
    'oc get network.config cluster -o yaml; ip route',
  ),
);
