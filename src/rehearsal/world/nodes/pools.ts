import { hash } from 'node:crypto';
import { isVersionAtLeast } from '../../../design/versions.ts';
import { MINUTE } from '../../../platform/clock.ts';
import { buildCondition, getField, getString, isRecord, type KubeObject } from '../../api/objects.ts';
import { matchesSelector, toSchedulableNode } from '../workloads/scheduler.ts';
import { clearTimer, getOrStartTimer, type OperatorContext, setStatus, skipWhileUnchanged } from '../world.ts';
import { updateBootImageStatus } from './boot-images.ts';

const POOLS = 'machineconfigpools.machineconfiguration.openshift.io';
const MACHINE_CONFIGS = 'machineconfigs.machineconfiguration.openshift.io';
const ANNOTATION_PREFIX = 'machineconfiguration.openshift.io';
/** A node that changes to a pool with the same content does not reboot. The daemon needs about this long to confirm. */
const CONFIG_CHANGE_TIME = 1 * MINUTE;

/**
 * Counts the machines of every pool, assigns each node its configuration, and updates the status of the boot image, as
 * the machine-config-operator does.
 */
export const reconcilePools = skipWhileUnchanged(reconcileAllPools, isAnyNodeUpdating);

/** Whether a node applies a configuration. */
function isAnyNodeUpdating({ store }: OperatorContext): boolean {
  return store.list('nodes').some(({ metadata: { annotations = {} } }) => {
    return annotations[`${ANNOTATION_PREFIX}/currentConfig`] !== annotations[`${ANNOTATION_PREFIX}/desiredConfig`];
  });
}

function reconcileAllPools(world: OperatorContext): void {
  const nodes = world.store.list('nodes');
  const pools = world.store.list(POOLS);
  const nodesByPool = new Map<string, KubeObject[]>();
  for (const node of nodes) {
    const pool = findPool(node, pools);
    if (pool === null) continue;
    nodesByPool.set(pool, [...(nodesByPool.get(pool) ?? []), node]);
    assignConfig(world, node, getRenderedConfigName(pool));
  }
  for (const pool of pools) updatePoolStatus(world, pool, nodesByPool.get(pool.metadata.name) ?? []);
  updateBootImageStatus(world);
}

/** Finds a node's pool: master, else a custom one, else worker (machine-config-operator, pkg/controller/node). */
function findPool(node: KubeObject, pools: readonly KubeObject[]): string | null {
  const poolNames = pools
    .filter((pool) => {
      const selector = getField(pool, 'spec', 'nodeSelector', 'matchLabels');
      return isRecord(selector) && matchesSelector(toSchedulableNode(node), selector as Record<string, string>);
    })
    .map(({ metadata }) => metadata.name);
  if (poolNames.includes('master')) return 'master';
  return poolNames.find((name) => name !== 'worker') ?? poolNames[0] ?? null;
}

function getRenderedConfigName(pool: string): string {
  return `rendered-${pool}-${hash('sha256', pool).slice(0, 32)}`;
}

function assignConfig(world: OperatorContext, node: KubeObject, renderedName: string): void {
  const { name, annotations = {} } = node.metadata;
  const desiredConfig = annotations[`${ANNOTATION_PREFIX}/desiredConfig`];
  const currentConfig = annotations[`${ANNOTATION_PREFIX}/currentConfig`];
  const timer = `machine config of ${name}`;
  if (desiredConfig === renderedName && currentConfig === renderedName) return;
  const isFirstConfig = currentConfig === undefined;
  const isDone =
    isFirstConfig ||
    (desiredConfig === renderedName && world.clock.now() >= getOrStartTimer(world, timer) + CONFIG_CHANGE_TIME);
  if (desiredConfig !== renderedName) clearTimer(world, timer);
  world.store.mutate('nodes', null, name, (object) => {
    object.metadata.annotations = {
      ...object.metadata.annotations,
      [`${ANNOTATION_PREFIX}/desiredConfig`]: renderedName,
      [`${ANNOTATION_PREFIX}/currentConfig`]: isDone ? renderedName : (currentConfig ?? renderedName),
      [`${ANNOTATION_PREFIX}/state`]: isDone ? 'Done' : 'Working',
    };
  });
}

/** Returns the render controller's error if the MachineConfigs of a pool cannot be rendered, or null. */
function findRenderError({ store, release }: OperatorContext, pool: KubeObject): string | null {
  const { name } = pool.metadata;
  const supportedVersions = SPEC_VERSIONS.flatMap(([version, minor]) =>
    isVersionAtLeast(release.version, `4.${minor}`) ? [version] : [],
  );
  const hasUnknownVersion = store.list(MACHINE_CONFIGS).some(({ metadata, spec }) => {
    const [, version] = /^(\d+\.\d+)\./.exec(getString(spec, 'config', 'ignition', 'version')) ?? [];
    const isOfPool = metadata.labels?.[`${ANNOTATION_PREFIX}/role`] === name;
    return isOfPool && version !== undefined && !supportedVersions.includes(version);
  });
  if (!hasUnknownVersion) return null;
  return `Failed to render configuration for pool ${name}: could not generate rendered MachineConfig: parsing Ignition config failed: unknown version. Supported spec versions: ${supportedVersions.join(',')}`;
}

/** Versions of the Ignition spec, with the minor release of OpenShift 4 that first supports them. */
const SPEC_VERSIONS: readonly (readonly [string, number])[] = [
  ['2.2', 0],
  ['3.0', 6],
  ['3.1', 6],
  ['3.2', 7],
  ['3.3', 13],
  ['3.4', 14],
  ['3.5', 19],
];

/** Lists the MachineConfigs of a pool: those of every release, and those in the API with a role of the pool. */
function listMachineConfigs(
  { store }: OperatorContext,
  { metadata: { name } }: KubeObject,
): { readonly name: string }[] {
  const baseRole = name === 'master' || name === 'arbiter' ? name : 'worker';
  const storedNames = store
    .list(MACHINE_CONFIGS)
    .filter(({ metadata }) => [name, baseRole].includes(metadata.labels?.[`${ANNOTATION_PREFIX}/role`] ?? ''))
    .map(({ metadata }) => metadata.name);
  const builtinNames = [`00-${baseRole}`, `01-${baseRole}-container-runtime`, `01-${baseRole}-kubelet`];
  return [...builtinNames, ...storedNames].map((source) => ({ name: source }));
}

function updatePoolStatus(world: OperatorContext, pool: KubeObject, members: readonly KubeObject[]): void {
  const { name } = pool.metadata;
  const renderedName = getRenderedConfigName(name);
  const isUpdated = (node: KubeObject) =>
    node.metadata.annotations?.[`${ANNOTATION_PREFIX}/currentConfig`] === renderedName;
  const updatedNodes = members.filter(isUpdated);
  const readyNodes = updatedNodes.filter((node) => toSchedulableNode(node).isReady);
  const renderError = findRenderError(world, pool);
  const isAllUpdated = readyNodes.length === members.length;
  /** Creates a condition whose message is shown while it is True. */
  const createCondition = (type: string, isTrue: boolean, message = '') =>
    buildCondition(world.clock.now(), pool, type, isTrue, '', isTrue ? message : '');
  setStatus(world, POOLS, pool, {
    observedGeneration: pool.metadata.generation ?? 1,
    configuration: { name: renderedName, source: listMachineConfigs(world, pool) },
    machineCount: members.length,
    updatedMachineCount: updatedNodes.length,
    readyMachineCount: readyNodes.length,
    unavailableMachineCount: members.length - readyNodes.length,
    degradedMachineCount: 0,
    conditions: [
      createCondition('Updated', isAllUpdated, `All nodes are updated with MachineConfig ${renderedName}`),
      createCondition('Updating', !isAllUpdated, `All nodes are updating to MachineConfig ${renderedName}`),
      createCondition('NodeDegraded', false),
      createCondition('RenderDegraded', renderError !== null, renderError ?? ''),
      createCondition('Degraded', renderError !== null),
    ],
  });
}
