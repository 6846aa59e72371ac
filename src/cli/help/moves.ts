import { MOVES, needsOf } from '../../moves/table.ts';
import { catalogue } from '../../text/catalogue.ts';
import { type Block, heading, terms, text } from './page.ts';

/** The infra moves in their order, with where each acts and which moves must come first. */
export function movesPage(): readonly Block[] {
  const { intro, order, where, needs, undoTitle, undo, cloudTitle, cloud, elasticTitle, elastic } =
    catalogue().help.moves;
  const { each } = catalogue().moves;
  return [
    text(intro),
    text(order),
    terms(
      MOVES.map((move) => {
        const before = needsOf(move).map(({ name }) => name);
        const after = before.length === 0 ? [] : [needs(before.join(', '))];
        return { name: move.name, lines: [`${each[move.name].title}.`, [where[move.where], ...after].join(' ')] };
      }),
    ),
    heading(cloudTitle),
    ...cloud.map((each) => text(each)),
    heading(elasticTitle),
    text(elastic),
    heading(undoTitle),
    ...undo.map((each) => text(each)),
  ];
}
