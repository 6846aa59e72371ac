import { MOVE_NAMES } from '../../moves/table.ts';
import { catalogue } from '../../text/catalogue.ts';
import { type Block, terms, text } from './page.ts';

/** The infra moves in their order. */
export function movesPage(): readonly Block[] {
  const { intro, order } = catalogue().help.moves;
  const moves = MOVE_NAMES.map((name) => ({ name, lines: [catalogue().moves.each[name].does] }));
  return [text(intro), text(order), terms(moves)];
}
