import { isVersionAtLeast } from '../../../design/versions.ts';
import { MINUTE } from '../../../platform/clock.ts';
import { type ConditionReason, getField, getString, isConditionTrue } from '../../api/objects.ts';
import { lookUpName } from '../../hosts/dns.ts';
import type { ReleaseMetadata } from '../../site/release-metadata.ts';
import { listMachines } from '../cloud/machines.ts';
import type { Canary } from '../network/endpoints.ts';
import { formatWorkloadKey, isRolledOut } from '../workloads/controller.ts';
import { acceptMonitoringConfig } from '../workloads/monitoring-config.ts';
import { parseRegistryStorage } from '../workloads/plan.ts';
import type { Workload } from '../workloads/workload.ts';
import { clearTimer, getOrStartTimer, type World } from '../world.ts';
import { describeRevision, findControlPlaneProblem, listNodesOfRoles } from './cluster-objects.ts';
import { deriveFencingProgress } from './etcd.ts';

/** The conditions that an operator reports now. */
export interface OperatorState extends ConditionReason {
  readonly isAvailable: boolean;
  readonly isProgressing: boolean;
  readonly isDegraded: boolean;
}

const DEPLOYING_STATE = { isAvailable: false, isProgressing: true, isDegraded: false } as const;
const AVAILABLE_STATE = { isAvailable: true, isProgressing: false, isDegraded: false } as const;

const LAST_ROLLOUT_TIME = 1 * MINUTE;
/** Delay before an operator that cannot work reports that it is degraded. */
const DEGRADED_DELAY = 4 * MINUTE;

/** Derives the state of an operator. Null: the operator has not started. */
export function advanceOperatorState(
  world: World,
  definition: OperatorDefinition,
  workloads: readonly Workload[],
  canary: Canary,
): OperatorState | null {
  const { cluster } = world.saved;
  const now = world.clock.now();
  if (cluster === null || now < cluster.apiSince + definition.startMinutes * MINUTE) return null;
  const timer = `operator ${definition.name}`;
  const operatorWorkloads = workloads.filter(({ operator }) => operator === definition.name);
  const hasControlPlane = listMachines(world).some(({ kind, stage }) => kind === 'master' && stage === 'joined');
  const unmetReason = hasControlPlane
    ? findUnmetPrerequisite(world, definition, operatorWorkloads, canary)
    : 'waiting for control plane nodes';
  const hasFinishedFirstRollout = world.saved.timers[`${timer} done`] !== undefined;
  if (unmetReason !== null && !hasFinishedFirstRollout) {
    clearTimer(world, `${timer} needs met`);
    const isOverdue =
      now >= getOrStartTimer(world, `${timer} waits`) + DEGRADED_DELAY && definition.prerequisite === 'routes';
    return { ...DEPLOYING_STATE, isDegraded: isOverdue, ...describeUnmetPrerequisite(definition, unmetReason) };
  }
  if (
    !hasFinishedFirstRollout &&
    now < getOrStartTimer(world, `${timer} needs met`) + definition.durationMinutes * MINUTE
  ) {
    const message = `Progressing: deploying ${definition.name} for version ${cluster.version}`;
    const rollout = describeRevision(world, definition.name, { current: 0, next: 4 }) ?? {
      reason: 'Deploying',
      message,
    };
    return { ...DEPLOYING_STATE, ...rollout };
  }
  if (now < getOrStartTimer(world, `${timer} done`) + LAST_ROLLOUT_TIME) {
    const message = `Progressing: ${definition.name} rolls out its last revision`;
    const rollout = describeRevision(world, definition.name, { current: 4, next: 5 }) ?? {
      reason: 'RollingOut',
      message,
    };
    return { ...AVAILABLE_STATE, isProgressing: true, ...rollout };
  }
  return advanceInstalledState(world, definition, operatorWorkloads, canary, unmetReason);
}

/** Derives the state after the first rollout: progressing during changes, degraded after lasting problems. */
function advanceInstalledState(
  world: World,
  definition: OperatorDefinition,
  operatorWorkloads: readonly Workload[],
  canary: Canary,
  unmetReason: string | null,
): OperatorState {
  const timer = `operator ${definition.name} trouble`;
  const fencingProgress = definition.name === 'etcd' ? deriveFencingProgress(world) : null;
  if (fencingProgress !== null && fencingProgress.phase !== 'done') {
    const { phase, reason, message } = fencingProgress;
    const isFailed = phase === 'failed';
    return { isAvailable: phase !== 'setup', isProgressing: !isFailed, isDegraded: isFailed, reason, message };
  }
  const problem =
    findInsightsProblem(world, definition) ??
    findControlPlaneProblem(world, definition.name) ??
    findConfigurationError(world, definition) ??
    findRouteError(definition, canary);
  if (problem !== null) return { ...AVAILABLE_STATE, isDegraded: true, ...problem };
  const incompleteWorkloads = operatorWorkloads.filter((workload) => !isRolledOut(world, workload));
  if (incompleteWorkloads.length === 0 && unmetReason === null) {
    clearTimer(world, timer);
    return { ...AVAILABLE_STATE, reason: 'AsExpected', message: 'All is well' };
  }
  const isOverdue = world.clock.now() >= getOrStartTimer(world, timer) + DEGRADED_DELAY;
  const message =
    incompleteWorkloads.length === 0
      ? (unmetReason ?? '')
      : `waiting for the rollout of ${formatWorkloadNames(incompleteWorkloads)}`;
  return { ...AVAILABLE_STATE, isProgressing: true, isDegraded: isOverdue, reason: 'RollingOut', message };
}

const formatWorkloadNames = (workloads: readonly Workload[]) => workloads.map(formatWorkloadKey).join(', ');

function findUnmetPrerequisite(
  world: World,
  definition: OperatorDefinition,
  operatorWorkloads: readonly Workload[],
  canary: Canary,
): string | null {
  if (definition.prerequisite === 'control-plane') return null;
  const hasReadyWorker = listNodesOfRoles(world.store, 'worker').some((node) => isConditionTrue(node, 'Ready'));
  if (!hasReadyWorker) return 'no compute node is ready';
  const missingWorkloads = operatorWorkloads.filter(
    (workload) => workload.kind !== 'DaemonSet' && !isRolledOut(world, workload),
  );
  if (missingWorkloads.length > 0) return `waiting for ${formatWorkloadNames(missingWorkloads)}`;
  if (definition.prerequisite === 'routes' && !canary.isReachable())
    return canary.getLastError() || 'the routes do not answer yet';
  return null;
}

function describeUnmetPrerequisite(definition: OperatorDefinition, unmetReason: string): ConditionReason {
  switch (definition.name) {
    case 'ingress':
      return {
        reason: 'IngressUnavailable',
        message: `The "default" ingress controller reports Available=False: IngressControllerUnavailable: One or more status conditions indicate unavailable: DeploymentAvailable=False (${unmetReason})`,
      };
    case 'authentication':
      return {
        reason: 'OAuthServerRouteEndpointAccessibleController_EndpointUnavailable',
        message: `OAuthServerRouteEndpointAccessibleControllerAvailable: ${unmetReason}`,
      };
    case 'console':
      return { reason: 'RouteHealth_FailedGet', message: `RouteHealthAvailable: failed to GET route: ${unmetReason}` };
    case 'monitoring':
      return { reason: 'UpdatingPrometheusFailed', message: `Rolling out the monitoring stack: ${unmetReason}` };
    default:
      return { reason: 'Waiting', message: `${definition.name}: ${unmetReason}` };
  }
}

/** Host that receives the reports of the insights operator. */
const REPORT_HOST = 'console.redhat.com';

/** Whether a DNS wildcard answers for outside names: pods first try the search domain of their node (ndots 5). */
function hasWildcardConflict({ hosts, saved }: World): boolean {
  const name = `${REPORT_HOST}.${saved.cluster?.clusterDomain}`;
  return lookUpName(hosts.listZones(), name, 'A').answers.length > 0;
}

/**
 * Returns the problem of the insights operator: a DNS wildcard, or the fault `operator-degraded`. No other operator
 * depends on insights, and the fault never ends on its own.
 */
function findInsightsProblem(world: World, { name }: OperatorDefinition): ConditionReason | null {
  if (name !== 'insights') return null;
  if (hasWildcardConflict(world)) {
    return {
      reason: 'UploadFailed',
      message: `Unable to report: unable to build request to connect to Insights server: Post "https://${REPORT_HOST}/api/ingress/v1/upload": tls: failed to verify certificate: x509: certificate is valid for *.apps.${world.saved.cluster?.clusterDomain}, not ${REPORT_HOST}`,
    };
  }
  if (!world.faults.has('operator-degraded')) return null;
  const message =
    'PeriodicGatherFailedDegraded: Source clusterconfig could not be retrieved: unable to write the archive: no space left on device';
  return { reason: 'PeriodicGatherFailed', message };
}

function findConfigurationError(world: World, { name }: OperatorDefinition): ConditionReason | null {
  if (name === 'monitoring') {
    const { error } = acceptMonitoringConfig(world);
    return error === null ? null : { reason: 'InvalidConfiguration', message: error };
  }
  if (name !== 'image-registry') return null;
  const problem = findRegistryProblem(world);
  return problem === null ? null : { ...problem, message: `Unable to apply resources: ${problem.message}` };
}

function findRegistryProblem({ store }: World): ConditionReason | null {
  const spec = getField(store.get('configs.imageregistry.operator.openshift.io', null, 'cluster'), 'spec');
  if (getString(spec, 'managementState') !== 'Managed') return null;
  const { claim, hasOtherStorage } = parseRegistryStorage(spec);
  if (claim === null)
    return hasOtherStorage ? null : { reason: 'StorageNotConfigured', message: 'storage backend not configured' };
  if (getField(spec, 'storage', 'emptyDir') !== undefined)
    return { reason: 'Error', message: 'exactly one storage type should be configured at the same time' };
  const modes = getField(store.get('persistentvolumeclaims', 'openshift-image-registry', claim), 'spec', 'accessModes');
  const isShared = Array.isArray(modes) && modes.includes('ReadWriteMany');
  const isSingleReplica =
    Number(getField(spec, 'replicas') ?? 1) === 1 && getString(spec, 'rolloutStrategy') === 'Recreate';
  if (!Array.isArray(modes) || isShared || isSingleReplica) return null;
  const message = 'cannot use ReadWriteOnce access mode with RollingUpdate rollout strategy';
  return { reason: 'Error', message };
}

function findRouteError({ name, prerequisite }: OperatorDefinition, canary: Canary): ConditionReason | null {
  if (!canary.isFailing()) return null;
  if (name === 'ingress') {
    return {
      reason: 'IngressDegraded',
      message: `The "default" ingress controller reports Degraded=True: DegradedConditions: One or more other status conditions indicate a degraded state: CanaryChecksSucceeding=False (CanaryChecksRepetitiveFailures: Canary route checks for the default ingress controller are failing: ${canary.getLastError()})`,
    };
  }
  if (prerequisite !== 'routes') return null;
  const message = `RouteHealthDegraded: failed to GET route: ${canary.getLastError()}`;
  return { reason: 'RouteHealth_FailedGet', message };
}

/** Prerequisite of an operator before it becomes available. */
type OperatorPrerequisite = 'control-plane' | 'compute' | 'routes';

export interface OperatorDefinition {
  readonly name: string;
  /**
   * Minutes from the API's first answer until the operator starts, and from there (with its prerequisite met) until the
   * operator is available.
   */
  readonly startMinutes: number;
  readonly durationMinutes: number;
  readonly prerequisite: OperatorPrerequisite;
}

const defineOperator = (
  name: string,
  startMinutes: number,
  durationMinutes: number,
  prerequisite: OperatorPrerequisite = 'control-plane',
): OperatorDefinition => ({ name, startMinutes, durationMinutes, prerequisite });

/** The cluster Operators with their times. The last ones need routers, and so compute nodes. */
const OPERATORS: readonly OperatorDefinition[] = [
  defineOperator('cloud-credential', 4, 1),
  defineOperator('network', 4, 4),
  defineOperator('config-operator', 6, 2),
  defineOperator('etcd', 6, 6),
  defineOperator('kube-apiserver', 6, 20),
  defineOperator('kube-controller-manager', 6, 7),
  defineOperator('kube-scheduler', 6, 6),
  defineOperator('cloud-controller-manager', 5, 1),
  defineOperator('service-ca', 7, 2),
  defineOperator('dns', 7, 3),
  defineOperator('machine-config', 7, 5),
  defineOperator('operator-lifecycle-manager', 7, 3),
  defineOperator('operator-lifecycle-manager-catalog', 7, 3),
  defineOperator('kube-storage-version-migrator', 8, 3),
  defineOperator('openshift-controller-manager', 8, 5),
  defineOperator('openshift-apiserver', 8, 8),
  defineOperator('node-tuning', 8, 3),
  defineOperator('cluster-autoscaler', 8, 2),
  defineOperator('control-plane-machine-set', 8, 2),
  defineOperator('csi-snapshot-controller', 8, 3),
  defineOperator('machine-api', 8, 2),
  defineOperator('machine-approver', 8, 2),
  defineOperator('baremetal', 8, 2),
  defineOperator('marketplace', 9, 2),
  defineOperator('storage', 9, 2),
  defineOperator('insights', 9, 3),
  defineOperator('olm', 9, 3),
  defineOperator('operator-lifecycle-manager-packageserver', 10, 4),
  defineOperator('openshift-samples', 14, 10),
  defineOperator('image-registry', 10, 3, 'compute'),
  defineOperator('ingress', 10, 4, 'compute'),
  defineOperator('monitoring', 10, 10, 'compute'),
  defineOperator('authentication', 10, 12, 'routes'),
  defineOperator('console', 10, 8, 'routes'),
];

/** Lists the cluster Operators of a release. */
export function listOperators(release: ReleaseMetadata): readonly OperatorDefinition[] {
  const firstMinorByOperator: Readonly<Record<string, number>> = {
    olm: 18,
    'control-plane-machine-set': 12,
    baremetal: 7,
    'cloud-controller-manager': 9,
  };
  return OPERATORS.filter(({ name }) => isVersionAtLeast(release.version, `4.${firstMinorByOperator[name] ?? 0}`));
}
