import { MINUTE } from '../../../ports/clock.ts';
import { shell } from '../../../text/shell-word.ts';
import { cause } from '../cause.ts';

/** A restart of CRI-O takes seconds. */
const LONG = 5 * MINUTE;

/** The kubelet runs, and its container runtime does not, or hangs on its disk. */
export const nodeRuntimeDown = cause('node-runtime-down', 'installation', ({ cluster, now }) =>
  (cluster?.nodes ?? [])
    .filter(
      ({ isReady, goneSince, message }) =>
        !isReady && now - (goneSince ?? now) > LONG && /container runtime is down|PLEG is not healthy/.test(message),
    )
    .map(({ name, message }) => ({
      likelihood: 'likely' as const,
      subject: name,
      symptom: message,
      command: shell`oc adm node-logs ${name} -u crio`,
    })),
);
