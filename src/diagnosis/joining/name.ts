import { check } from '../rule.ts';
import type { JoiningNode } from './evidence.ts';

/** The cluster has no Node of this name, unless a person said that its machine is installed anew. */
export const name = check('join-name', 'fatal', ({ name: subject, fqdn, object, isInstalledAnew }: JoiningNode) => {
  if (object === null) return { state: 'unknown', subject };
  if (object === 'absent') return { state: 'ok', subject };
  return isInstalledAnew ? null : { state: 'failed', subject, detail: fqdn };
});

/** The old Node of a machine that is installed anew: while it still reports, whoever joins now under its name is not it. */
export const anew = check('join-anew', 'warning', ({ name: subject, fqdn, object, isInstalledAnew }: JoiningNode) => {
  if (object === null || object === 'absent' || !isInstalledAnew) return null;
  return { state: object === 'ready' ? 'failed' : 'ok', subject, detail: fqdn };
});
