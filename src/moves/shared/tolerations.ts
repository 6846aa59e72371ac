import { isDeepStrictEqual } from 'node:util';
import { infraNames, infraTaints, infraTolerations, type Toleration } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { nodeView, type Taint } from '../../objects/node.ts';
import { numberAt, textAt } from '../../objects/object.ts';
import type { Sight } from '../move.ts';

/** The key of widely read installation notes (`infra=reserved`): clusters that were built by them have it. */
const PLAIN_KEY = 'infra';

/** The tolerations that something gets. @param found those that it has */
export type Tolerate = (found: readonly unknown[]) => Toleration[];

/** What tolerates the taint of the design. */
export const tolerateAs =
  (design: Design): Tolerate =>
  () =>
    infraTolerations(design);

/**
 * What tolerates the taint of the design and those that the infra nodes have already: under the plain key, or with another
 * value. What the owner set stays beside it: infra nodes may have further taints, of storage or of a team, and a toleration
 * places no pod.
 */
export async function tolerateOn(sight: Sight, design: Design): Promise<Tolerate> {
  const wanted = [...infraTolerations(design), ...(await ownTaints(sight, design)).map(tolerationOf)];
  return (found) => {
    const kept = found as readonly Toleration[];
    // Written another way (Exists, every effect) it does as well: a change would restart pods for nothing.
    if (wanted.every(({ key = '', value = '', effect = '' }) => doTolerate(lasting(found), { key, value, effect })))
      return [...kept];
    return [...wanted, ...kept.filter((entry) => !wanted.some((one) => isDeepStrictEqual(one, entry)))];
  };
}

/** Without those that end: a pod leaves after its seconds. */
function lasting(found: readonly unknown[]): readonly unknown[] {
  return found.filter((entry) => numberAt(entry, 'tolerationSeconds') === null);
}

function tolerationOf({ key, value, effect }: Taint): Toleration {
  return value === '' ? { key, operator: 'Exists', effect } : { key, value, effect };
}

/** The taints for infra that the infra nodes have beside that of the design, each once. */
export async function ownTaints(sight: Sight, design: Design): Promise<Taint[]> {
  const names = infraNames(design);
  const nodes = (await sight.list('Node')).filter(({ metadata }) => names.includes(metadata.name)).map(nodeView);
  const found = nodes
    .flatMap(({ taints }) => taints)
    .filter(({ key, effect }) => {
      const isOurs = key === PLAIN_KEY || key === design.infra.taint.key;
      return isOurs && (effect === 'NoSchedule' || effect === 'NoExecute');
    });
  const tolerated = infraTolerations(design);
  return found.filter(
    (taint, index) =>
      !doTolerate(tolerated, taint) && found.findIndex((one) => isDeepStrictEqual(one, taint)) === index,
  );
}

/** The taints that the infra nodes are going to have for infra: that of the design, and those they have. */
export async function taintsToBe(sight: Sight, design: Design): Promise<Taint[]> {
  const ours = infraTaints(design).map(({ key = '', value = '', effect = '' }) => ({ key, value, effect }));
  return [...ours, ...(await ownTaints(sight, design))];
}

/** Whether one of the tolerations covers the taint (Kubernetes, v1.Toleration.ToleratesTaint). */
export function doTolerate(tolerations: readonly unknown[], taint: Taint): boolean {
  return tolerations.some((entry) => {
    const [key, effect] = [textAt(entry, 'key') ?? '', textAt(entry, 'effect') ?? ''];
    const isExists = textAt(entry, 'operator') === 'Exists';
    if (effect !== '' && effect !== taint.effect) return false;
    if (key === '') return isExists;
    return key === taint.key && (isExists || (textAt(entry, 'value') ?? '') === taint.value);
  });
}
