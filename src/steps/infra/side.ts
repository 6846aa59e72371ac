import { applyMove, type NotYet, probeMove, sightOf, undoMove } from '../../cluster/infra/run.ts';
import type { ClusterMove, Move } from '../../moves/move.ts';
import { type MoveName, needsOf } from '../../moves/table.ts';
import { catalogue } from '../../text/catalogue.ts';
import { filesSide } from './files-side.ts';
import type { Look, MoveSite, Side } from './site.ts';
import { isThere } from './standing.ts';

/** The move on the site. @param look looks at the moves that it needs: one look counts for all of them */
export function sideOf(site: MoveSite, move: Move<MoveName>, look: Look): Side {
  const notYet = async () => {
    const found = await Promise.all(needsOf(move).map(async (needed) => ({ needed, ...(await look(needed)) })));
    const open = found.filter((seen) => !isThere(seen));
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

function clusterSide({ connect, design }: MoveSite, move: ClusterMove, notYet: NotYet): Side {
  return {
    probe: async () => await probeMove(await connect(), move, design, notYet),
    apply: async (tell) => await applyMove(await connect(), move, design, notYet, tell),
    undo: async (tell) => await undoMove(await connect(), move, design, tell),
    undoWaits: async () => (move.undoWaits ? await move.undoWaits(sightOf(await connect()), design) : null),
    left: async () => (move.left ? await move.left(sightOf(await connect())) : null),
    byHand: [],
  };
}
