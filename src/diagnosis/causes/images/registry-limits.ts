import { cause, clueOfLines, told } from '../cause.ts';

/** A registry counts pulls, and gives no more for now. */
export const registryLimits = cause('registry-limits', 'installation', (evidence) =>
  clueOfLines(
    told(evidence, /toomanyrequests|pull rate limit|429 Too Many Requests/i).slice(-1),
    'certain',
    'oc get events -A | grep -i toomanyrequests',
  ),
);
