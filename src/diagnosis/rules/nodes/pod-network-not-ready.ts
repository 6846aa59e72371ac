import { MINUTE } from '../../../platform/clock.ts';
import { shellCommand } from '../../../platform/shell-quoting.ts';
import { diagnosticRule } from '../diagnostic-rule.ts';

/** The pods of the network start within minutes of the node. */
const GRACE_PERIOD = 15 * MINUTE;

/** Nodes joined, but their pod network does not start: overlapping networks, MTU, or images that cannot be pulled. */
export const podNetworkNotReady = diagnosticRule('network-not-ready', 'network', ({ cluster, now }) =>
  (cluster?.nodes ?? [])
    .filter(
      ({ isReady, notReadySince, message }) =>
        !isReady &&
        now - (notReadySince ?? now) > GRACE_PERIOD &&
        /cni config uninitialized|NetworkPluginNotReady|No CNI configuration/.test(message),
    )
    .map(({ name, message }) => ({
      likelihood: 'possible' as const,
      subject: name,
      symptom: message,
      command: shellCommand`oc get pods -n openshift-ovn-kubernetes -o wide --field-selector spec.nodeName=${name}`,
    })),
);
