import { INFRA_LABEL } from '../design/infra-placement.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { getField, type KubeObject } from '../openshift/object.ts';
import { isWorkloadRolledOut } from '../openshift/operator.ts';
import { createClusterReader } from './apply-edits.ts';
import type { ClusterReader } from './cluster-reader.ts';
import type { InfraContext } from './context.ts';
import type { RolloutStatus, Workload } from './infra-move.ts';
import { getRolloutTarget, type MoveName } from './moves.ts';

const words = () => catalogue().moves.reasons.rollout;

/**
 * Records the workloads that a move has placed, before its undo.
 * @returns a probe, which lists their pods: done when the operators have placed each workload again and rolled it out
 */
export async function createRelocationProbe(
  infra: InfraContext,
  move: MoveName,
): Promise<() => Promise<RolloutStatus>> {
  const reader = createClusterReader(await infra.connect());
  const workloads = (await getRolloutTarget(move)?.workloads?.(reader, infra.design)) ?? [];
  const oldWorkloads = await readWorkloads(reader, workloads);
  return async () => {
    const newWorkloads = await readWorkloads(createClusterReader(await infra.connect()), workloads);
    for (const [index, object] of newWorkloads.entries()) {
      const oldObject = oldWorkloads[index] ?? null;
      if (object === null || oldObject === null) continue;
      const { name } = object.metadata;
      const isRelocated = !isOnInfra(object) || object.metadata.generation !== oldObject.metadata.generation;
      if (!isRelocated) return { state: 'moving', why: words().notApplied([name]) };
      if (!isWorkloadRolledOut(object)) return { state: 'moving', why: words().restarting(name) };
    }
    return { state: 'done', why: '' };
  };
}

async function readWorkloads(reader: ClusterReader, workloads: readonly Workload[]): Promise<(KubeObject | null)[]> {
  const namespaces = [...new Set(workloads.map(({ namespace }) => namespace))];
  await Promise.all(namespaces.map((namespace) => reader.list('Pod', { namespace })));
  return await Promise.all(workloads.map(({ kind, name, namespace }) => reader.get(kind, name, namespace)));
}

function isOnInfra({ spec }: KubeObject): boolean {
  return getField(spec, 'template', 'spec', 'nodeSelector', INFRA_LABEL) !== undefined;
}
