import { MINUTE } from '../../../platform/clock.ts';
import { shellCommand } from '../../../platform/shell-quoting.ts';
import { diagnosticRule } from '../diagnostic-rule.ts';

/** A restarting machine is back within the first time, a slow one within the second. */
const GRACE_PERIOD = 5 * MINUTE;
const LONG_GRACE_PERIOD = 15 * MINUTE;

/** A Node has stopped reporting. */
export const nodeNotReporting = diagnosticRule('node-gone', 'installation', ({ cluster, now }) =>
  (cluster?.nodes ?? []).flatMap(({ name, isReady, isUpdating, notReadySince, message }) => {
    const duration = notReadySince === null ? 0 : now - notReadySince;
    if (isReady || duration <= (isUpdating ? LONG_GRACE_PERIOD : GRACE_PERIOD) || !/stopped posting/.test(message))
      return [];
    const likelihood = duration > LONG_GRACE_PERIOD ? ('likely' as const) : ('possible' as const);
    return [{ likelihood, subject: name, symptom: message, command: shellCommand`oc describe node ${name}` }];
  }),
);
