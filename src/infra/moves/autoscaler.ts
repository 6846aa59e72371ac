import type { AutoscalerSettings, Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { getNumber, getString } from '../../openshift/object.ts';
import type { ClusterReader } from '../cluster-reader.ts';
import type { Edit } from '../edit.ts';
import type { ClusterMove, NotApplicable } from '../infra-move.ts';
import { MACHINE_NAMESPACE, type MachineSetView } from './machine-set-view.ts';
import { listMachineSets } from './machine-sets.ts';

const words = () => catalogue().moves.byName.autoscaler;

const CLUSTER_AUTOSCALER = { kind: 'ClusterAutoscaler', name: 'default', namespace: null } as const;
/** Platforms whose MachineSets can have zero machines (documentation of OpenShift, "About the machine autoscaler"). */
const SCALE_FROM_ZERO_PLATFORMS = new Set(['AWS', 'Azure', 'GCP', 'OpenStack', 'VSphere']);

/**
 * Scales the workers. Each worker MachineSet gets a MachineAutoscaler; their limits add up to those of the design. The
 * ClusterAutoscaler gets the resulting maximum number of nodes. Existing autoscalers stay as they are.
 */
export const autoscalerMove: ClusterMove<'autoscaler'> = {
  name: 'autoscaler',
  where: 'cluster',
  rolloutTarget: null,
  needs: [],
  mustPrecedeTaint: false,
  async plan(cluster, design) {
    const limitPlan = await planLimits(cluster, design);
    if (!('limits' in limitPlan)) return limitPlan;
    const { limits, maxNodes } = limitPlan;
    return {
      state: 'edits',
      edits: [...limits.map(createMachineAutoscalerEdit), createClusterAutoscalerEdit(maxNodes)],
    };
  },
  async probeRollout(cluster) {
    const scaler = await cluster.get(CLUSTER_AUTOSCALER.kind, CLUSTER_AUTOSCALER.name);
    const maximum = getNumber(scaler?.spec, 'resourceLimits', 'maxNodesTotal');
    return { state: 'done', why: words().done(maximum) };
  },
  findUndoBlocker: null,
  // Without an undo record, it is unknown who created the autoscalers.
  planUndoEdits: async () => [],
  untilPodsGone: null,
  buildManifest: () => [],
};

/** The minimum and maximum number of machines of one worker MachineSet. */
interface SetLimits {
  readonly setName: string;
  readonly minReplicas: number;
  readonly maxReplicas: number;
}

/** Spreads the limits for all workers over the MachineSets; a set whose share is zero machines gets none. */
export function spreadLimits(
  sets: readonly string[],
  { least, most }: AutoscalerSettings,
  canScaleFromZero: boolean,
): SetLimits[] {
  const share = (all: number, index: number) => Math.floor(all / sets.length) + (index < all % sets.length ? 1 : 0);
  return sets
    .map((setName, index) => ({
      setName,
      minReplicas: Math.max(share(least, index), canScaleFromZero ? 0 : 1),
      maxReplicas: share(most, index),
    }))
    .filter((limits) => limits.maxReplicas > 0 && limits.maxReplicas >= limits.minReplicas);
}

async function planLimits(
  cluster: ClusterReader,
  design: Design,
): Promise<NotApplicable | { readonly limits: readonly SetLimits[]; readonly maxNodes: number }> {
  const autoscaler = design.infra.autoscaler;
  if (autoscaler === null) return { state: 'absent', why: words().unwanted };
  const sets = (await listMachineSets(cluster)).filter(({ unfitReason, isInfra }) => unfitReason === null && !isInfra);
  if (sets.length === 0) return { state: 'absent', why: words().noSets };
  if (autoscaler.least > autoscaler.most)
    return { state: 'blocked', why: words().limitsReversed(autoscaler.least, autoscaler.most) };
  const infrastructure = await cluster.get('Infrastructure', 'cluster');
  const platform = getString(infrastructure?.status, 'platformStatus', 'type') ?? '';
  const autoscalers = await cluster.list('MachineAutoscaler', { namespace: MACHINE_NAMESPACE });
  // Another autoscaler of the same set, under another name, would work against ours.
  const hasOtherAutoscaler = ({ name }: MachineSetView) =>
    autoscalers.some(
      ({ metadata, spec }) => metadata.name !== name && getString(spec, 'scaleTargetRef', 'name') === name,
    );
  const names = sets.filter((set) => !hasOtherAutoscaler(set)).map(({ name }) => name);
  const limits = spreadLimits(names.sort(), autoscaler, SCALE_FROM_ZERO_PLATFORMS.has(platform));
  const workerCount = sets.reduce((sum, { replicas }) => sum + replicas, 0);
  const nodeCount = (await cluster.list('Node')).length;
  return { limits, maxNodes: Math.max(0, nodeCount - workerCount) + Math.max(autoscaler.most, workerCount) };
}

const createMachineAutoscalerEdit = ({ setName, minReplicas, maxReplicas }: SetLimits): Edit => {
  const target = { kind: 'MachineAutoscaler', name: setName, namespace: MACHINE_NAMESPACE } as const;
  const scaleTargetRef = { apiVersion: 'machine.openshift.io/v1beta1', kind: 'MachineSet', name: setName };
  const { name, namespace } = target;
  const spec = { minReplicas: minReplicas, maxReplicas: maxReplicas, scaleTargetRef };
  return { ...target, create: () => ({ metadata: { name, namespace }, spec }) };
};

/** Control plane and infra nodes count, too: the limit is on all nodes of the cluster. */
const createClusterAutoscalerEdit = (maxNodes: number): Edit => ({
  ...CLUSTER_AUTOSCALER,
  create: () => ({
    metadata: { name: CLUSTER_AUTOSCALER.name },
    spec: {
      balanceSimilarNodeGroups: true,
      resourceLimits: { maxNodesTotal: maxNodes },
      scaleDown: { enabled: true, delayAfterAdd: '10m', unneededTime: '5m' },
    },
  }),
});
