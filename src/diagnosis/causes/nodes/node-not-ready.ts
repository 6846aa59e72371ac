import { MINUTE } from '../../../ports/clock.ts';
import { shell } from '../../../text/shell-word.ts';
import { cause } from '../cause.ts';

/** Nodes join, restart and get their network in less. */
const LONG = 15 * MINUTE;
/** What other rules know. */
const KNOWN =
  /stopped posting|cni config uninitialized|NetworkPluginNotReady|No CNI configuration|container runtime is down|PLEG is not healthy/;

/** A node says itself that it is not Ready, for a reason that no other rule knows. */
export const nodeNotReady = cause('node-not-ready', 'installation', ({ cluster, now }) =>
  (cluster?.nodes ?? [])
    .filter(({ isReady, isChanging, goneSince }) => !isReady && !isChanging && now - (goneSince ?? now) > LONG)
    .filter(({ message }) => message !== '' && !KNOWN.test(message))
    .map(({ name, message }) => ({
      likelihood: 'likely' as const,
      subject: name,
      symptom: `${name} NotReady: ${message}`,
      command: shell`oc describe node ${name}`,
    })),
);
