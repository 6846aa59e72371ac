import { infraNames } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { at, textAt } from '../../objects/object.ts';
import type { ClusterMove, Sight } from '../move.ts';
import { MACHINE_NAMESPACE, SET_LABEL } from './worker-set.ts';

/**
 * The MachineSets whose machines are born with what the move sets (label, taint); null unless that goes for every infra node:
 * nobody takes it back from those, it goes with the machines.
 */
export async function bornFrom(sight: Sight, move: ClusterMove, design: Design): Promise<readonly string[] | null> {
  const { bornWith } = move;
  const nodes = infraNames(design);
  if (bornWith === undefined || nodes.length === 0) return null;
  const place = { namespace: MACHINE_NAMESPACE };
  const machines = await sight.list('Machine', place);
  const of = (node: string) => machines.find(({ status }) => textAt(status, 'nodeRef', 'name') === node);
  const names = nodes.map((node) => of(node)?.metadata.labels?.[SET_LABEL] ?? null);
  if (names.includes(null)) return null;
  const bearing = (await sight.list('MachineSet', place))
    .filter(({ spec }) => bornWith(at(spec, 'template', 'spec'), design))
    .map(({ metadata }) => metadata.name);
  return names.every((name) => name !== null && bearing.includes(name)) ? bearing : null;
}
