import type { MoveChange } from '../../moves/edit.ts';
import { catalogue } from '../../text/catalogue.ts';
import { type Trouble, TroubleError } from '../../text/trouble.ts';

/** A change as it was shown. */
type Shown = Pick<MoveChange, 'object' | 'before' | 'after'>;

/** What a person, or whoever said yes for all, agreed to. */
export interface Agreement {
  /** The changes that nobody was shown, or that differ from what was shown. */
  unseen(changes: readonly MoveChange[]): readonly MoveChange[];
  /** They were shown, too. */
  add(changes: readonly Shown[]): void;
  /** Comes before each write. @throws TroubleError `plan-differs` for a change that was not shown */
  readonly check: (change: MoveChange) => void;
}

/** An agreement to these changes and no other; null: to any. */
export function agreementTo(shown: readonly Shown[] | null): Agreement {
  const known = new Set((shown ?? []).map(keyOf));
  const unseen = (changes: readonly MoveChange[]) =>
    shown === null ? [] : changes.filter((change) => !known.has(keyOf(change)));
  return {
    unseen,
    add(changes) {
      for (const change of changes) known.add(keyOf(change));
    },
    check(change) {
      const found = unseen([change]);
      if (found.length > 0) throw new TroubleError(differs(found));
    },
  };
}

function keyOf({ object, before, after }: Shown): string {
  return JSON.stringify([object, before, after]);
}

/** Why a move stops before it writes. */
export function differs(unseen: readonly MoveChange[]): Trouble {
  const { cause, ...rest } = catalogue().moves.trouble.differs;
  const objects = [...new Set(unseen.map(({ object }) => object))];
  return { code: 'plan-differs', cause: cause(objects), ...rest };
}
