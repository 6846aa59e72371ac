import type { Design } from '../../design/model.ts';
import { catalogue } from '../../text/catalogue.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { Cluster } from '../client.ts';
import { applyEdit, changeOf, type Edit, type MoveChange } from './edit.ts';

const words = () => catalogue().moves;

/** The moves in the order that avoids an outage; undone in reverse. (Load balancer changes come between them.) */
export const MOVE_NAMES = ['label', 'pool', 'dns', 'router', 'registry', 'monitoring', 'taint'] as const;
export type MoveName = (typeof MOVE_NAMES)[number];

/**
 * `needed`: apply would write `changes`. `moving`: written, and the operators are at it. `done`: what runs says so.
 * `blocked`: something has to come first. `absent`: the design or the cluster does not have it. `failed`: an operator says so.
 */
export interface MoveState {
  readonly state: 'done' | 'needed' | 'blocked' | 'absent' | 'failed' | 'moving';
  readonly why: string;
  readonly changes: readonly MoveChange[];
}

/** One infra move. Each method reads the cluster afresh; errors of the API are ClusterErrors. */
export interface Move {
  readonly name: MoveName;
  probe(cluster: Cluster, design: Design): Promise<MoveState>;
  /** Writes what is missing; nothing when it is already so. @throws TroubleError `infra-…` when blocked or not kept */
  apply(cluster: Cluster, design: Design, report: (line: string) => void): Promise<void>;
  /** Asks what runs; `needed` when the settings are not there. */
  verify(cluster: Cluster, design: Design): Promise<MoveState>;
  /** Takes the settings back to what the operators do by themselves. */
  undo(cluster: Cluster, design: Design, report: (line: string) => void): Promise<void>;
}

/** What a move wants: edits to be made, or why there is nothing to do. */
export type MovePlan =
  | { readonly state: 'blocked' | 'absent'; readonly why: string }
  | { readonly state: 'edits'; readonly edits: readonly Edit[] };

/** What the running thing says after the edits. */
export interface Settled {
  readonly state: 'done' | 'moving' | 'failed';
  readonly why: string;
}

/** The parts of a move that differ from the others. */
export interface MoveParts {
  readonly name: MoveName;
  plan(cluster: Cluster, design: Design): Promise<MovePlan>;
  settled(cluster: Cluster, design: Design): Promise<Settled>;
  undoEdits(cluster: Cluster, design: Design): Promise<readonly Edit[]>;
}

/** A Move of its parts. */
export function makeMove({ name, plan, settled, undoEdits }: MoveParts): Move {
  const probe = async (cluster: Cluster, design: Design): Promise<MoveState> => {
    const planned = await plan(cluster, design);
    if (planned.state !== 'edits') return { ...planned, changes: [] };
    const changes = (await Promise.all(planned.edits.map((edit) => changeOf(cluster, edit)))).flatMap(
      (change) => change ?? [],
    );
    if (changes.length > 0) return { state: 'needed', why: words().why.needed(changes.length), changes };
    return { ...(await settled(cluster, design)), changes: [] };
  };
  return {
    name,
    probe,
    verify: probe,
    async apply(cluster, design, report) {
      const planned = await plan(cluster, design);
      if (planned.state !== 'edits') {
        if (planned.state === 'absent') return;
        throw new TroubleError({ code: 'infra-blocked', cause: planned.why, ...words().trouble.blocked });
      }
      // One after the other: the order of the edits is part of the plan.
      for (const edit of planned.edits) report(await applyEdit(cluster, edit));
    },
    async undo(cluster, design, report) {
      for (const edit of await undoEdits(cluster, design)) report(await applyEdit(cluster, edit));
    },
  };
}
