import { hash } from 'node:crypto';
import { MINUTE } from '../../../ports/clock.ts';
import { isSame } from '../../api/json.ts';
import { at, isRecord, type KubeObject, listAt, textAt, timestamp } from '../../api/objects.ts';
import { isAtLeast } from '../../site/versions.ts';
import { untilSettled } from '../settled.ts';
import { matchesSelector, schedulableNode } from '../workloads/scheduler.ts';
import { firstSeen, forget, type Operated } from '../world.ts';

const POOLS = 'machineconfigpools.machineconfiguration.openshift.io';
const PREFIX = 'machineconfiguration.openshift.io';
/** A node that changes pools with the same content does not restart; the daemon takes about this long to agree. */
const CHANGE = 1 * MINUTE;

/** Counts the machines of every pool, and tells every node its configuration as the machine config operator does. */
export const reconcilePools = untilSettled(reconcileAll, isWorking);

/** Whether a node takes on a configuration. */
function isWorking({ store }: Operated): boolean {
  return store.list('nodes').some(({ metadata: { annotations = {} } }) => {
    return annotations[`${PREFIX}/currentConfig`] !== annotations[`${PREFIX}/desiredConfig`];
  });
}

function reconcileAll(world: Operated): void {
  const nodes = world.store.list('nodes');
  const pools = world.store.list(POOLS);
  const members = new Map<string, KubeObject[]>();
  for (const node of nodes) {
    const pool = poolOf(node, pools);
    if (pool === null) continue;
    members.set(pool, [...(members.get(pool) ?? []), node]);
    assign(world, node, renderedName(pool));
  }
  for (const pool of pools) report(world, pool, members.get(pool.metadata.name) ?? []);
}

/** master before all, then a custom pool, then worker: pkg/controller/node of machine-config-operator. */
function poolOf(node: KubeObject, pools: readonly KubeObject[]): string | null {
  const matching = pools
    .filter((pool) => {
      const selector = at(pool, 'spec', 'nodeSelector', 'matchLabels');
      return isRecord(selector) && matchesSelector(schedulableNode(node), selector as Record<string, string>);
    })
    .map(({ metadata }) => metadata.name);
  if (matching.includes('master')) return 'master';
  return matching.find((name) => name !== 'worker') ?? matching[0] ?? null;
}

function renderedName(pool: string): string {
  return `rendered-${pool}-${hash('sha256', pool).slice(0, 32)}`;
}

function assign(world: Operated, node: KubeObject, rendered: string): void {
  const { name, annotations = {} } = node.metadata;
  const desired = annotations[`${PREFIX}/desiredConfig`];
  const current = annotations[`${PREFIX}/currentConfig`];
  const timer = `machine config of ${name}`;
  if (desired === rendered && current === rendered) return;
  const isFirst = current === undefined;
  const isDone = isFirst || (desired === rendered && world.clock.now() >= firstSeen(world, timer) + CHANGE);
  if (desired !== rendered) forget(world, timer);
  world.store.mutate('nodes', null, name, (change) => {
    change.metadata.annotations = {
      ...change.metadata.annotations,
      [`${PREFIX}/desiredConfig`]: rendered,
      [`${PREFIX}/currentConfig`]: isDone ? rendered : (current ?? rendered),
      [`${PREFIX}/state`]: isDone ? 'Done' : 'Working',
    };
  });
}

/** Why the configuration of a pool cannot be made of its MachineConfigs, as the render controller says it; null: it can. */
function renderTrouble({ store, release }: Operated, pool: KubeObject): string | null {
  const { name } = pool.metadata;
  const known = SPEC_VERSIONS.filter(([, since]) => isAtLeast(release, 4, since)).map(([version]) => version);
  const strange = store.list('machineconfigs.machineconfiguration.openshift.io').some(({ metadata, spec }) => {
    const [, version] = /^(\d+\.\d+)\./.exec(textAt(spec, 'config', 'ignition', 'version')) ?? [];
    return metadata.labels?.[`${PREFIX}/role`] === name && version !== undefined && !known.includes(version);
  });
  if (!strange) return null;
  return `Failed to render configuration for pool ${name}: could not generate rendered MachineConfig: parsing Ignition config failed: unknown version. Supported spec versions: ${known.join(',')}`;
}

/** Versions of Ignition's specification, with the minor release of OpenShift 4 since which they are known. */
const SPEC_VERSIONS: readonly (readonly [string, number])[] = [
  ['2.2', 0],
  ['3.0', 6],
  ['3.1', 6],
  ['3.2', 7],
  ['3.3', 13],
  ['3.4', 14],
  ['3.5', 19],
];

function report(world: Operated, pool: KubeObject, members: readonly KubeObject[]): void {
  const { name } = pool.metadata;
  const rendered = renderedName(name);
  const isUpdated = (node: KubeObject) => node.metadata.annotations?.[`${PREFIX}/currentConfig`] === rendered;
  const updated = members.filter(isUpdated);
  const ready = updated.filter((node) => schedulableNode(node).isReady);
  const unrendered = renderTrouble(world, pool);
  const isAllUpdated = ready.length === members.length;
  const known = listAt(pool, 'status', 'conditions');
  const condition = (type: string, isTrue: boolean, message: string) => {
    const status = isTrue ? 'True' : 'False';
    const before = known.find((each) => textAt(each, 'type') === type);
    const lastTransitionTime =
      textAt(before, 'status') === status ? textAt(before, 'lastTransitionTime') : timestamp(world.clock.now());
    return { type, status, reason: '', message, lastTransitionTime };
  };
  const status = {
    observedGeneration: pool.metadata.generation ?? 1,
    configuration: { name: rendered },
    machineCount: members.length,
    updatedMachineCount: updated.length,
    readyMachineCount: ready.length,
    unavailableMachineCount: members.length - ready.length,
    degradedMachineCount: 0,
    conditions: [
      condition('Updated', isAllUpdated, isAllUpdated ? `All nodes are updated with MachineConfig ${rendered}` : ''),
      condition('Updating', !isAllUpdated, isAllUpdated ? '' : `All nodes are updating to MachineConfig ${rendered}`),
      condition('NodeDegraded', false, ''),
      condition('RenderDegraded', unrendered !== null, unrendered ?? ''),
      condition('Degraded', unrendered !== null, ''),
    ],
  };
  if (isSame(pool.status, status)) return;
  world.store.mutate(POOLS, null, name, (change) => {
    change.status = status;
  });
}
