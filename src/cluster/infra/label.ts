import {
  INFRA_LABEL,
  INFRA_POOL_SPEC,
  infraNames,
  STORAGE_LABEL,
  storageNames,
  WORKER_LABEL,
} from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { conditionsOf, isTrue, numberAt } from '../../objects/object.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Cluster } from '../client.ts';
import { isClusterError } from '../errors.ts';
import type { Edit } from './edit.ts';
import { makeMove } from './move.ts';
import { isStopped, labelledInfraNodes, readyOf } from './nodes.ts';

const words = () => catalogue().moves;

const labels = (name: string, change: Record<string, string | null>): Edit => ({
  kind: 'Node',
  name,
  namespace: null,
  patch: () => ({ metadata: { labels: change } }),
});

/**
 * The label of the role: infra nodes their own, storage nodes the one that OpenShift Data Foundation looks for, and nothing
 * else. They keep the label `worker`, which the pool of that name needs (see `pool`).
 */
export const label = makeMove({
  name: 'label',
  async plan(cluster, design) {
    const infra = infraNames(design);
    const nodes = await readyOf(cluster, infra.length > 0 ? infra : storageNames(design));
    if (isStopped(nodes)) return nodes;
    const edits = [
      ...infra.map((name) => labels(name, { [INFRA_LABEL]: '' })),
      ...(await joinedStorage(cluster, design)).map((name) => labels(name, { [STORAGE_LABEL]: '' })),
    ];
    return { state: 'edits', edits };
  },
  settled: async (cluster, design) => ({
    state: 'done',
    why: words().why.label.done(infraNames(design).length, (await joinedStorage(cluster, design)).length),
  }),
  // The storage label stays: taking it away would take storage from under what uses it.
  undoEdits: (_cluster, design) =>
    Promise.resolve(infraNames(design).map((name) => labels(name, { [INFRA_LABEL]: null }))),
});

/** Storage nodes that are not there yet hold up nobody: they are labelled when they have joined. */
async function joinedStorage(cluster: Cluster, design: Design): Promise<string[]> {
  const names = storageNames(design);
  const found = names.length === 0 ? [] : await cluster.list('Node');
  return names.filter((name) => found.some(({ metadata }) => metadata.name === name));
}

/**
 * The MachineConfigPool `infra` (machine-config-operator, docs/custom-pools.md). Its rendered configuration is that of the
 * pool `worker`, so nodes that change over do not restart. Only with a pool may the label `worker` go: without either, no
 * pool manages the node.
 */
export const pool = makeMove({
  name: 'pool',
  async plan(cluster, design) {
    if (!design.infra.pool) return { state: 'absent', why: words().why.pool.unwanted };
    const nodes = await labelledInfraNodes(cluster, design);
    if (isStopped(nodes)) return nodes;
    const isServed = await cluster.list('MachineConfigPool').then(
      () => true,
      (error: unknown) => {
        if (isClusterError(error, 'absent')) return false;
        throw error;
      },
    );
    if (!isServed) return { state: 'blocked', why: words().why.operatorMissing('MachineConfigPool') };
    const unlabel = design.infra.keepWorkerRole ? [] : nodes.map(({ name }) => labels(name, { [WORKER_LABEL]: null }));
    return { state: 'edits', edits: [poolEdit, ...unlabel] };
  },
  async settled(cluster, design) {
    const found = await cluster.get('MachineConfigPool', 'infra');
    const conditions = found ? conditionsOf(found) : [];
    const degraded = conditions.find(({ type, status }) => type === 'Degraded' && status === 'True');
    if (degraded) return { state: 'failed', why: words().why.pool.degraded(degraded.message) };
    const wanted = infraNames(design).length;
    const [count, updated, ready] = ['machineCount', 'updatedMachineCount', 'readyMachineCount'].map(
      (name) => numberAt(found?.status, name) ?? 0,
    );
    const isDone = count === wanted && updated === wanted && ready === wanted && !isTrue(conditions, 'Updating');
    return isDone
      ? { state: 'done', why: words().why.pool.done(wanted) }
      : { state: 'moving', why: words().why.pool.updating(updated ?? 0, wanted) };
  },
  undoEdits: (_cluster, design) =>
    Promise.resolve([
      ...infraNames(design).map((name) => labels(name, { [WORKER_LABEL]: '' })),
      { kind: 'MachineConfigPool', name: 'infra', namespace: null, isRemoval: true },
    ]),
});

const poolEdit: Edit = {
  kind: 'MachineConfigPool',
  name: 'infra',
  namespace: null,
  patch: () => ({ spec: INFRA_POOL_SPEC }),
  create: () => ({ metadata: { name: 'infra' }, spec: INFRA_POOL_SPEC }),
};
