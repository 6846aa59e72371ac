import { INFRA_LABEL, listInfraNodeNames } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { type NodeView, parseNode } from '../../openshift/node.ts';
import type { ClusterReader } from '../cluster-reader.ts';
import type { NotApplicable } from '../infra-move.ts';

const words = () => catalogue().moves.reasons;

/** Finds the infra nodes when all are in the cluster and Ready; otherwise returns why not. */
export async function findReadyInfraNodes(
  cluster: ClusterReader,
  design: Design,
): Promise<readonly NodeView[] | NotApplicable> {
  return await findReadyNodes(cluster, listInfraNodeNames(design));
}

/** Finds the nodes of these names when all are in the cluster and Ready; otherwise returns why not. */
export async function findReadyNodes(
  cluster: ClusterReader,
  names: readonly string[],
): Promise<readonly NodeView[] | NotApplicable> {
  if (names.length === 0) return { state: 'absent', why: words().noInfraNodes };
  const nodes = (await cluster.list('Node')).map(parseNode);
  const missingNames = names.filter((name) => !nodes.some((node) => node.name === name));
  if (missingNames.length > 0) {
    const shortNames = missingNames
      .map((name) => name.split('.')[0] ?? name)
      .filter((name) => nodes.some((node) => node.name === name));
    return { state: 'blocked', why: words().notJoined(missingNames, shortNames) };
  }
  const namedNodes = nodes.filter(({ name }) => names.includes(name));
  const unreadyNames = namedNodes.filter(({ isReady }) => !isReady).map(({ name }) => name);
  return unreadyNames.length > 0 ? { state: 'blocked', why: words().notReady(unreadyNames) } : namedNodes;
}

/**
 * Finds the infra nodes when all are Ready and have the infra label, which relocated pods select; otherwise returns why
 * not.
 */
export async function findLabelledInfraNodes(
  cluster: ClusterReader,
  design: Design,
): Promise<readonly NodeView[] | NotApplicable> {
  const nodes = await findReadyInfraNodes(cluster, design);
  if (isNotApplicable(nodes)) return nodes;
  const unlabelledNames = nodes.filter(({ labels }) => labels[INFRA_LABEL] === undefined).map(({ name }) => name);
  return unlabelledNames.length > 0 ? { state: 'blocked', why: words().notLabelled(unlabelledNames) } : nodes;
}

/**
 * Whether every infra node has the taint, with any effect. The taint is set last: whatever has to tolerate it has moved
 * before.
 */
export function areTainted(design: Design, nodes: readonly NodeView[]): boolean {
  const { key } = design.infra.taint;
  const taintedNames = nodes.filter(({ taints }) => taints.some((taint) => taint.key === key)).map(({ name }) => name);
  return listInfraNodeNames(design).every((name) => taintedNames.includes(name));
}

/** Whether the lookup found a reason to wait instead of nodes. */
export function isNotApplicable(result: readonly NodeView[] | NotApplicable): result is NotApplicable {
  return 'state' in result;
}

/** Whether the cloud has yet to create some of these nodes: a plan knows them, the cluster does not. */
export async function hasNodesToCreate(cluster: ClusterReader, names: readonly string[]): Promise<boolean> {
  const nodes = (await cluster.list('Node')).filter(({ metadata }) => names.includes(metadata.name));
  return nodes.some(({ metadata }) => metadata.uid === undefined);
}
