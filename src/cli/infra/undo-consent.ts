import { catalogue, isYesAnswer } from '../../i18n/catalogue.ts';
import type { MoveName } from '../../infra/moves.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';

import { type UndoConsent, type UndoPlan, undoLines } from '../../steps/infra/index.ts';
import type { LiveIo } from '../shared/live-io.ts';

const words = () => catalogue().live.infra;

/**
 * The options of a command about undo. `overwrite`: the moves whose objects are restored even if others changed them.
 */
export interface UndoOptions {
  readonly isYes: boolean;
  readonly toDefaults: boolean;
  readonly overwrite: readonly MoveName[];
}

/** Returns the consent that the options give. */
export function toUndoConsent({ toDefaults, overwrite }: Pick<UndoOptions, 'toDefaults' | 'overwrite'>): UndoConsent {
  return { toDefaults, overwrites: (move) => overwrite.includes(move) };
}

/**
 * Shows what undo does to each object, and asks: once for all of it, and once for each object that others changed
 * since.
 * @returns null if the user declines
 */
export async function askUndoConsent(
  plans: readonly UndoPlan[],
  io: Pick<LiveIo, 'ask' | 'stderr'>,
  options: UndoOptions,
): Promise<UndoConsent | null> {
  const ask = async (question: string) => isYesAnswer((await io.ask?.(question)) ?? '');
  for (const plan of plans) io.stderr(`${['', plan.move, ...undoLines(plan, toUndoConsent(options))].join('\n')}\n`);
  if (!(await ask(words().confirmUndo(plans.map(({ move }) => move).join(', '))))) return null;
  const overwriteKeys = new Set<string>();
  for (const plan of plans) {
    if (plan.to !== 'before' || options.overwrite.includes(plan.move)) continue;
    for (const { object, state } of plan.objects) {
      if (state === 'changed' && (await ask(words().confirmOverwrite(sanitizeLine(object)))))
        overwriteKeys.add(`${plan.move} ${object}`);
    }
  }
  const { overwrites } = toUndoConsent(options);
  return {
    toDefaults: true,
    overwrites: (move, object) => overwrites(move, object) || overwriteKeys.has(`${move} ${object}`),
  };
}
