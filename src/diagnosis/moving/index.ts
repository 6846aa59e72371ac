import { catalogue } from '../../i18n/catalogue.ts';
import type { Finding } from '../finding.ts';
import { checkRules, evaluateRules } from '../rule.ts';
import { budget } from './budget.ts';
import { capacity, spareCapacity } from './capacity.ts';
import type { MoveCheckEvidence } from './evidence.ts';
import { operator } from './operator.ts';
import { pool } from './pool.ts';
import { manualVolumes, storage } from './storage.ts';
import { cordons, taints, unplannedNodes } from './taints.ts';
import { update } from './update.ts';

const MOVE_CHECKS = checkRules(
  [operator, update, pool, taints, cordons, unplannedNodes, capacity, spareCapacity, storage, manualVolumes, budget],
  () => catalogue().diagnosis.moving.checks,
);
const NODE_CHECKS = checkRules([taints, cordons, unplannedNodes], () => catalogue().diagnosis.moving.checks);

/** Checks the preconditions of an infra move. An unknown result does not block it. */
export function checkMove(evidence: MoveCheckEvidence): Finding[] {
  return evaluateRules(MOVE_CHECKS, evidence);
}

/** Runs only the checks of the infra nodes. */
export function checkInfraNodes(nodes: Pick<MoveCheckEvidence, 'infra' | 'unplannedNodes'>): Finding[] {
  const unknown = {
    operator: null,
    isFromOperatorHub: false,
    canFixOperator: false,
    update: null,
    pools: null,
    podRequests: null,
    storageClass: undefined,
  };
  return evaluateRules(NODE_CHECKS, { ...unknown, ...nodes, tightBudgets: null });
}
