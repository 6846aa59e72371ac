import { cause, isBootstrapping } from '../cause.ts';
import { poolLine, poolsOf, statusCommand } from './pools.ts';

/** Until it is complete, the bootstrap alone serves the API: a pool without it leads nowhere. */
export const bootstrapNotInBalancer = cause('bootstrap-not-in-balancer', 'balancer', (evidence) => {
  const bootstrap = evidence.design?.nodes.find(({ role }) => role === 'bootstrap')?.name;
  if (bootstrap === undefined || !isBootstrapping(evidence)) return [];
  return poolsOf(evidence, 'api').flatMap((members) => {
    const [first] = members;
    if (first === undefined || members.some(({ name }) => name === bootstrap)) return [];
    const seen = { symptom: poolLine(members), command: statusCommand(first) };
    return [{ likelihood: 'certain' as const, subject: first.balancer, ...seen }];
  });
});
