import type { Finding } from '../finding.ts';
import { evaluateRules, type Rule } from '../rule.ts';
import { bootstrapLate, etcdBootstrapMember } from './completion.ts';
import { namesWrong } from './dns-names.ts';
import type { BootstrapStage, StuckEvidence } from './evidence.ts';
import { lbPoolDown, lbRefuses, lbSilent, lbWithoutBootstrap } from './load-balancer.ts';
import { nodesAbsent, nodesNotReady, nodesNotServing } from './nodes.ts';
import { bootkubeStuck, releaseImageStuck } from './services.ts';
import { bootstrapHalfOpen, bootstrapSilent, noRouteFromHere } from './unreachable.ts';

const LB_RULES = [lbPoolDown, lbRefuses, lbSilent];

/** Rules that explain a stage without progress, the most likely cause first. */
const STAGE_RULES: Readonly<Record<BootstrapStage, readonly Rule<StuckEvidence>[]>> = {
  'release-image': [releaseImageStuck],
  bootkube: [bootkubeStuck],
  'bootstrap-up': [bootstrapHalfOpen, bootstrapSilent],
  api: [lbWithoutBootstrap, ...LB_RULES],
  'machine-config': LB_RULES,
  joined: [namesWrong, ...LB_RULES, nodesAbsent],
  'control-plane': [nodesNotReady],
  serving: [nodesNotServing],
  complete: [bootstrapLate],
  etcd: [etcdBootstrapMember],
};

/**
 * Explains a stuck bootstrap, the most likely cause first. For an API that does not answer, only the most likely cause
 * is returned.
 */
export function explainStuckBootstrap(evidence: StuckEvidence): Finding[] {
  const { stage, topology } = evidence;
  const noRoute = evaluateRules([noRouteFromHere], evidence);
  if (noRoute.length > 0) return noRoute;
  if (stage !== 'api') return evaluateRules(STAGE_RULES[stage], evidence);
  // A single node serves its API directly, without a load balancer.
  return evaluateRules(topology === 'single-node' ? STAGE_RULES['bootstrap-up'] : STAGE_RULES.api, evidence).slice(
    0,
    1,
  );
}
