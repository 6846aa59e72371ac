import { cause } from '../cause.ts';
import { statusCommand } from './pools.ts';

/** Somebody took a member out of service at the load balancer, and it stays out (HAProxy management guide, 9.1: MAINT, DRAIN). */
export const memberOff = cause('balancer-member-off', 'balancer', ({ pools }) =>
  pools
    .filter(({ status }) => /^(?:MAINT|DRAIN)/.test(status))
    .map((member) => ({
      likelihood: 'likely' as const,
      subject: member.name,
      symptom: `${member.pool}/${member.name} on ${member.balancer}: ${member.status}`,
      command: statusCommand(member),
    })),
);
