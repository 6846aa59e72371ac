import { isDeepStrictEqual } from 'node:util';
import {
  createInfraTaints,
  createInfraTolerations,
  listInfraNodeNames,
  type TaintOrToleration,
} from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { parseNode, type Taint } from '../../openshift/node.ts';
import { getNumber, getString } from '../../openshift/object.ts';
import type { ClusterReader } from '../cluster-reader.ts';

/** The taint key of widely read installation notes (`infra=reserved`): clusters that follow them have it. */
const PLAIN_KEY = 'infra';

/** Computes the tolerations of a workload from the current ones. */
export type TolerationMerger = (currentTolerations: readonly unknown[]) => TaintOrToleration[];

/** Creates a function that replaces tolerations with those for the taint of the design. */
export const createTolerationReplacer =
  (design: Design): TolerationMerger =>
  () =>
    createInfraTolerations(design);

/**
 * Creates a function that adds tolerations for the taint of the design and for infra taints that the infra nodes
 * already have: under the plain key, or with another value. The owner's tolerations stay: infra nodes may have further
 * taints, of storage or of a team, and a toleration places no pod.
 */
export async function createTolerationMerger(cluster: ClusterReader, design: Design): Promise<TolerationMerger> {
  const newTolerations = [
    ...createInfraTolerations(design),
    ...(await listExtraTaints(cluster, design)).map(createToleration),
  ];
  return (tolerations) => {
    const currentTolerations = tolerations as readonly TaintOrToleration[];
    // An equivalent form (Exists, every effect) is enough: a change would restart pods for nothing.
    if (
      newTolerations.every(({ key = '', value = '', effect = '' }) =>
        tolerates(omitExpiring(tolerations), { key, value, effect }),
      )
    )
      return [...currentTolerations];
    return [
      ...newTolerations,
      ...currentTolerations.filter((entry) => !newTolerations.some((newEntry) => isDeepStrictEqual(newEntry, entry))),
    ];
  };
}

/** Leaves out tolerations that expire: their pod is evicted after `tolerationSeconds`. */
function omitExpiring(tolerations: readonly unknown[]): readonly unknown[] {
  return tolerations.filter((entry) => getNumber(entry, 'tolerationSeconds') === null);
}

function createToleration({ key, value, effect }: Taint): TaintOrToleration {
  return value === '' ? { key, operator: 'Exists', effect } : { key, value, effect };
}

/** Lists the infra taints of the infra nodes that the tolerations for the design do not cover, each once. */
async function listExtraTaints(cluster: ClusterReader, design: Design): Promise<Taint[]> {
  const names = listInfraNodeNames(design);
  const nodes = (await cluster.list('Node')).filter(({ metadata }) => names.includes(metadata.name)).map(parseNode);
  const infraNodeTaints = nodes
    .flatMap(({ taints }) => taints)
    .filter(({ key, effect }) => {
      const isForInfra = key === PLAIN_KEY || key === design.infra.taint.key;
      return isForInfra && (effect === 'NoSchedule' || effect === 'NoExecute');
    });
  const tolerations = createInfraTolerations(design);
  return infraNodeTaints.filter(
    (taint, index) =>
      !tolerates(tolerations, taint) &&
      infraNodeTaints.findIndex((candidate) => isDeepStrictEqual(candidate, taint)) === index,
  );
}

/** Lists the infra taints that the infra nodes are going to have: that of the design, and those they have. */
export async function listPlannedTaints(cluster: ClusterReader, design: Design): Promise<Taint[]> {
  const designTaints = createInfraTaints(design).map(({ key = '', value = '', effect = '' }) => ({
    key,
    value,
    effect,
  }));
  return [...designTaints, ...(await listExtraTaints(cluster, design))];
}

/** Whether one of the tolerations covers the taint (Kubernetes, v1.Toleration.ToleratesTaint). */
export function tolerates(tolerations: readonly unknown[], taint: Taint): boolean {
  return tolerations.some((entry) => {
    const [key, effect] = [getString(entry, 'key') ?? '', getString(entry, 'effect') ?? ''];
    const hasExistsOperator = getString(entry, 'operator') === 'Exists';
    if (effect !== '' && effect !== taint.effect) return false;
    if (key === '') return hasExistsOperator;
    return key === taint.key && (hasExistsOperator || (getString(entry, 'value') ?? '') === taint.value);
  });
}
