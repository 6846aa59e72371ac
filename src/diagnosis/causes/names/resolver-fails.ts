import { cause, clueOfLines, told } from '../cause.ts';

/** One may be lost on the way. */
const OFTEN = 3;

/** Nodes ask a name server that does not answer them, or cannot: from here it may look well. */
export const resolverFails = cause('resolver-fails', 'dns', (evidence) =>
  clueOfLines(
    told(evidence, /lookup \S+.*(?:server misbehaving|i\/o timeout)/, OFTEN).filter(
      ({ source }) => source !== 'openshift-install',
    ),
    'likely',
    'cat /etc/resolv.conf; resolvectl status',
  ),
);
