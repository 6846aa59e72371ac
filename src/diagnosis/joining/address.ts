import { check } from '../rule.ts';
import type { JoinCandidate } from './evidence.ts';

/** No other Node object has one of its addresses. */
export const addressUnique = check(
  'join-address-owner',
  'fatal',
  ({ name: subject, addressOwner: owner }: JoinCandidate) => ({
    state: owner === null ? 'ok' : 'failed',
    subject,
    detail: owner ?? '',
  }),
);

/** Nothing answers at its address while the machine is off. */
export const addressUnused = check('join-address', 'warning', ({ name: subject, unexpectedAnswer }: JoinCandidate) => ({
  state: unexpectedAnswer === null ? 'ok' : 'failed',
  subject,
  detail: unexpectedAnswer ?? '',
}));
