import { INFRA_POOL_SPEC, infraNames, WORKER_LABEL } from '../../design/infra-placement.ts';
import { type NodeView, nodeView } from '../../objects/node.ts';
import { at, conditionsOf, isTrue, type KubeObject, numberAt } from '../../objects/object.ts';
import { isSelectedBy } from '../../objects/selector.ts';
import { unwellOf } from '../../objects/unwell.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Edit } from '../edit.ts';
import type { ClusterMove, Sight } from '../move.ts';
import { isStopped, labelledInfraNodes } from '../shared/nodes.ts';
import { heldDrain } from './budgets.ts';
import { label, labelEdit } from './label.ts';

const words = () => catalogue().moves.each.pool;

// infra.yaml is in English, whatever the language of the wizard.
const COMMENT = ' The pool: the configuration of the pool worker, and what is for infra only. No node restarts for it.';
const UNLABEL = ' Then the role worker goes, which no manifest can say:';

const NAMED = { kind: 'MachineConfigPool', name: 'infra', namespace: null } as const;
const poolEdit: Edit = {
  ...NAMED,
  create: () => ({ metadata: { name: 'infra' }, spec: INFRA_POOL_SPEC }),
};

/**
 * The MachineConfigPool `infra` (machine-config-operator, docs/custom-pools.md). Its rendered configuration is that of the
 * pool `worker`, so nodes that change over do not restart. Only with a pool may the label `worker` go: without either, no
 * pool manages the node.
 */
export const pool: ClusterMove<'pool'> = {
  name: 'pool',
  where: 'cluster',
  carried: { operator: 'machine-config' },
  needs: [label],
  taintWaits: false,
  async plan(sight, design) {
    if (!design.infra.pool) return { state: 'absent', why: words().unwanted };
    const nodes = await labelledInfraNodes(sight, design);
    if (isStopped(nodes)) return nodes;
    // Its operator makes the pools master and worker.
    if ((await sight.list('MachineConfigPool')).length === 0) {
      return { state: 'blocked', why: catalogue().moves.why.operatorMissing('MachineConfigPool') };
    }
    const [own = null, ...others] = await poolsOf(sight, nodes);
    if (own !== null && others.length > 0)
      return { state: 'blocked', why: words().several([own, ...others].map(({ metadata }) => metadata.name)) };
    const wrong = own === null ? null : whyNotOurs(own, nodes);
    if (wrong !== null) return { state: 'blocked', why: wrong };
    const unlabel = design.infra.keepWorkerRole
      ? []
      : nodes.map(({ name }) => labelEdit(name, { [WORKER_LABEL]: null }));
    return { state: 'edits', edits: [...(own === null ? [poolEdit] : []), ...unlabel] };
  },
  async settled(sight, design) {
    const names = infraNames(design);
    const nodes = (await sight.list('Node')).map(nodeView).filter(({ name }) => names.includes(name));
    const [found = null] = await poolsOf(sight, nodes);
    const conditions = found ? conditionsOf(found) : [];
    const degraded = found && unwellOf(found);
    if (degraded) return { state: 'failed', why: words().degraded(degraded.message) };
    const wanted = names.length;
    const [count, updated, ready] = ['machineCount', 'updatedMachineCount', 'readyMachineCount'].map(
      (name) => numberAt(found?.status, name) ?? 0,
    );
    // The pool of an owner may have further nodes.
    const all = Math.max(wanted, count ?? 0);
    const isDone = count === all && updated === all && ready === all && !isTrue(conditions, 'Updating');
    if (isDone) return { state: 'done', why: words().done(all) };
    const why = words().updating(updated ?? 0, all);
    const held = await heldDrain(
      sight,
      (await sight.list('Node')).filter(({ metadata }) => names.includes(metadata.name)),
    );
    if (held === null) return { state: 'moving', why };
    const { node, namespace, name, pods } = held;
    const [pod = ''] = pods;
    return {
      state: 'moving',
      why: `${why} ${words().held(node, `${namespace}/${name}`, pods)}`,
      pending: { namespace, name: pod, cause: 'budget', taint: null },
    };
  },
  undoWaits: null,
  undoEdits: async (_sight, design) => [
    ...infraNames(design).map((name) => labelEdit(name, { [WORKER_LABEL]: '' })),
    { ...NAMED, isRemoval: true },
  ],
  left: null,
  manifest(design) {
    if (!design.infra.pool) return [];
    const unlabel = design.infra.keepWorkerRole
      ? ''
      : `\n${UNLABEL}\n   oc label node ${infraNames(design).join(' ')} ${WORKER_LABEL}-`;
    return [{ comment: `${COMMENT}${unlabel}`, edits: [poolEdit] }];
  },
};

/**
 * The pools that these nodes are in beside those of the installation: the one named infra, or under whatever name one selects them.
 * More than one cannot be (machine-config-operator: a node is in one custom pool).
 */
async function poolsOf(sight: Sight, nodes: readonly NodeView[]): Promise<readonly KubeObject[]> {
  const pools = (await sight.list('MachineConfigPool')).filter(({ metadata }) => !OF_INSTALLATION.has(metadata.name));
  const selecting = pools.filter(({ spec }) =>
    nodes.some(({ labels }) => isSelectedBy(at(spec, 'nodeSelector'), labels)),
  );
  return selecting.length > 0 ? selecting : pools.filter(({ metadata }) => metadata.name === NAMED.name);
}

const OF_INSTALLATION: ReadonlySet<string> = new Set(['master', 'worker', 'arbiter']);

/**
 * Why a pool of this name that is there already does not do; null: it does. Its selectors stay as its owner made them: others would
 * render another configuration, and its nodes restart for that.
 */
function whyNotOurs({ metadata, spec, status }: KubeObject, nodes: readonly NodeView[]): string | null {
  const { name: pool } = metadata;
  const left = nodes.filter(({ labels }) => !isSelectedBy(at(spec, 'nodeSelector'), labels)).map(({ name }) => name);
  if (left.length > 0) return words().otherNodes(pool, left);
  if (!isSelectedBy(at(spec, 'machineConfigSelector'), { [ROLE]: 'worker' })) return words().otherConfiguration(pool);
  const isOpen = (numberAt(status, 'updatedMachineCount') ?? 0) < nodes.length;
  return at(spec, 'paused') === true && isOpen ? words().paused(pool) : null;
}

/** The label of a MachineConfig that says whom it is for. */
const ROLE = 'machineconfiguration.openshift.io/role';
