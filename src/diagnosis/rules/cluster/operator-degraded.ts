import { nodeFqdn, nodesWithRole } from '../../../design/names.ts';
import { MINUTE } from '../../../platform/clock.ts';
import { shellCommand } from '../../../platform/shell-quoting.ts';
import { needsAttention } from '../../operators/states.ts';
import { diagnosticRule, isBootstrapping, isInstalled } from '../diagnostic-rule.ts';
import type { Evidence } from '../evidence.ts';

/** Waits for nodes, or for another operator. */
const DEPENDENT_WAITS: ReadonlySet<string> = new Set(['compute', 'routers', 'authentication']);

/** Operators that waited for the control plane still report that for a while after it is up. */
const SETTLE_PERIOD = 15 * MINUTE;

/**
 * An operator is degraded or unavailable for longer than usual; in an installed cluster, any degraded operator counts.
 */
export const operatorDegraded = diagnosticRule('operator-degraded', 'operatorIssues', (evidence) =>
  (isBootstrapping(evidence) || isControlPlaneNew(evidence) ? [] : (evidence.cluster?.operators ?? []))
    .filter(
      (operator) =>
        (operator.degraded && isInstalled(evidence)) ||
        ((operator.degraded || !operator.available) && needsAttention(operator)),
    )
    // Skip operators that only wait for nodes or for another operator.
    .filter(({ wait }) => wait === null || !DEPENDENT_WAITS.has(wait.code))
    .map((operator) => ({ ...operator, isLasting: needsAttention(operator) }))
    .map(({ name, degraded, reason, message, isLasting }) => ({
      likelihood: isLasting ? ('likely' as const) : ('possible' as const),
      subject: name,
      symptom: `${name} ${degraded ? 'Degraded=True' : 'Available=False'} ${reason}: ${message}`,
      command: shellCommand`oc describe clusteroperator ${name}`,
    })),
);

function isControlPlaneNew({ design, cluster, now }: Evidence): boolean {
  const names = new Set(
    design === null ? [] : nodesWithRole(design, 'control-plane').map((node) => nodeFqdn(design, node)),
  );
  return (cluster?.nodes ?? []).some(
    ({ name, readySince }) => names.has(name) && readySince !== null && now - readySince < SETTLE_PERIOD,
  );
}
