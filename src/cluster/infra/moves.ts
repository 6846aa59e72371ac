import { dns } from './dns.ts';
import { label, pool } from './label.ts';
import { monitoring } from './monitoring.ts';
import type { Move, MoveName } from './move.ts';
import { registry } from './registry.ts';
import { router } from './router.ts';
import { taint } from './taint.ts';

/** The infra moves that the cluster's API makes, by name; their order is MOVE_NAMES. */
export const MOVES: Readonly<Record<MoveName, Move>> = { label, pool, dns, router, registry, monitoring, taint };
