import type { MoveName } from '../../moves/table.ts';
import { type UndoConsent, type UndoPlan, undoLines } from '../../steps/infra/index.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { saysYes } from '../../text/yes.ts';
import type { LiveIo } from '../shared/live-io.ts';

const words = () => catalogue().live.infra;

/** What the options of a command agree to. `overwrite`: the moves whose objects get what they had, whoever changed them. */
export interface AgreedUndo {
  readonly isYes: boolean;
  readonly toDefaults: boolean;
  readonly overwrite: readonly MoveName[];
}

/** What the options agree to. */
export function consentOf({ toDefaults, overwrite }: Pick<AgreedUndo, 'toDefaults' | 'overwrite'>): UndoConsent {
  return { toDefaults, overwrites: (move) => overwrite.includes(move) };
}

/** Shows what undo does, object by object, and asks: once for all of it, and for each object that others changed since. */
export async function askUndo(
  plans: readonly UndoPlan[],
  io: Pick<LiveIo, 'ask' | 'stderr'>,
  agreed: AgreedUndo,
): Promise<UndoConsent | null> {
  const ask = async (question: string) => saysYes((await io.ask?.(question)) ?? '');
  for (const plan of plans) io.stderr(`${['', plan.move, ...undoLines(plan, consentOf(agreed))].join('\n')}\n`);
  if (!(await ask(words().confirmUndo(plans.map(({ move }) => move).join(', '))))) return null;
  const overwritten = new Set<string>();
  for (const plan of plans) {
    if (plan.to !== 'before' || agreed.overwrite.includes(plan.move)) continue;
    for (const { object, state } of plan.objects) {
      if (state === 'changed' && (await ask(words().confirmOverwrite(sanitizeLine(object)))))
        overwritten.add(`${plan.move} ${object}`);
    }
  }
  const { overwrites } = consentOf(agreed);
  return {
    toDefaults: true,
    overwrites: (move, object) => overwrites(move, object) || overwritten.has(`${move} ${object}`),
  };
}
