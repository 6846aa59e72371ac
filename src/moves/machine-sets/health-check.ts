import type { Edit } from '../edit.ts';
import { MACHINE_NAMESPACE, ROLE_LABELS } from './worker-set.ts';

const SILENT = '300s';

/**
 * A MachineHealthCheck of the infra machines: one whose node is not Ready for five minutes is replaced, and no second one
 * while another is unhealthy. A machine that gets no node within twenty minutes is replaced, too (openshift/api,
 * machine/v1beta1/types_machinehealthcheck.go).
 */
export function healthCheckEdit(infrastructure: string): Edit {
  const named = { name: `${infrastructure}-infra`, namespace: MACHINE_NAMESPACE };
  const matchLabels = Object.fromEntries(ROLE_LABELS.map((key) => [key, 'infra']));
  const unhealthyConditions = ['False', 'Unknown'].map((status) => ({ type: 'Ready', status, timeout: SILENT }));
  const spec = { selector: { matchLabels }, unhealthyConditions, maxUnhealthy: 1, nodeStartupTimeout: '20m' };
  return { kind: 'MachineHealthCheck', ...named, create: () => ({ metadata: named, spec }) };
}
