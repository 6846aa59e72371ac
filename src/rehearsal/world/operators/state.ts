import { MINUTE } from '../../../ports/clock.ts';
import { at, textAt } from '../../api/objects.ts';
import { lookUp } from '../../hosts/name-server.ts';
import { allMachines } from '../cloud/instances.ts';
import type { Canary } from '../network/canary.ts';
import { monitoringConfig } from '../workloads/monitoring-config.ts';
import { schedulableNode } from '../workloads/scheduler.ts';
import { isRolledOut } from '../workloads/status.ts';
import type { Workload } from '../workloads/workload.ts';
import { firstSeen, forget, type World } from '../world.ts';
import { controlPlaneTrouble, firstRevision } from './control-plane.ts';
import type { OperatorFacts } from './table.ts';

/** The conditions of an operator, as it would set them now. */
export interface OperatorState {
  readonly isAvailable: boolean;
  readonly isProgressing: boolean;
  readonly isDegraded: boolean;
  readonly reason: string;
  readonly message: string;
}

const SETTLING = 1 * MINUTE;
/** An operator that cannot do its work says so after this long. */
const DEGRADED_AFTER = 4 * MINUTE;

/** Null: it has not begun. */
export function operatorState(
  world: World,
  facts: OperatorFacts,
  workloads: readonly Workload[],
  canary: Canary,
): OperatorState | null {
  const { cluster } = world.saved;
  const now = world.clock.now();
  if (cluster === null || now < cluster.apiSince + facts.start * MINUTE) return null;
  const timer = `operator ${facts.name}`;
  const own = workloads.filter(({ operator }) => operator === facts.name);
  const hasControlPlane = allMachines(world).some(({ kind, stage }) => kind === 'master' && stage === 'joined');
  const unmet = hasControlPlane ? unmetNeed(world, facts, own, canary) : 'waiting for control plane nodes';
  const isDone = world.saved.timers[`${timer} done`] !== undefined;
  if (unmet !== null && !isDone) {
    forget(world, `${timer} needs met`);
    const isLong = now >= firstSeen(world, `${timer} waits`) + DEGRADED_AFTER && facts.need === 'routes';
    return { isAvailable: false, isProgressing: true, isDegraded: isLong, ...why(facts, unmet) };
  }
  if (!isDone && now < firstSeen(world, `${timer} needs met`) + facts.duration * MINUTE) {
    const message = `Progressing: deploying ${facts.name} for version ${cluster.version}`;
    const said = firstRevision(world, facts) ?? { reason: 'Deploying', message };
    return { isAvailable: false, isProgressing: true, isDegraded: false, ...said };
  }
  if (now < firstSeen(world, `${timer} done`) + SETTLING) {
    const message = `Progressing: ${facts.name} rolls out its last revision`;
    return { isAvailable: true, isProgressing: true, isDegraded: false, reason: 'RollingOut', message };
  }
  return settled(world, facts, own, canary, unmet);
}

/** After the first time: still available, but changes make it progress and lasting trouble makes it degraded. */
function settled(
  world: World,
  facts: OperatorFacts,
  own: readonly Workload[],
  canary: Canary,
  unmet: string | null,
): OperatorState {
  const timer = `operator ${facts.name} trouble`;
  const trouble =
    faultOf(world, facts) ??
    controlPlaneTrouble(world, facts) ??
    configurationError(world, facts) ??
    routeError(facts, canary);
  if (trouble !== null) {
    return { isAvailable: true, isProgressing: false, isDegraded: true, ...trouble };
  }
  const rolling = own.filter((workload) => !isRolledOut(world, workload));
  if (rolling.length === 0 && unmet === null) {
    forget(world, timer);
    return { isAvailable: true, isProgressing: false, isDegraded: false, reason: 'AsExpected', message: 'All is well' };
  }
  const isLong = world.clock.now() >= firstSeen(world, timer) + DEGRADED_AFTER;
  const names = rolling.map(({ namespace, name }) => `${namespace}/${name}`).join(', ');
  return {
    isAvailable: true,
    isProgressing: true,
    isDegraded: isLong,
    reason: 'RollingOut',
    message: names === '' ? (unmet ?? '') : `waiting for the rollout of ${names}`,
  };
}

function unmetNeed(world: World, facts: OperatorFacts, own: readonly Workload[], canary: Canary): string | null {
  if (facts.need === 'control-plane') return null;
  const nodes = world.store.list('nodes').map(schedulableNode);
  const workers = nodes.filter(({ labels, isReady }) => 'node-role.kubernetes.io/worker' in labels && isReady);
  if (workers.length === 0) return 'no compute node is ready';
  const missing = own.filter((workload) => workload.kind !== 'DaemonSet' && !isRolledOut(world, workload));
  if (missing.length > 0)
    return `waiting for ${missing.map(({ namespace, name }) => `${namespace}/${name}`).join(', ')}`;
  if (facts.need === 'routes' && !canary.isReachable()) return canary.error() || 'the routes do not answer yet';
  return null;
}

function why(facts: OperatorFacts, unmet: string): { reason: string; message: string } {
  switch (facts.name) {
    case 'ingress':
      return {
        reason: 'IngressUnavailable',
        message: `The "default" ingress controller reports Available=False: IngressControllerUnavailable: One or more status conditions indicate unavailable: DeploymentAvailable=False (${unmet})`,
      };
    case 'authentication':
      return {
        reason: 'OAuthServerRouteEndpointAccessibleController_EndpointUnavailable',
        message: `OAuthServerRouteEndpointAccessibleControllerAvailable: ${unmet}`,
      };
    case 'console':
      return { reason: 'RouteHealth_FailedGet', message: `RouteHealthAvailable: failed to GET route: ${unmet}` };
    case 'monitoring':
      return { reason: 'UpdatingPrometheusFailed', message: `Rolling out the monitoring stack: ${unmet}` };
    default:
      return { reason: 'Waiting', message: `${facts.name}: ${unmet}` };
  }
}

type Trouble = { readonly reason: string; readonly message: string } | null;

/** Where the insights operator sends what it gathers. */
const REPORTS = 'console.redhat.com';

/** Pods try the search domain of their node before the name itself (ndots 5): a wildcard there answers for the whole outside. */
function isOutsideCaught({ hosts, saved }: World): boolean {
  const name = `${REPORTS}.${saved.cluster?.clusterDomain}`;
  return lookUp(hosts.allZones(), name, 'A').answers.length > 0;
}

/** The operator that the fault `operator-degraded` chooses: one that holds up no other and never recovers. */
function faultOf(world: World, { name }: OperatorFacts): Trouble {
  if (name === 'insights' && isOutsideCaught(world)) {
    return {
      reason: 'UploadFailed',
      message: `Unable to report: unable to build request to connect to Insights server: Post "https://${REPORTS}/api/ingress/v1/upload": tls: failed to verify certificate: x509: certificate is valid for *.apps.${world.saved.cluster?.clusterDomain}, not ${REPORTS}`,
    };
  }
  if (name !== 'insights' || !world.faults.has('operator-degraded')) return null;
  return {
    reason: 'PeriodicGatherFailed',
    message:
      'PeriodicGatherFailedDegraded: Source clusterconfig could not be retrieved: unable to write the archive: no space left on device',
  };
}

function configurationError(world: World, { name }: OperatorFacts): Trouble {
  if (name === 'monitoring') {
    const { error } = monitoringConfig(world);
    return error === null ? null : { reason: 'InvalidConfiguration', message: error };
  }
  if (name !== 'image-registry') return null;
  const spec = at(world.store.get('configs.imageregistry.operator.openshift.io', null, 'cluster'), 'spec');
  if (textAt(spec, 'managementState') !== 'Managed') return null;
  const has = (kind: string) => at(spec, 'storage', kind) !== undefined;
  const hasClaim = has('pvc');
  if (!hasClaim && !has('emptyDir') && !has('s3')) {
    return { reason: 'StorageNotConfigured', message: 'Unable to apply resources: storage backend not configured' };
  }
  if (hasClaim && has('emptyDir')) {
    return {
      reason: 'Error',
      message: 'Unable to apply resources: exactly one storage type should be configured at the same time',
    };
  }
  const claim = textAt(spec, 'storage', 'pvc', 'claim') || 'image-registry-storage';
  const modes = at(world.store.get('persistentvolumeclaims', 'openshift-image-registry', claim), 'spec', 'accessModes');
  const isShared = Array.isArray(modes) && modes.includes('ReadWriteMany');
  const isSingle = Number(at(spec, 'replicas') ?? 1) === 1 && textAt(spec, 'rolloutStrategy') === 'Recreate';
  if (!Array.isArray(modes) || isShared || isSingle) return null;
  return {
    reason: 'Error',
    message: 'Unable to apply resources: cannot use ReadWriteOnce access mode with RollingUpdate rollout strategy',
  };
}

function routeError({ name, need }: OperatorFacts, canary: Canary): Trouble {
  if (!canary.isFailing()) return null;
  if (name === 'ingress') {
    return {
      reason: 'IngressDegraded',
      message: `The "default" ingress controller reports Degraded=True: DegradedConditions: One or more other status conditions indicate a degraded state: CanaryChecksSucceeding=False (CanaryChecksRepetitiveFailures: Canary route checks for the default ingress controller are failing: ${canary.error()})`,
    };
  }
  if (need !== 'routes') return null;
  return { reason: 'RouteHealth_FailedGet', message: `RouteHealthDegraded: failed to GET route: ${canary.error()}` };
}
