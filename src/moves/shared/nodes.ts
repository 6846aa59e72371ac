import { INFRA_LABEL, infraNames } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { type NodeView, nodeView } from '../../objects/node.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Sight, Stopped } from '../move.ts';

const words = () => catalogue().moves.why;

/** The infra nodes when all are in the cluster and Ready; else why not. */
export async function readyInfraNodes(sight: Sight, design: Design): Promise<readonly NodeView[] | Stopped> {
  return await readyOf(sight, infraNames(design));
}

/** The nodes of these names when all are in the cluster and Ready; else why not. */
export async function readyOf(sight: Sight, names: readonly string[]): Promise<readonly NodeView[] | Stopped> {
  if (names.length === 0) return { state: 'absent', why: words().noInfraNodes };
  const nodes = (await sight.list('Node')).map(nodeView);
  const missing = names.filter((name) => !nodes.some((node) => node.name === name));
  if (missing.length > 0) {
    const short = missing
      .map((name) => name.split('.')[0] ?? name)
      .filter((name) => nodes.some((node) => node.name === name));
    return { state: 'blocked', why: words().notJoined(missing, short) };
  }
  const infra = nodes.filter(({ name }) => names.includes(name));
  const unready = infra.filter(({ isReady }) => !isReady).map(({ name }) => name);
  return unready.length > 0 ? { state: 'blocked', why: words().notReady(unready) } : infra;
}

/** The infra nodes when all have the label as well: moved pods need a node. */
export async function labelledInfraNodes(sight: Sight, design: Design): Promise<readonly NodeView[] | Stopped> {
  const nodes = await readyInfraNodes(sight, design);
  if (isStopped(nodes)) return nodes;
  const bare = nodes.filter(({ labels }) => labels[INFRA_LABEL] === undefined).map(({ name }) => name);
  return bare.length > 0 ? { state: 'blocked', why: words().notLabelled(bare) } : nodes;
}

/**
 * Whether every infra node has the taint, with whatever effect. It comes last in the cluster: what has to tolerate it moved
 * before.
 */
export function areTainted(design: Design, nodes: readonly NodeView[]): boolean {
  const { key } = design.infra.taint;
  const tainted = nodes.filter(({ taints }) => taints.some((taint) => taint.key === key)).map(({ name }) => name);
  return infraNames(design).every((name) => tainted.includes(name));
}

/** Whether the lookup found a reason to wait instead of nodes. */
export function isStopped(found: readonly NodeView[] | Stopped): found is Stopped {
  return 'state' in found;
}

/** Whether some of these nodes are still to be made by the cloud: a plan knows them, the cluster does not. */
export async function areToCome(sight: Sight, names: readonly string[]): Promise<boolean> {
  const found = (await sight.list('Node')).filter(({ metadata }) => names.includes(metadata.name));
  return found.some(({ metadata }) => metadata.uid === undefined);
}
