import { nodes } from './nodes.ts';
import { errors, reasons } from './reasons.ts';
import { traffic } from './traffic.ts';
import { workloads } from './workloads.ts';

/** Texts of the infra moves. */
export const moves = {
  /** By move: its title, its action and effects, the limits of its undo, and its status messages. */
  byName: { ...nodes, ...traffic, ...workloads },
  /** States of a move, in commands and on the screen. */
  states: {
    done: 'done',
    needed: 'to do',
    moving: 'under way',
    blocked: 'blocked',
    absent: 'not needed',
    failed: 'failed',
  },
  why: reasons,
  report: {
    same: (object: string) => `${object}: unchanged`,
    changed: (object: string) => `${object}: changed`,
    created: (object: string) => `${object}: created`,
    removed: (object: string) => `${object}: removed`,
  },
  trouble: errors,
};
