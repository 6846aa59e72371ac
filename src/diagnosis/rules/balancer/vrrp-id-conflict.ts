import { diagnosticRule, matchLogLines, symptomsFromLines } from '../diagnostic-rule.ts';

/** A single packet may come from a restart. */
const MIN_OCCURRENCES = 2;

/** Other machines on the network use the same virtual router ID: the shared address may move to one of them. */
export const vrrpIdConflict = diagnosticRule('vrrp-id-shared', 'balancer', (evidence) =>
  symptomsFromLines(
    matchLogLines(
      evidence,
      /received an invalid (?:passwd|authentication)|bogus VRRP packet received|VRID mismatch|ip address associated with VRID/i,
      MIN_OCCURRENCES,
    ).slice(-1),
    'likely',
    'sudo tcpdump -c 5 -ni any vrrp',
  ),
);
