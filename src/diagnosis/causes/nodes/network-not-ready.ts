import { MINUTE } from '../../../ports/clock.ts';
import { shell } from '../../../text/shell-word.ts';
import { cause } from '../cause.ts';

/** The pods of the network start within minutes of the node. */
const LONG = 15 * MINUTE;

/** Nodes joined, and their pod network does not come up: overlapping networks, MTU, or images that cannot be pulled. */
export const networkNotReady = cause('network-not-ready', 'network', ({ cluster, now }) =>
  (cluster?.nodes ?? [])
    .filter(
      ({ isReady, goneSince, message }) =>
        !isReady &&
        now - (goneSince ?? now) > LONG &&
        /cni config uninitialized|NetworkPluginNotReady|No CNI configuration/.test(message),
    )
    .map(({ name, message }) => ({
      likelihood: 'possible' as const,
      subject: name,
      symptom: message,
      command: shell`oc get pods -n openshift-ovn-kubernetes -o wide --field-selector spec.nodeName=${name}`,
    })),
);
