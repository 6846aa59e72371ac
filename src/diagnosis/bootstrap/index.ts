import type { Finding } from '../finding.ts';
import { judge, type Rule } from '../rule.ts';
import { dropped, emptyPool, refuses, withoutBootstrap } from './balancer.ts';
import { etcdMember, late } from './end.ts';
import type { BootstrapStage, StuckEvidence } from './evidence.ts';
import { bootkube, releaseImage } from './inside.ts';
import { names } from './names.ts';
import { absent, notReady, notServing } from './nodes.ts';
import { half, noWay, silent } from './silent.ts';

const BALANCER = [emptyPool, refuses, dropped];

/** Why a stage does not progress, as far as we can see from here; the most likely cause first. */
const STUCK: Readonly<Record<BootstrapStage, readonly Rule<StuckEvidence>[]>> = {
  'release-image': [releaseImage],
  bootkube: [bootkube],
  'bootstrap-up': [half, silent],
  api: [withoutBootstrap, ...BALANCER],
  'machine-config': BALANCER,
  joined: [names, ...BALANCER, absent],
  'control-plane': [notReady],
  serving: [notServing],
  complete: [late],
  etcd: [etcdMember],
};

/** Why a bootstrap is stuck, the most likely cause first; for an API that does not answer, that cause alone. */
export function judgeStuck(evidence: StuckEvidence): Finding[] {
  const { stage, topology } = evidence;
  const kept = judge([noWay], evidence);
  if (kept.length > 0) return kept;
  if (stage !== 'api') return judge(STUCK[stage], evidence);
  // A single node serves its API itself, without a load balancer.
  return judge(topology === 'single-node' ? STUCK['bootstrap-up'] : STUCK.api, evidence).slice(0, 1);
}
