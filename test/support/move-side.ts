import type { Cluster } from '../../src/cluster/api.ts';
import type { Design } from '../../src/design/model.ts';
import { type MoveName, moveNamed } from '../../src/moves/table.ts';
import { lookOver } from '../../src/steps/infra/look.ts';
import { sideOf } from '../../src/steps/infra/side.ts';
import type { MoveSite, Side } from '../../src/steps/infra/site.ts';
import { isThere } from '../../src/steps/infra/standing.ts';
import type { UndoConsent } from '../../src/steps/infra/undo.ts';
import { standingClock } from './standing-clock.ts';

/** A site of a cluster alone, without an install directory. */
export function clusterSite(cluster: Cluster, design: Design, log: MoveSite['log'] = null): MoveSite {
  const { signal } = new AbortController();
  return { design, clock: standingClock(), signal, connect: async () => cluster, context: null, log };
}

/** One move on a site. */
export function moveSide(site: MoveSite, name: MoveName): Side {
  const move = moveNamed(name);
  if (move === null) throw new Error(`there is no move ${name}`);
  return sideOf(site, move, lookOver(site), isThere);
}

/** Undo where nobody wrote down what was there. */
export const TO_DEFAULTS: UndoConsent = { toDefaults: true, overwrites: () => false };
