import { cause, clueOfLines, told } from '../cause.ts';

/** The cluster's own networks have addresses of the machines, or of something that nodes must reach. */
export const networksOverlap = cause('networks-overlap', 'network', (evidence) =>
  clueOfLines(
    told(evidence, /\b(?:cidrs?|networks?|subnets?|ip address(?:es)?)\b.*\boverlap/i).slice(-1),
    'likely',
    'oc get network.config cluster -o yaml; ip route',
  ),
);
