import type { Note } from '../../cluster/infra/edit.ts';
import { applyMove, type NotYet, probeMove, sightOf } from '../../cluster/infra/run.ts';
import { operatorOf } from '../../moves/carried.ts';
import { foresee } from '../../moves/foresight.ts';
import { withMachineNodes } from '../../moves/machine-sets/nodes.ts';
import type { ClusterMove, Move, Sight } from '../../moves/move.ts';
import { carriedBy, type MoveName, needsOf } from '../../moves/table.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { SeenMove } from '../recollection.ts';
import { filesSide } from './files-side.ts';
import type { Look, MoveSite, Side } from './site.ts';
import { emptyMade, planUndo, undoMove } from './undo.ts';

/**
 * The move on the site.
 * @param look looks at the moves that it needs: one look counts for all of them
 * @param isMade whether a move that it needs is there when its turn comes
 */
export function sideOf(site: MoveSite, move: Move<MoveName>, look: Look, isMade: (seen: SeenMove) => boolean): Side {
  const notYet = async () => {
    const found = await Promise.all(needsOf(move).map(async (needed) => ({ needed, ...(await look(needed)) })));
    const open = found.filter((seen) => !isMade(seen));
    const asked = await Promise.all(
      open.map(async ({ needed: { name, taintWaits }, state }) => {
        const isAsked = move.isTaint === true && typeof taintWaits === 'function';
        const isWaitedFor = !isAsked || (await taintWaits(sightOf(await site.connect()), state));
        return isWaitedFor ? [catalogue().moves.each[name].title] : [];
      }),
    );
    return asked.flat();
  };
  return move.where === 'cluster' ? clusterSide(site, move, notYet) : filesSide(site, move, notYet);
}

function clusterSide(site: MoveSite, move: ClusterMove<MoveName>, notYet: NotYet): Side {
  const { connect, log } = site;
  const designOn = (sight: Sight) => withMachineNodes(site.design, sight);
  const opened = async () => {
    const cluster = await connect();
    const sight = sightOf(cluster);
    return { cluster, sight, design: await designOn(sight) };
  };
  return {
    async probe(ahead) {
      const sight = ahead ?? foresee(sightOf(await connect()));
      return await probeMove(sight, move, await designOn(sight), notYet);
    },
    async apply(tell, check = () => undefined, hold) {
      const { cluster, design } = await opened();
      const note: Note = async (edit, current) => await log?.note(cluster, move.name, edit, current);
      await applyMove(cluster, move, design, notYet, { tell, check, note, hold });
    },
    async operator() {
      const carried = carriedBy(move.name);
      return carried && (await operatorOf(sightOf(await connect()), carried));
    },
    async planUndo(toDefaults) {
      const { cluster, design } = await opened();
      return await planUndo(cluster, move, { design, log, toDefaults });
    },
    async undo(tell, consent) {
      const { cluster, design } = await opened();
      return await undoMove(cluster, move, { design, log, consent }, tell);
    },
    async empty(tell, consent) {
      const cluster = await connect();
      return move.emptying ? await emptyMade(cluster, move, move.emptying, { log, consent, tell }) : null;
    },
    emptied: async (names) => (move.emptying ? await move.emptying.left(sightOf(await connect()), names) : null),
    async undoWaits() {
      const { sight, design } = await opened();
      return move.undoWaits ? await move.undoWaits(sight, design) : null;
    },
    async left() {
      const { sight, design } = await opened();
      return move.left ? await move.left(sight, design) : null;
    },
    byHand: [],
  };
}
