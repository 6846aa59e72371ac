import type { Edit } from '../edit.ts';
import { MACHINE_NAMESPACE, ROLE_LABELS } from './machine-set-view.ts';

const NOT_READY_TIMEOUT = '300s';

/**
 * A MachineHealthCheck of the infra machines. It replaces a machine whose node is not Ready for five minutes, unless
 * another one is unhealthy. It also replaces a machine that gets no node within twenty minutes (openshift/api,
 * machine/v1beta1/types_machinehealthcheck.go).
 */
export function healthCheckEdit(infrastructure: string): Edit {
  const metadata = { name: `${infrastructure}-infra`, namespace: MACHINE_NAMESPACE };
  const matchLabels = Object.fromEntries(ROLE_LABELS.map((key) => [key, 'infra']));
  const unhealthyConditions = ['False', 'Unknown'].map((status) => ({
    type: 'Ready',
    status,
    timeout: NOT_READY_TIMEOUT,
  }));
  const spec = { selector: { matchLabels }, unhealthyConditions, maxUnhealthy: 1, nodeStartupTimeout: '20m' };
  return { kind: 'MachineHealthCheck', ...metadata, create: () => ({ metadata: metadata, spec }) };
}
