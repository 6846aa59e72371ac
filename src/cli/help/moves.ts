import { catalogue } from '../../i18n/catalogue.ts';
import { listDependencies, MOVES } from '../../infra/moves.ts';
import { type Block, heading, terms, text } from './page.ts';

/** The infra moves in their order: where each acts, and which moves must come first. */
export function movesPage(): readonly Block[] {
  const { intro, order, where, needs, undoTitle, undo, cloudTitle, cloud, elasticTitle, elastic } =
    catalogue().help.moves;
  const { byName } = catalogue().moves;
  return [
    text(intro),
    text(order),
    terms(
      MOVES.map((move) => {
        const prerequisites = listDependencies(move).map(({ name }) => name);
        const needsText = prerequisites.length === 0 ? [] : [needs(prerequisites.join(', '))];
        return { name: move.name, lines: [`${byName[move.name].title}.`, [where[move.where], ...needsText].join(' ')] };
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
