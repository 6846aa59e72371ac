import { sightOf } from '../../cluster/infra/run.ts';
import { INFRA_LABEL } from '../../design/infra-placement.ts';
import type { Workload } from '../../moves/carried.ts';
import type { Settled, Sight } from '../../moves/move.ts';
import type { MoveName } from '../../moves/table.ts';
import { carriedBy } from '../../moves/table.ts';
import { at, type KubeObject } from '../../objects/object.ts';
import { isRolledOut } from '../../objects/rollout.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { MoveSite } from './site.ts';

const words = () => catalogue().moves.why.rollout;

/**
 * What a move has placed, before it is taken back.
 * @returns a look at it, which lists its pods: done when its operators have placed each anew, and each is rolled out
 */
export async function leavingOf(site: MoveSite, move: MoveName): Promise<() => Promise<Settled>> {
  const sight = sightOf(await site.connect());
  const workloads = (await carriedBy(move)?.workloads?.(sight, site.design)) ?? [];
  const before = await lookAt(sight, workloads);
  return async () => {
    const now = await lookAt(sightOf(await site.connect()), workloads);
    for (const [index, object] of now.entries()) {
      const old = before[index] ?? null;
      if (object === null || old === null) continue;
      const { name } = object.metadata;
      const isPlacedAnew = !isOnInfra(object) || object.metadata.generation !== old.metadata.generation;
      if (!isPlacedAnew) return { state: 'moving', why: words().notTaken([name]) };
      if (!isRolledOut(object)) return { state: 'moving', why: words().restarting(name) };
    }
    return { state: 'done', why: '' };
  };
}

async function lookAt(sight: Sight, workloads: readonly Workload[]): Promise<(KubeObject | null)[]> {
  const namespaces = [...new Set(workloads.map(({ namespace }) => namespace))];
  await Promise.all(namespaces.map((namespace) => sight.list('Pod', { namespace })));
  return await Promise.all(workloads.map(({ kind, name, namespace }) => sight.get(kind, name, namespace)));
}

function isOnInfra({ spec }: KubeObject): boolean {
  return at(spec, 'template', 'spec', 'nodeSelector', INFRA_LABEL) !== undefined;
}
