import { diagnosticRule, isBootstrapping } from '../diagnostic-rule.ts';
import { formatPool, groupMembersByBalancer, statusCommand } from './pools.ts';

/** Until bootstrapping is complete, the bootstrap alone serves the API: a pool without it has no usable member. */
export const bootstrapNotInBalancer = diagnosticRule('bootstrap-not-in-balancer', 'balancer', (evidence) => {
  const bootstrap = evidence.design?.nodes.find(({ role }) => role === 'bootstrap')?.name;
  if (bootstrap === undefined || !isBootstrapping(evidence)) return [];
  return groupMembersByBalancer(evidence, 'api').flatMap((members) => {
    const [first] = members;
    if (first === undefined || members.some(({ name }) => name === bootstrap)) return [];
    const details = { symptom: formatPool(members), command: statusCommand(first) };
    return [{ likelihood: 'certain' as const, subject: first.balancer, ...details }];
  });
});
