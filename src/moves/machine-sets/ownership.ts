import { infraNodeNames } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { getField, getString } from '../../openshift/object.ts';
import type { ClusterReader } from '../cluster-reader.ts';
import type { ClusterMove } from '../infra-move.ts';
import { MACHINE_NAMESPACE, MACHINE_SET_LABEL } from './machine-set-view.ts';

/**
 * The MachineSets whose machine template sets the same as the move (label, taint); null unless they own every infra
 * node. Undo leaves such nodes alone: the setting is removed with its machines.
 */
export async function findOwningMachineSets(
  cluster: ClusterReader,
  move: ClusterMove,
  design: Design,
): Promise<readonly string[] | null> {
  const { inheritedByMachineSet } = move;
  const nodes = infraNodeNames(design);
  if (inheritedByMachineSet === undefined || nodes.length === 0) return null;
  const options = { namespace: MACHINE_NAMESPACE };
  const machines = await cluster.list('Machine', options);
  const findMachine = (node: string) => machines.find(({ status }) => getString(status, 'nodeRef', 'name') === node);
  const names = nodes.map((node) => findMachine(node)?.metadata.labels?.[MACHINE_SET_LABEL] ?? null);
  if (names.includes(null)) return null;
  const owners = (await cluster.list('MachineSet', options))
    .filter(({ spec }) => inheritedByMachineSet(getField(spec, 'template', 'spec'), design))
    .map(({ metadata }) => metadata.name);
  return names.every((name) => name !== null && owners.includes(name)) ? owners : null;
}
