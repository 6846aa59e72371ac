import { MINUTE } from '../../../ports/clock.ts';
import { cause } from '../cause.ts';

/** Booting, fetching the configuration, the overlay of the node image, and joining. */
const LONG = 40 * MINUTE;

/** Control plane nodes do not join although they were powered on long ago: what other rules see is why. */
export const controlPlaneAbsent = cause('control-plane-absent', 'installation', ({ machines, cluster, now, ports }) => {
  const isServed = ports.some(({ kind, port, state }) => kind === 'api-int' && port === 22623 && state === 'open');
  if (!isServed || cluster?.nodes == null) return [];
  return machines
    .filter(
      ({ role, hasJoined, poweredOnAt }) =>
        role === 'control-plane' && !hasJoined && poweredOnAt !== null && now - poweredOnAt > LONG,
    )
    .map(({ name, address, poweredOnAt }) => ({
      likelihood: 'possible' as const,
      subject: name,
      symptom: `no Node ${name}; powered on ${new Date(poweredOnAt ?? now).toISOString()}`,
      command: `ssh core@${address} journalctl -b -u kubelet -u crio -n 50`,
    }));
});
