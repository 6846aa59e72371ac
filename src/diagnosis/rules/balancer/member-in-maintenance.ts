import { diagnosticRule } from '../diagnostic-rule.ts';
import { statusCommand } from './pools.ts';

/**
 * A member was taken out of service at the load balancer, and stays out (HAProxy management guide, 9.1: MAINT, DRAIN).
 */
export const memberInMaintenance = diagnosticRule('balancer-member-off', 'balancer', ({ pools }) =>
  pools
    .filter(({ status }) => /^(?:MAINT|DRAIN)/.test(status))
    .map((member) => ({
      likelihood: 'likely' as const,
      subject: member.name,
      symptom: `${member.pool}/${member.name} on ${member.balancer}: ${member.status}`,
      command: statusCommand(member),
    })),
);
