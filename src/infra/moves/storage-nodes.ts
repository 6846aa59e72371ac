import { listInfraNodeNames, listStorageNodeNames, STORAGE_TAINT } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { parseNode, type Taint } from '../../openshift/node.ts';
import { getField, type KubeObject } from '../../openshift/object.ts';
import type { ClusterReader } from '../cluster-reader.ts';
import type { Edit } from '../edit.ts';
import { listRepelledDaemonSets } from './repelled-pods.ts';
import { createTaintEdit, createUntaintEdit } from './taint.ts';

const words = () => catalogue().moves.byName.storage;

/** The current and planned state of the storage nodes. */
interface StorageNodes {
  /** Storage nodes in the cluster: a missing node gets its taint when it has joined. */
  readonly names: readonly string[];
  /** Storage nodes that get the taint, or have it. */
  readonly namesToTaint: readonly string[];
}

/**
 * Finds the storage nodes of the design, with those that are reserved for storage. If no other node takes pods, the
 * taint would leave no capacity for other pods: then only nodes that have it already keep it.
 */
export async function findStorageNodes(cluster: ClusterReader, design: Design): Promise<StorageNodes> {
  const plannedNames = listStorageNodeNames(design);
  if (plannedNames.length === 0) return { names: [], namesToTaint: [] };
  const nodes = await cluster.list('Node');
  const clusterNodes = nodes.filter(({ metadata }) => plannedNames.includes(metadata.name));
  const reservedNames = [...plannedNames, ...listInfraNodeNames(design)];
  const hasOtherNode = nodes.some((node) => !reservedNames.includes(node.metadata.name) && isSchedulable(node));
  const listNames = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name);
  return {
    names: listNames(clusterNodes),
    namesToTaint: listNames(hasOtherNode ? clusterNodes : clusterNodes.filter(isTainted)),
  };
}

function isSchedulable(node: KubeObject): boolean {
  const { isReady, taints } = parseNode(node);
  return isReady && getField(node.spec, 'unschedulable') !== true && !taints.some(({ effect }) => /^No/.test(effect));
}

function isTainted(node: KubeObject): boolean {
  return parseNode(node).taints.some(({ key, effect }) => key === STORAGE_TAINT.key && effect === STORAGE_TAINT.effect);
}

/** Lists the storage taints that the storage nodes have, or are going to have; none if no node is reserved. */
export async function listPlannedStorageTaints(cluster: ClusterReader, design: Design): Promise<Taint[]> {
  return (await findStorageNodes(cluster, design)).namesToTaint.length > 0 ? [STORAGE_TAINT] : [];
}

/** Plans the edits that reserve the storage nodes, with notes about them. */
export async function planStorageNodes(
  cluster: ClusterReader,
  design: Design,
): Promise<{ readonly edits: readonly Edit[]; readonly notes: readonly string[] }> {
  const { names, namesToTaint } = await findStorageNodes(cluster, design);
  const namesLeftUntainted = names.filter((name) => !namesToTaint.includes(name));
  const repelledDaemonSets =
    namesToTaint.length === 0 ? [] : await listRepelledDaemonSets(cluster, namesToTaint, [STORAGE_TAINT]);
  return {
    edits: namesToTaint.map((name) => createTaintEdit(name, STORAGE_TAINT)),
    notes: [
      ...(namesLeftUntainted.length > 0 ? [words().untaintedNodes(namesLeftUntainted)] : []),
      ...(repelledDaemonSets.length > 0 ? [words().daemonSets(repelledDaemonSets)] : []),
    ],
  };
}

/** Plans the edits that remove the taint from the storage nodes. */
export async function planStorageNodeUndo(cluster: ClusterReader, design: Design): Promise<Edit[]> {
  const { names } = await findStorageNodes(cluster, design);
  return names.map((name) => createUntaintEdit(name, STORAGE_TAINT.key, STORAGE_TAINT.effect));
}
