import { nodeFqdn, nodesWithRole } from '../../../design/names.ts';
import { MINUTE } from '../../../ports/clock.ts';
import { shell } from '../../../text/shell-word.ts';
import { needsAttention } from '../../operators/states.ts';
import { cause, isBootstrapping, isInstalled } from '../cause.ts';
import type { Evidence } from '../evidence.ts';

/** Waits for nodes, or for another operator. */
const FOLLOWS: ReadonlySet<string> = new Set(['compute', 'routers', 'authentication']);

/** Operators that waited for the control plane say so for a while after it has come. */
const FRESH = 15 * MINUTE;

/** An operator is degraded or not available for longer than it usually is; in a cluster that is installed, degraded at all. */
export const operatorDegraded = cause('operator-degraded', 'operatorIssues', (evidence) =>
  (isBootstrapping(evidence) || isFresh(evidence) ? [] : (evidence.cluster?.operators ?? []))
    .filter(
      (operator) =>
        (operator.degraded && isInstalled(evidence)) ||
        ((operator.degraded || !operator.available) && needsAttention(operator)),
    )
    // Who waits for another is well when that one is.
    .filter(({ wait }) => wait === null || !FOLLOWS.has(wait.code))
    .map((operator) => ({ ...operator, isLasting: needsAttention(operator) }))
    .map(({ name, degraded, reason, message, isLasting }) => ({
      likelihood: isLasting ? ('likely' as const) : ('possible' as const),
      subject: name,
      symptom: `${name} ${degraded ? 'Degraded=True' : 'Available=False'} ${reason}: ${message}`,
      command: shell`oc describe clusteroperator ${name}`,
    })),
);

function isFresh({ design, cluster, now }: Evidence): boolean {
  const names = new Set(
    design === null ? [] : nodesWithRole(design, 'control-plane').map((node) => nodeFqdn(design, node)),
  );
  return (cluster?.nodes ?? []).some(
    ({ name, readySince }) => names.has(name) && readySince !== null && now - readySince < FRESH,
  );
}
