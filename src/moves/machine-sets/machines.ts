import { type NodeView, nodeView } from '../../openshift/node.ts';
import { getString, type KubeObject } from '../../openshift/object.ts';
import type { ClusterReader } from '../cluster-reader.ts';
import { MACHINE_NAMESPACE, MACHINE_SET_LABEL } from './machine-set-view.ts';

/** A machine of a set, with the state of its node. */
export interface MachineView {
  readonly name: string;
  readonly set: string;
  /** `Provisioning`, `Provisioned`, `Running`, `Deleting`, `Failed`; empty until its controller has processed it. */
  readonly phase: string;
  /** The reason of a failure; empty if there is none, or none is reported. */
  readonly error: string;
  /** The name of its node; null before it has one. */
  readonly node: string | null;
  readonly isNodeReady: boolean;
  /** The cloud is deleting it. */
  readonly isDeleting: boolean;
}

/** Lists the machines of these sets, with their nodes. */
export async function listMachines(cluster: ClusterReader, sets: readonly string[]): Promise<MachineView[]> {
  const all = await cluster.list('Machine', { namespace: MACHINE_NAMESPACE });
  const own = all.filter(({ metadata }) => sets.includes(metadata.labels?.[MACHINE_SET_LABEL] ?? ''));
  if (own.length === 0) return [];
  const nodes = (await cluster.list('Node')).map(nodeView);
  return own.map((machine) => parseMachine(machine, nodes));
}

function parseMachine({ metadata, status }: KubeObject, nodes: readonly NodeView[]): MachineView {
  const node = getString(status, 'nodeRef', 'name');
  return {
    name: metadata.name,
    set: metadata.labels?.[MACHINE_SET_LABEL] ?? '',
    phase: getString(status, 'phase') ?? '',
    error: getString(status, 'errorMessage') ?? getString(status, 'errorReason') ?? '',
    node,
    isDeleting: metadata.deletionTimestamp !== undefined,
    isNodeReady: nodes.some(({ name, isReady }) => name === node && isReady),
  };
}
