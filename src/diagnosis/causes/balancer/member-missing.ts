import { cause } from '../cause.ts';
import { poolLine, poolsOf, statusCommand } from './pools.ts';

/** A control plane node that no pool has: it serves, and nobody asks it. */
export const memberMissing = cause('balancer-member-missing', 'balancer', (evidence) => {
  const wanted = evidence.design?.nodes.filter(({ role }) => role === 'control-plane') ?? [];
  return ['api', 'machine-config'].flatMap((pool) =>
    poolsOf(evidence, pool).flatMap((members) => {
      const missing = wanted.filter(({ name }) => !members.some((each) => each.name === name));
      const [first] = members;
      // All of them: a pool of another purpose, or another rule's case.
      if (first === undefined || missing.length === 0 || missing.length === wanted.length) return [];
      return missing.map(({ name }) => ({
        likelihood: 'certain' as const,
        subject: name,
        symptom: poolLine(members),
        command: statusCommand(first),
      }));
    }),
  );
});
