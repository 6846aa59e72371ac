import { MINUTE } from '../../../ports/clock.ts';
import { shell } from '../../../text/shell-word.ts';
import { cause } from '../cause.ts';

/** A machine that somebody restarts is back in so long; it may be one that is slow to start for a while longer. */
const SHORT = 5 * MINUTE;
const LONG = 15 * MINUTE;

/** A Node that was there does not report any more. */
export const nodeGone = cause('node-gone', 'installation', ({ cluster, now }) =>
  (cluster?.nodes ?? []).flatMap(({ name, isReady, isChanging, goneSince, message }) => {
    const lasts = goneSince === null ? 0 : now - goneSince;
    if (isReady || lasts <= (isChanging ? LONG : SHORT) || !/stopped posting/.test(message)) return [];
    const likelihood = lasts > LONG ? ('likely' as const) : ('possible' as const);
    return [{ likelihood, subject: name, symptom: message, command: shell`oc describe node ${name}` }];
  }),
);
