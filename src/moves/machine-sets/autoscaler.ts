import type { AutoscalerPlan, Design } from '../../design/model.ts';
import { numberAt, textAt } from '../../objects/object.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Edit } from '../edit.ts';
import type { ClusterMove, Sight, Stopped } from '../move.ts';
import { setsOf } from './index.ts';
import { MACHINE_NAMESPACE, type WorkerSet } from './worker-set.ts';

const words = () => catalogue().moves.each.autoscaler;

const NAMED = { kind: 'ClusterAutoscaler', name: 'default', namespace: null } as const;
/** Clouds whose sets may have no machine at all (documentation of OpenShift, "About the machine autoscaler"). */
const FROM_NONE = new Set(['AWS', 'Azure', 'GCP', 'OpenStack', 'VSphere']);

/**
 * Workers that come and go: a MachineAutoscaler for each worker set, within limits for all of them together, and the
 * ClusterAutoscaler with the number of nodes that this comes to at most. Those that are there stay as they are.
 */
export const autoscaler: ClusterMove<'autoscaler'> = {
  name: 'autoscaler',
  where: 'cluster',
  carried: null,
  needs: [],
  taintWaits: false,
  async plan(sight, design) {
    const found = await limitsOn(sight, design);
    if (!('limits' in found)) return found;
    const { limits, nodes } = found;
    return { state: 'edits', edits: [...limits.map(scalerEdit), clusterEdit(nodes)] };
  },
  async settled(sight) {
    const scaler = await sight.get(NAMED.kind, NAMED.name);
    const most = numberAt(scaler?.spec, 'resourceLimits', 'maxNodesTotal');
    return { state: 'done', why: words().done(most) };
  },
  undoWaits: null,
  // Without a record nobody knows who made them.
  undoEdits: async () => [],
  left: null,
  manifest: () => [],
};

/** The machines of one worker set, at least and at most. */
export interface Limits {
  readonly set: string;
  readonly least: number;
  readonly most: number;
}

/** The limits for all workers together, spread over the sets; a set whose share is no machine gets none. */
export function spread(sets: readonly string[], { least, most }: AutoscalerPlan, isFromNone: boolean): Limits[] {
  const share = (all: number, index: number) => Math.floor(all / sets.length) + (index < all % sets.length ? 1 : 0);
  return sets
    .map((set, index) => ({ set, least: Math.max(share(least, index), isFromNone ? 0 : 1), most: share(most, index) }))
    .filter((limits) => limits.most > 0 && limits.most >= limits.least);
}

async function limitsOn(
  sight: Sight,
  design: Design,
): Promise<Stopped | { readonly limits: readonly Limits[]; readonly nodes: number }> {
  const wanted = design.infra.autoscaler;
  if (wanted === null) return { state: 'absent', why: words().unwanted };
  const sets = (await setsOf(sight)).filter(({ unfit, isInfra }) => unfit === null && !isInfra);
  if (sets.length === 0) return { state: 'absent', why: words().noSets };
  if (wanted.least > wanted.most) return { state: 'blocked', why: words().crossed(wanted.least, wanted.most) };
  const infrastructure = await sight.get('Infrastructure', 'cluster');
  const platform = textAt(infrastructure?.status, 'platformStatus', 'type') ?? '';
  const scaled = await sight.list('MachineAutoscaler', { namespace: MACHINE_NAMESPACE });
  // Another autoscaler of the same set, under another name, would pull it the other way.
  const isTaken = ({ name }: WorkerSet) =>
    scaled.some(({ metadata, spec }) => metadata.name !== name && textAt(spec, 'scaleTargetRef', 'name') === name);
  const names = sets.filter((set) => !isTaken(set)).map(({ name }) => name);
  const limits = spread(names.sort(), wanted, FROM_NONE.has(platform));
  const workers = sets.reduce((sum, { replicas }) => sum + replicas, 0);
  const all = (await sight.list('Node')).length;
  return { limits, nodes: Math.max(0, all - workers) + Math.max(wanted.most, workers) };
}

const scalerEdit = ({ set, least, most }: Limits): Edit => {
  const named = { kind: 'MachineAutoscaler', name: set, namespace: MACHINE_NAMESPACE } as const;
  const scaleTargetRef = { apiVersion: 'machine.openshift.io/v1beta1', kind: 'MachineSet', name: set };
  const { name, namespace } = named;
  const spec = { minReplicas: least, maxReplicas: most, scaleTargetRef };
  return { ...named, create: () => ({ metadata: { name, namespace }, spec }) };
};

/** Control plane and infra nodes count, too: the limit is on all nodes of the cluster. */
const clusterEdit = (nodes: number): Edit => ({
  ...NAMED,
  create: () => ({
    metadata: { name: NAMED.name },
    spec: {
      balanceSimilarNodeGroups: true,
      resourceLimits: { maxNodesTotal: nodes },
      scaleDown: { enabled: true, delayAfterAdd: '10m', unneededTime: '5m' },
    },
  }),
});
