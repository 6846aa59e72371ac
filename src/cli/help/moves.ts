import { catalogue } from '../../text/catalogue.ts';
import { type Block, termsOf, text } from './page.ts';

/** The infra moves in their order. */
export function movesPage(): readonly Block[] {
  const { intro, order } = catalogue().help.moves;
  return [text(intro), text(order), termsOf(catalogue().steps.infra.moves)];
}
