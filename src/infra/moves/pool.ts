import { INFRA_POOL_SPEC, listInfraNodeNames, WORKER_LABEL } from '../../design/infra-placement.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { type NodeView, parseNode } from '../../openshift/node.ts';
import {
  findUnhealthy,
  getField,
  getNumber,
  isConditionTrue,
  type KubeObject,
  listConditions,
  matchesLabelSelector,
} from '../../openshift/object.ts';
import type { ClusterReader } from '../cluster-reader.ts';
import type { Edit } from '../edit.ts';
import type { ClusterMove } from '../infra-move.ts';
import { findBlockedDrain } from '../shared/disruption-budgets.ts';
import { findLabelledInfraNodes, isNotApplicable } from '../shared/nodes.ts';
import { createLabelEdit, labelMove } from './label.ts';

const words = () => catalogue().moves.byName.pool;

// infra.yaml is in English, whatever the language of the wizard.
const POOL_COMMENT =
  ' Creates the MachineConfigPool infra: the configuration of the pool worker, plus machine configs for infra. No node restarts.';
const UNLABEL_COMMENT = ' Then remove the role worker by hand, because a manifest cannot remove a label:';

const INFRA_POOL = { kind: 'MachineConfigPool', name: 'infra', namespace: null } as const;
const poolEdit: Edit = {
  ...INFRA_POOL,
  create: () => ({ metadata: { name: 'infra' }, spec: INFRA_POOL_SPEC }),
};

/**
 * Creates the MachineConfigPool `infra` (machine-config-operator, docs/custom-pools.md). Its rendered configuration is
 * that of the pool `worker`, so nodes that change pools do not restart. The label `worker` may only be removed if there
 * is a custom pool: without both, no pool manages the node.
 */
export const poolMove: ClusterMove<'pool'> = {
  name: 'pool',
  where: 'cluster',
  rolloutTarget: { operator: 'machine-config' },
  needs: [labelMove],
  mustPrecedeTaint: false,
  async plan(cluster, design) {
    if (!design.infra.pool) return { state: 'absent', why: words().unwanted };
    const nodes = await findLabelledInfraNodes(cluster, design);
    if (isNotApplicable(nodes)) return nodes;
    // The Machine Config Operator creates the pools master and worker: without them it is not installed yet.
    if ((await cluster.list('MachineConfigPool')).length === 0) {
      return { state: 'blocked', why: catalogue().moves.reasons.operatorMissing('MachineConfigPool') };
    }
    const [pool = null, ...otherPools] = await findCustomPools(cluster, nodes);
    if (pool !== null && otherPools.length > 0)
      return { state: 'blocked', why: words().several([pool, ...otherPools].map(({ metadata }) => metadata.name)) };
    const reason = pool === null ? null : explainUnusablePool(pool, nodes);
    if (reason !== null) return { state: 'blocked', why: reason };
    const unlabelEdits = design.infra.keepWorkerRole
      ? []
      : nodes.map(({ name }) => createLabelEdit(name, { [WORKER_LABEL]: null }));
    return { state: 'edits', edits: [...(pool === null ? [poolEdit] : []), ...unlabelEdits] };
  },
  async probeRollout(cluster, design) {
    const names = listInfraNodeNames(design);
    const nodes = (await cluster.list('Node')).map(parseNode).filter(({ name }) => names.includes(name));
    const [pool = null] = await findCustomPools(cluster, nodes);
    const conditions = pool ? listConditions(pool) : [];
    const unhealthyPool = pool && findUnhealthy(pool);
    if (unhealthyPool) return { state: 'failed', why: words().degraded(unhealthyPool.message) };
    const nodeCount = names.length;
    const [machineCount, updatedCount, readyCount] = ['machineCount', 'updatedMachineCount', 'readyMachineCount'].map(
      (name) => getNumber(pool?.status, name) ?? 0,
    );
    // A pool that the user created may have further nodes.
    const expectedCount = Math.max(nodeCount, machineCount ?? 0);
    const isDone =
      machineCount === expectedCount &&
      updatedCount === expectedCount &&
      readyCount === expectedCount &&
      !isConditionTrue(conditions, 'Updating');
    if (isDone) return { state: 'done', why: words().done(expectedCount) };
    const why = words().updating(updatedCount ?? 0, expectedCount);
    const blockedDrain = await findBlockedDrain(
      cluster,
      (await cluster.list('Node')).filter(({ metadata }) => names.includes(metadata.name)),
    );
    if (blockedDrain === null) return { state: 'moving', why };
    const { node, namespace, name, pods } = blockedDrain;
    const [pod = ''] = pods;
    return {
      state: 'moving',
      why: `${why} ${words().drainBlocked(node, `${namespace}/${name}`, pods)}`,
      pending: { namespace, name: pod, cause: 'budget', taint: null },
    };
  },
  findUndoBlocker: null,
  planUndoEdits: async (_cluster, design) => [
    ...listInfraNodeNames(design).map((name) => createLabelEdit(name, { [WORKER_LABEL]: '' })),
    { ...INFRA_POOL, isRemoval: true },
  ],
  untilPodsGone: null,
  buildManifest(design) {
    if (!design.infra.pool) return [];
    const unlabelComment = design.infra.keepWorkerRole
      ? ''
      : `\n${UNLABEL_COMMENT}\n   oc label node ${listInfraNodeNames(design).join(' ')} ${WORKER_LABEL}-`;
    return [{ comment: `${POOL_COMMENT}${unlabelComment}`, edits: [poolEdit] }];
  },
};

/**
 * Finds the custom pools of these nodes: all pools that select one of them, else the pool named infra. More than one
 * pool is a conflict, because a node can be in one custom pool only (machine-config-operator).
 */
async function findCustomPools(cluster: ClusterReader, nodes: readonly NodeView[]): Promise<readonly KubeObject[]> {
  const pools = (await cluster.list('MachineConfigPool')).filter(({ metadata }) => !DEFAULT_POOLS.has(metadata.name));
  const selectingPools = pools.filter(({ spec }) =>
    nodes.some(({ labels }) => matchesLabelSelector(getField(spec, 'nodeSelector'), labels)),
  );
  return selectingPools.length > 0 ? selectingPools : pools.filter(({ metadata }) => metadata.name === INFRA_POOL.name);
}

const DEFAULT_POOLS: ReadonlySet<string> = new Set(['master', 'worker', 'arbiter']);

/**
 * Explains why an existing pool cannot be used; null if it can. The wizard does not change the pool's selectors: other
 * selectors would render another configuration, and the nodes would restart.
 */
function explainUnusablePool({ metadata, spec, status }: KubeObject, nodes: readonly NodeView[]): string | null {
  const { name: poolName } = metadata;
  const unselectedNames = nodes
    .filter(({ labels }) => !matchesLabelSelector(getField(spec, 'nodeSelector'), labels))
    .map(({ name }) => name);
  if (unselectedNames.length > 0) return words().otherNodes(poolName, unselectedNames);
  if (!matchesLabelSelector(getField(spec, 'machineConfigSelector'), { [ROLE_LABEL]: 'worker' }))
    return words().otherConfiguration(poolName);
  const isIncomplete = (getNumber(status, 'updatedMachineCount') ?? 0) < nodes.length;
  return getField(spec, 'paused') === true && isIncomplete ? words().paused(poolName) : null;
}

/** The label of a MachineConfig that names its role. */
const ROLE_LABEL = 'machineconfiguration.openshift.io/role';
