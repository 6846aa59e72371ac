import { MINUTE } from '../../../platform/clock.ts';
import { shellCommand } from '../../../platform/shell-quoting.ts';
import { diagnosticRule } from '../diagnostic-rule.ts';

/** Nodes join, restart and get their network in less time. */
const GRACE_PERIOD = 15 * MINUTE;
/** Messages that other rules cover. */
const COVERED_BY_OTHER_RULES =
  /stopped posting|cni config uninitialized|NetworkPluginNotReady|No CNI configuration|container runtime is down|PLEG is not healthy/;

/** A node reports that it is not Ready, for a reason that no other rule covers. */
export const nodeNotReady = diagnosticRule('node-not-ready', 'installation', ({ cluster, now }) =>
  (cluster?.nodes ?? [])
    .filter(
      ({ isReady, isUpdating, notReadySince }) =>
        !isReady && !isUpdating && now - (notReadySince ?? now) > GRACE_PERIOD,
    )
    .filter(({ message }) => message !== '' && !COVERED_BY_OTHER_RULES.test(message))
    .map(({ name, message }) => ({
      likelihood: 'likely' as const,
      subject: name,
      symptom: `${name} NotReady: ${message}`,
      command: shellCommand`oc describe node ${name}`,
    })),
);
