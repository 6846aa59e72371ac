import { cause, hasBootstrapped } from '../cause.ts';
import { poolLine, statusCommand } from './pools.ts';

/** The bootstrap's work is done, and the pools still have it: part of the requests goes to a machine that is off, or old. */
export const bootstrapLeftInBalancer = cause('bootstrap-left-in-balancer', 'balancer', (evidence) => {
  const bootstrap = evidence.design?.nodes.find(({ role }) => role === 'bootstrap')?.name;
  const isOver =
    evidence.stage !== 'install' || (hasBootstrapped(evidence) && evidence.cluster?.version?.available === true);
  if (bootstrap === undefined || !isOver) return [];
  return evidence.pools
    .filter(({ pool, name }) => name === bootstrap && (pool === 'api' || pool === 'machine-config'))
    .map((member) => ({
      likelihood: 'certain' as const,
      subject: member.balancer,
      symptom: poolLine([member]),
      command: statusCommand(member),
    }));
});
