import { check } from '../rule.ts';
import type { JoinCandidate } from './evidence.ts';

/** The cluster has no Node object of this name, unless the user marked the machine as reinstalled. */
export const nameUnused = check(
  'join-name',
  'fatal',
  ({ name: subject, fqdn, object, isReinstalled }: JoinCandidate) => {
    if (object === null) return { state: 'unknown', subject };
    if (object === 'absent') return { state: 'ok', subject };
    return isReinstalled ? null : { state: 'failed', subject, detail: fqdn };
  },
);

/** The old Node object of a reinstalled machine: while it is still Ready, another machine runs under its name. */
export const oldNodeNotReady = check(
  'join-anew',
  'warning',
  ({ name: subject, fqdn, object, isReinstalled }: JoinCandidate) => {
    if (object === null || object === 'absent' || !isReinstalled) return null;
    return { state: object === 'ready' ? 'failed' : 'ok', subject, detail: fqdn };
  },
);
