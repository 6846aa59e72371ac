import { type NodeView, nodeView } from '../../objects/node.ts';
import { type KubeObject, textAt } from '../../objects/object.ts';
import type { Sight } from '../move.ts';
import { MACHINE_NAMESPACE, SET_LABEL } from './worker-set.ts';

/** A machine of a set, on its way to a node. */
export interface MachineView {
  readonly name: string;
  readonly set: string;
  /** `Provisioning`, `Provisioned`, `Running`, `Deleting`, `Failed`; empty until its controller saw it. */
  readonly phase: string;
  /** Why it failed; empty where it did not, or does not say. */
  readonly error: string;
  /** The name of its node; null before it has one. */
  readonly node: string | null;
  readonly isNodeReady: boolean;
  /** The cloud takes it away. */
  readonly isLeaving: boolean;
}

/** The machines of these sets, with their nodes. */
export async function machinesOf(sight: Sight, sets: readonly string[]): Promise<MachineView[]> {
  const all = await sight.list('Machine', { namespace: MACHINE_NAMESPACE });
  const own = all.filter(({ metadata }) => sets.includes(metadata.labels?.[SET_LABEL] ?? ''));
  if (own.length === 0) return [];
  const nodes = (await sight.list('Node')).map(nodeView);
  return own.map((machine) => machineView(machine, nodes));
}

function machineView({ metadata, status }: KubeObject, nodes: readonly NodeView[]): MachineView {
  const node = textAt(status, 'nodeRef', 'name');
  return {
    name: metadata.name,
    set: metadata.labels?.[SET_LABEL] ?? '',
    phase: textAt(status, 'phase') ?? '',
    error: textAt(status, 'errorMessage') ?? textAt(status, 'errorReason') ?? '',
    node,
    isLeaving: metadata.deletionTimestamp !== undefined,
    isNodeReady: nodes.some(({ name, isReady }) => name === node && isReady),
  };
}
