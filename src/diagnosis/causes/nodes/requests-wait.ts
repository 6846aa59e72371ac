import { MINUTE } from '../../../ports/clock.ts';
import { cause } from '../cause.ts';

/** Long enough for a person to come back to the screen that approves them. */
const LONG = 5 * MINUTE;

/** Nodes asked to join, the request is good, and nobody approved it. */
export const requestsWait = cause('requests-wait', 'requests', ({ cluster, now }) =>
  (cluster?.requests ?? [])
    .filter(
      ({ verdict, kind, requestedAt }) =>
        verdict === 'expected' && kind === 'client' && now - (requestedAt ?? now) > LONG,
    )
    .map(({ name, node }) => ({
      likelihood: 'certain' as const,
      subject: node ?? name,
      symptom: `${name} system:node:${node ?? ''} Pending`,
      command: 'upi-wizard csr list',
    })),
);
