import { infraNames, STORAGE_TAINT, storageNames } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { nodeView, type Taint } from '../../objects/node.ts';
import { at, type KubeObject } from '../../objects/object.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Edit } from '../edit.ts';
import type { Sight } from '../move.ts';
import { daemonSetsOff } from '../nodes/kept-off.ts';
import { taintEdit, untaintEdit } from '../nodes/node-taints.ts';

const words = () => catalogue().moves.each.storage;

/** The storage nodes as they are, and as they are going to be. */
export interface StorageNodes {
  /** Those in the cluster: one that is missing gets its taint when it has joined. */
  readonly names: readonly string[];
  /** Those that get the taint, or have it. */
  readonly tainted: readonly string[];
}

/**
 * The storage nodes of the design, with those that are kept for storage. Where no other node takes pods, the taint would leave no
 * room for anything else: then only those have it that have it already.
 */
export async function storageNodes(sight: Sight, design: Design): Promise<StorageNodes> {
  const planned = storageNames(design);
  if (planned.length === 0) return { names: [], tainted: [] };
  const nodes = await sight.list('Node');
  const own = nodes.filter(({ metadata }) => planned.includes(metadata.name));
  const kept = [...planned, ...infraNames(design)];
  const hasRoom = nodes.some((node) => !kept.includes(node.metadata.name) && takesPods(node));
  const namesOf = (some: readonly KubeObject[]) => some.map(({ metadata }) => metadata.name);
  return { names: namesOf(own), tainted: namesOf(hasRoom ? own : own.filter(isTainted)) };
}

function takesPods(node: KubeObject): boolean {
  const { isReady, taints } = nodeView(node);
  return isReady && at(node.spec, 'unschedulable') !== true && !taints.some(({ effect }) => /^No/.test(effect));
}

function isTainted(node: KubeObject): boolean {
  return nodeView(node).taints.some(({ key, effect }) => key === STORAGE_TAINT.key && effect === STORAGE_TAINT.effect);
}

/** The taints that the storage nodes have for storage, or are going to have; none where nothing is kept for it. */
export async function storageTaints(sight: Sight, design: Design): Promise<Taint[]> {
  return (await storageNodes(sight, design)).tainted.length > 0 ? [STORAGE_TAINT] : [];
}

/** What keeps the storage nodes for storage, and what to know about it. */
export async function storageNodeEdits(
  sight: Sight,
  design: Design,
): Promise<{ readonly edits: readonly Edit[]; readonly says: readonly string[] }> {
  const { names, tainted } = await storageNodes(sight, design);
  const bare = names.filter((name) => !tainted.includes(name));
  const off = tainted.length === 0 ? [] : await daemonSetsOff(sight, tainted, [STORAGE_TAINT]);
  return {
    edits: tainted.map((name) => taintEdit(name, STORAGE_TAINT)),
    says: [...(bare.length > 0 ? [words().noRoom(bare)] : []), ...(off.length > 0 ? [words().daemonSets(off)] : [])],
  };
}

/** Takes the taint from the storage nodes again. */
export async function storageNodeUndo(sight: Sight, design: Design): Promise<Edit[]> {
  const { names } = await storageNodes(sight, design);
  return names.map((name) => untaintEdit(name, STORAGE_TAINT.key, STORAGE_TAINT.effect));
}
