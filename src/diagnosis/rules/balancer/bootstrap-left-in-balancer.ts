import { canRemoveBootstrap, diagnosticRule } from '../diagnostic-rule.ts';
import { formatPool, statusCommand } from './pools.ts';

/**
 * The bootstrap is complete, and the pools still contain it: part of the requests goes to a machine that is off or
 * outdated.
 */
export const bootstrapLeftInBalancer = diagnosticRule('bootstrap-left-in-balancer', 'balancer', (evidence) => {
  const bootstrap = evidence.design?.nodes.find(({ role }) => role === 'bootstrap')?.name;
  const isBootstrapDone =
    evidence.stage !== 'install' || (canRemoveBootstrap(evidence) && evidence.cluster?.version?.available === true);
  if (bootstrap === undefined || !isBootstrapDone) return [];
  return evidence.pools
    .filter(({ pool, name }) => name === bootstrap && (pool === 'api' || pool === 'machine-config'))
    .map((member) => ({
      likelihood: 'certain' as const,
      subject: member.balancer,
      symptom: formatPool([member]),
      command: statusCommand(member),
    }));
});
