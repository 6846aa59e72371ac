import { hash } from 'node:crypto';
import { isVersionAtLeast } from '../../../design/versions.ts';
import { MINUTE } from '../../../platform/clock.ts';
import { buildCondition, getField, getList, getString, isRecord, type KubeObject } from '../../api/objects.ts';
import { matchesSelector, toSchedulableNode } from '../workloads/scheduler.ts';
import {
  clearTimer,
  getOrStartTimer,
  mergeStatus,
  type OperatorContext,
  setStatus,
  skipWhileUnchanged,
} from '../world.ts';

const MACHINE_CONFIGURATION_RESOURCE = 'machineconfigurations.operator.openshift.io';
/** The first minor version that compares boot images (openshift/api#2758). */
const FIRST_COMPARING_VERSION = '4.22';
/** The oldest accepted boot images (machine-config-operator, pkg/controller/common/constants.go). */
const OLDEST_RELEASE = '4.13.0';
const OLDEST_RHEL = '9.2';

/** Creates the MachineConfiguration, unless the release is too old to compare boot images. */
export function createMachineConfiguration({ store, release }: Pick<OperatorContext, 'store' | 'release'>): void {
  if (!isVersionAtLeast(release.version, FIRST_COMPARING_VERSION)) return;
  store.ensure(MACHINE_CONFIGURATION_RESOURCE, {
    metadata: { name: 'cluster' },
    spec: { logLevel: 'Normal', operatorLogLevel: 'Normal', managementState: 'Managed' },
  });
}

/**
 * Writes the recorded boot image into the status. If the specification names none, a single node has none, and other
 * clusters have the boot image of the release that installed them (machine-config-operator, pkg/operator/sync.go;
 * openshift-docs#108103).
 */
function updateBootImageStatus(world: OperatorContext): void {
  const object = world.store.get(MACHINE_CONFIGURATION_RESOURCE, null, 'cluster');
  if (object === undefined) return;
  const requestedEnforcement = getField(object, 'spec', 'bootImageSkewEnforcement');
  const enforcement = isRecord(requestedEnforcement) ? requestedEnforcement : deriveDefaultEnforcement(world);
  mergeStatus(world, MACHINE_CONFIGURATION_RESOURCE, object, {
    observedGeneration: object.metadata.generation ?? 1,
    ...(enforcement === null ? {} : { bootImageSkewEnforcementStatus: enforcement }),
  });
}

function deriveDefaultEnforcement({ store, saved }: OperatorContext): object | null {
  if (saved.cluster?.controlPlaneReplicas === 1) return { mode: 'None' };
  const history = getList(store.get('clusterversions.config.openshift.io', null, 'version'), 'status', 'history');
  const version = getString(
    history.findLast((entry) => getString(entry, 'state') === 'Completed'),
    'version',
  );
  const [ocpVersion = ''] = version.split('-');
  return version === '' ? null : { mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion } };
}

/**
 * Returns the reason why the recorded boot image blocks updates, in the words of the machine-config-operator
 * (pkg/operator/status.go); null: the boot image does not block updates.
 */
export function describeBootImageSkew({ store }: Pick<OperatorContext, 'store'>): string | null {
  const manualEnforcement = getField(
    getEnforcement(store.get(MACHINE_CONFIGURATION_RESOURCE, null, 'cluster')),
    'manual',
  );
  const release = getString(manualEnforcement, 'ocpVersion');
  const build = getString(manualEnforcement, 'rhcosVersion');
  const rhel = parseRhelVersion(build);
  const problem =
    release !== '' && !isVersionAtLeast(release, OLDEST_RELEASE)
      ? `the cluster is using OCP boot image version ${release}, which is below the minimum required version ${OLDEST_RELEASE}`
      : rhel !== '' && !isVersionAtLeast(rhel, OLDEST_RHEL)
        ? `the cluster is using RHCOS boot image version ${build}(RHEL version: ${rhel}), which is below the minimum required RHEL version ${OLDEST_RHEL}`
        : null;
  return problem === null
    ? null
    : `Upgrades have been disabled because ${problem}. To enable upgrades, please update your boot images following the documentation, or disable boot image skew enforcement`;
}

const getEnforcement = (object: KubeObject | undefined) => getField(object, 'status', 'bootImageSkewEnforcementStatus');

/** Parses the RHEL version: 9.6 in `9.6.20251023-0`, 9.4 in `418.94.202410090804-0`; empty: no build. */
function parseRhelVersion(build: string): string {
  const [major = '', minor = '', time = ''] = build.split('.');
  return /^\d{12}-/.test(time) ? `${minor.slice(0, 1)}.${minor.slice(1)}` : build === '' ? '' : `${major}.${minor}`;
}

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
