import { diagnosticRule } from '../diagnostic-rule.ts';
import { formatPool, groupMembersByBalancer, statusCommand } from './pools.ts';

/** A control plane node is missing from a pool: it serves, but gets no requests. */
export const memberMissing = diagnosticRule('balancer-member-missing', 'balancer', (evidence) => {
  const wanted = evidence.design?.nodes.filter(({ role }) => role === 'control-plane') ?? [];
  return ['api', 'machine-config'].flatMap((pool) =>
    groupMembersByBalancer(evidence, pool).flatMap((members) => {
      const missing = wanted.filter(({ name }) => !members.some((each) => each.name === name));
      const [first] = members;
      // If all of them are missing, the pool has another purpose, or another rule applies.
      if (first === undefined || missing.length === 0 || missing.length === wanted.length) return [];
      return missing.map(({ name }) => ({
        likelihood: 'certain' as const,
        subject: name,
        symptom: formatPool(members),
        command: statusCommand(first),
      }));
    }),
  );
});
