import { MINUTE } from '../../../ports/clock.ts';
import { shell } from '../../../text/shell-word.ts';
import { cause } from '../cause.ts';

/** A restart with a new configuration takes less. */
const LONG = 15 * MINUTE;

/** A Node that was there does not report any more. */
export const nodeGone = cause('node-gone', 'installation', ({ cluster, now }) =>
  (cluster?.nodes ?? [])
    .filter(
      ({ isReady, goneSince, message }) =>
        !isReady && goneSince !== null && now - goneSince > LONG && /stopped posting/.test(message),
    )
    .map(({ name, message }) => ({
      likelihood: 'likely' as const,
      subject: name,
      symptom: message,
      command: shell`oc describe node ${name}`,
    })),
);
