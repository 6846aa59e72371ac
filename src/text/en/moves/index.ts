import { nodes } from './nodes.ts';
import { traffic } from './traffic.ts';
import { trouble, why } from './why.ts';
import { workloads } from './workloads.ts';

/** Words of the infra moves. */
export const moves = {
  /** Of each move: its name as a title, what it does and causes, what undo does not take back, and what it says of itself. */
  each: { ...nodes, ...traffic, ...workloads },
  /** Of a move, in commands and on the screen. */
  states: {
    done: 'done',
    needed: 'to do',
    moving: 'under way',
    blocked: 'blocked',
    absent: 'not needed',
    failed: 'failed',
  },
  why,
  report: {
    same: (object: string) => `${object}: unchanged`,
    changed: (object: string) => `${object}: changed`,
    created: (object: string) => `${object}: created`,
    removed: (object: string) => `${object}: removed`,
  },
  trouble,
};
