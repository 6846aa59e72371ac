import { MINUTE } from '../../../platform/clock.ts';
import { shellCommand } from '../../../platform/shell-quoting.ts';
import { diagnosticRule } from '../diagnostic-rule.ts';

/** A restart of CRI-O takes seconds. */
const GRACE_PERIOD = 5 * MINUTE;

/** The kubelet runs, but its container runtime is down, or hangs on its disk. */
export const containerRuntimeDown = diagnosticRule('node-runtime-down', 'installation', ({ cluster, now }) =>
  (cluster?.nodes ?? [])
    .filter(
      ({ isReady, notReadySince, message }) =>
        !isReady &&
        now - (notReadySince ?? now) > GRACE_PERIOD &&
        /container runtime is down|PLEG is not healthy/.test(message),
    )
    .map(({ name, message }) => ({
      likelihood: 'likely' as const,
      subject: name,
      symptom: message,
      command: shellCommand`oc adm node-logs ${name} -u crio`,
    })),
);
