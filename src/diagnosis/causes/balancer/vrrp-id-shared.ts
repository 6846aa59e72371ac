import { cause, clueOfLines, told } from '../cause.ts';

/** One packet may be of a restart. */
const OFTEN = 2;

/** Another pair of machines on the wire has the same virtual router id: the shared address moves between strangers. */
export const vrrpIdShared = cause('vrrp-id-shared', 'balancer', (evidence) =>
  clueOfLines(
    told(
      evidence,
      /received an invalid (?:passwd|authentication)|bogus VRRP packet received|VRID mismatch|ip address associated with VRID/i,
      OFTEN,
    ).slice(-1),
    'likely',
    'sudo tcpdump -c 5 -ni any vrrp',
  ),
);
