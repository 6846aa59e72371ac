import { check } from '../rule.ts';
import type { JoiningNode } from './evidence.ts';

/** The cluster has no Node of this name, unless a person said that they reinstalled its machine. */
export const name = check('join-name', 'fatal', ({ name: subject, fqdn, object, isInstalledAnew }: JoiningNode) => {
  if (object === null) return { state: 'unknown', subject };
  if (object === 'absent') return { state: 'ok', subject };
  return isInstalledAnew ? null : { state: 'failed', subject, detail: fqdn };
});

/** The old Node of a reinstalled machine: while it still reports, whoever joins under its name is another machine. */
export const anew = check('join-anew', 'warning', ({ name: subject, fqdn, object, isInstalledAnew }: JoiningNode) => {
  if (object === null || object === 'absent' || !isInstalledAnew) return null;
  return { state: object === 'ready' ? 'failed' : 'ok', subject, detail: fqdn };
});
