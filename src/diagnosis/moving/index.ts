import { catalogue } from '../../text/catalogue.ts';
import type { Finding } from '../finding.ts';
import { checkRules, judge } from '../rule.ts';
import { budget } from './budget.ts';
import type { MovingEvidence } from './evidence.ts';
import { operator } from './operator.ts';
import { pool } from './pool.ts';
import { room, spareRoom } from './room.ts';
import { storage, volumesByHand } from './storage.ts';
import { cordons, strays, taints } from './taints.ts';
import { update } from './update.ts';

const CHECKS = checkRules(
  [operator, update, pool, taints, cordons, strays, room, spareRoom, storage, volumesByHand, budget],
  () => catalogue().diagnosis.moving.checks,
);
const OF_NODES = checkRules([taints, cordons, strays], () => catalogue().diagnosis.moving.checks);

/** What is to be known before an infra move, right or wrong. What could not be looked at is unknown, and no obstacle. */
export function judgeMoving(evidence: MovingEvidence): Finding[] {
  return judge(CHECKS, evidence);
}

/** The part of it that is about the infra nodes alone. */
export function judgeNodes(nodes: Pick<MovingEvidence, 'infra' | 'strays'>): Finding[] {
  const unseen = {
    operator: null,
    isOfHub: false,
    isCure: false,
    update: null,
    pools: null,
    moving: null,
    storageClass: undefined,
  };
  return judge(OF_NODES, { ...unseen, ...nodes, tightBudgets: null });
}
