import { catalogue } from '../../i18n/catalogue.ts';
import { type UserError, UserErrorException } from '../../i18n/user-error.ts';

import type { MoveChange } from '../../infra/edit.ts';

/** A change as it was shown to the user. */
type ShownChange = Pick<MoveChange, 'object' | 'before' | 'after'>;

/** The changes that were confirmed, by the user or by an option that confirms all. */
export interface ConfirmedChanges {
  /** Returns the changes that were not shown, or that differ from the shown ones. */
  findUnconfirmed(changes: readonly MoveChange[]): readonly MoveChange[];
  /** Adds changes that were shown later. */
  add(changes: readonly ShownChange[]): void;
  /** Runs before each write. @throws UserErrorException `plan-differs` for a change that was not shown */
  readonly check: (change: MoveChange) => void;
}

/** Confirms these changes and no others; null confirms any change. */
export function createConfirmedChanges(shown: readonly ShownChange[] | null): ConfirmedChanges {
  const known = new Set((shown ?? []).map(toChangeKey));
  const findUnconfirmed = (changes: readonly MoveChange[]) =>
    shown === null ? [] : changes.filter((change) => !known.has(toChangeKey(change)));
  return {
    findUnconfirmed,
    add(changes) {
      for (const change of changes) known.add(toChangeKey(change));
    },
    check(change) {
      const unconfirmed = findUnconfirmed([change]);
      if (unconfirmed.length > 0) throw new UserErrorException(createPlanDiffersError(unconfirmed));
    },
  };
}

function toChangeKey({ object, before, after }: ShownChange): string {
  return JSON.stringify([object, before, after]);
}

/** Creates the error for a move that stops before it writes, because its changes differ from the shown ones. */
export function createPlanDiffersError(unconfirmed: readonly MoveChange[]): UserError {
  const { cause, ...rest } = catalogue().moves.trouble.differs;
  const objects = [...new Set(unconfirmed.map(({ object }) => object))];
  return { code: 'plan-differs', cause: cause(objects), ...rest };
}
