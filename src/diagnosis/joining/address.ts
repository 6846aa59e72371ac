import { check } from '../rule.ts';
import type { JoiningNode } from './evidence.ts';

/** No other Node has its address. */
export const addressOwner = check(
  'join-address-owner',
  'fatal',
  ({ name: subject, addressOwner: owner }: JoiningNode) => ({
    state: owner === null ? 'ok' : 'failed',
    subject,
    detail: owner ?? '',
  }),
);

/** Nothing answers at its address while it is off. */
export const address = check('join-address', 'warning', ({ name: subject, answering }: JoiningNode) => ({
  state: answering === null ? 'ok' : 'failed',
  subject,
  detail: answering ?? '',
}));
