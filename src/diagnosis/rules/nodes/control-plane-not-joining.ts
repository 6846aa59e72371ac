import { MINUTE } from '../../../platform/clock.ts';
import { diagnosticRule } from '../diagnostic-rule.ts';

/** Time for booting, fetching the configuration, the overlay of the node image, and joining. */
const JOIN_TIMEOUT = 40 * MINUTE;

/** Control plane nodes do not join although they were powered on long ago; other rules find the reason. */
export const controlPlaneNotJoining = diagnosticRule(
  'control-plane-absent',
  'installation',
  ({ machines, cluster, now, ports }) => {
    const isServed = ports.some(({ kind, port, state }) => kind === 'api-int' && port === 22623 && state === 'open');
    if (!isServed || cluster?.nodes == null) return [];
    return machines
      .filter(
        ({ role, hasJoined, poweredOnAt }) =>
          role === 'control-plane' && !hasJoined && poweredOnAt !== null && now - poweredOnAt > JOIN_TIMEOUT,
      )
      .map(({ name, address, poweredOnAt }) => ({
        likelihood: 'possible' as const,
        subject: name,
        symptom: `no Node ${name}; powered on ${new Date(poweredOnAt ?? now).toISOString()}`,
        command: `ssh core@${address} journalctl -b -u kubelet -u crio -n 50`,
      }));
  },
);
