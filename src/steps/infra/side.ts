import type { Note } from '../../cluster/infra/edit.ts';
import { applyMove, type NotYet, probeMove, sightOf } from '../../cluster/infra/run.ts';
import { carriedBy } from '../../moves/carried.ts';
import { foresee } from '../../moves/foresight.ts';
import type { ClusterMove, Move } from '../../moves/move.ts';
import { type MoveName, needsOf } from '../../moves/table.ts';
import { operatorView } from '../../objects/operator.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { SeenMove } from '../recollection.ts';
import { filesSide } from './files-side.ts';
import type { Look, MoveSite, Side } from './site.ts';
import { planUndo, undoMove } from './undo.ts';

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
  const { connect, design, log } = site;
  return {
    probe: async (ahead) => await probeMove(ahead ?? foresee(sightOf(await connect())), move, design, notYet),
    async apply(tell, check = () => undefined) {
      const cluster = await connect();
      const note: Note = async (edit, current) => await log?.note(cluster, move.name, edit, current);
      await applyMove(cluster, move, design, notYet, { tell, check, note });
    },
    async operator() {
      const carried = carriedBy(move.name);
      const found = carried && (await (await connect()).get('ClusterOperator', carried.operator));
      return found && operatorView(found);
    },
    planUndo: async (toDefaults) => await planUndo(await connect(), move, { design, log, toDefaults }),
    undo: async (tell, consent) => await undoMove(await connect(), move, { design, log, consent }, tell),
    undoWaits: async () => (move.undoWaits ? await move.undoWaits(sightOf(await connect()), design) : null),
    left: async () => (move.left ? await move.left(sightOf(await connect()), design) : null),
    byHand: [],
  };
}
