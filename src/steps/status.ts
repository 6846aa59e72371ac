import { isBootstrapMemberRemoved } from '../checks/bootstrap/stages.ts';
import type { OperatorWait } from '../checks/operator-waits.ts';
import { deriveOperatorStates, deriveOperatorStatesWithRouters } from '../checks/operators.ts';
import { isUndecided, type RequestReview } from '../csr/verdict.ts';
import { getNodeFqdn, listNodesWithRole } from '../design/derived-facts.ts';
import type { Design } from '../design/model.ts';
import { catalogue, formatCommandLine } from '../i18n/catalogue.ts';
import { type UserError, UserErrorException } from '../i18n/user-error.ts';
import { areTainted } from '../infra/shared/nodes.ts';
import { listRouters } from '../kube/api.ts';
import type { ApiHealth } from '../kube/api-health.ts';
import type { ClusterVersionView } from '../kube/cluster-version.ts';
import { checkClockSkew } from '../kube/errors.ts';
import { type ClusterSnapshot, STATUS_PARTS, takeSnapshot } from '../kube/snapshot.ts';
import { formatNodeProblems } from '../openshift/node.ts';
import { deriveOperatorHealth, OPERATOR_HEALTH_STATES, type OperatorView } from '../openshift/operator.ts';
import { STEP_IDS, type StepId } from './contract.ts';
import { reviewListedRequests } from './shared/certificate-requests.ts';
import type { ClusterContext } from './shared/cluster-access.ts';
import { hasReachedStage } from './shared/hosts/current-stage.ts';
import { getFirstPowerOn } from './shared/machines/node-facts.ts';
import { findMoveJob, isMoveJobActive, type MoveJob, toMoveJobStatus } from './shared/moves/move-job.ts';

/** The cluster that a status describes. `screen`: the screen at which the session was left; null without one. */
interface StatusTarget extends ClusterContext {
  readonly screen: string | null;
}

/** The document of `status --json`. Times are RFC 3339; null: not available. */
export interface StatusDocument {
  readonly at: string;
  /** The current step of the installation; null: unknown. */
  readonly stage: StepId | null;
  /** `since`: when it went down, as far as observed; null after a single probe, which cannot know. */
  readonly api: { readonly state: 'up' | 'away'; readonly since: string | null; readonly detail: string };
  readonly clusterVersion: Omit<ClusterVersionView, 'percent' | 'since'> | null;
  /** Operators with problems first. */
  readonly operators:
    | readonly {
        readonly name: string;
        readonly available: boolean;
        readonly progressing: boolean;
        readonly degraded: boolean;
        readonly since: string | null;
        readonly message: string;
      }[]
    | null;
  /** Those of the design, then those in the cluster that are not in the design. */
  readonly nodes: readonly {
    readonly name: string;
    readonly role: string;
    readonly ready: boolean | null;
    readonly expected: boolean;
  }[];
  /** `pending`: all undecided CSRs of nodes, whatever our verdict. */
  readonly requests: {
    readonly expected: number | null;
    readonly refused: number | null;
    readonly pending: number | null;
  };
  /** The last job that carried out infra moves; null: there was none, or there is no install directory. */
  readonly infraJob: ReturnType<typeof toMoveJobStatus> | null;
  /**
   * Machines that reported to the wizard's boot server, with their last report; null without an install directory, or
   * if the caller does not show them. `problems`: why a machine cannot work as planned, and what it did not reach.
   */
  readonly machines:
    | readonly { readonly name: string; readonly at: string; readonly problems: readonly string[] }[]
    | null;
}

/**
 * Builds the document of a snapshot, compared with the design; without a snapshot, what is known without the cluster.
 */
function buildStatus(
  target: StatusTarget,
  snapshot: ClusterSnapshot | null,
  machines: StatusDocument['machines'],
): StatusDocument {
  const { design, clock } = target;
  const now = snapshot?.at ?? clock.now();
  const job = target.session === null ? null : findMoveJob(target.session.context);
  const reviews =
    snapshot?.requests && snapshot.nodes
      ? reviewListedRequests(target, { requests: snapshot.requests, nodes: snapshot.nodes }, now).reviews
      : null;
  return {
    at: new Date(now).toISOString(),
    stage: deriveCurrentStep(target, snapshot, job),
    api: {
      state: snapshot?.api.state ?? 'away',
      since: getOutageStart(snapshot),
      detail: snapshot?.api.userError?.cause ?? snapshot?.api.gitVersion ?? '',
    },
    clusterVersion: toVersionStatus(snapshot),
    operators: listOperators(snapshot),
    nodes: listNodes(design, snapshot),
    requests: countRequests(reviews),
    infraJob: job && toMoveJobStatus(job),
    machines,
  };
}

/** Reads what machines reported before their kernel started. */
async function listMachines({ design, clock, session }: StatusTarget): Promise<StatusDocument['machines']> {
  if (session === null) return null;
  // Loaded on demand: with its imports it is as much code as the rest of the status.
  const { readMachineReports } = await import('./shared/machines/machine-reports.ts');
  const reports = await readMachineReports(
    session.context,
    design.nodes.map(({ name }) => name),
  );
  if (!Array.isArray(reports)) return null;
  return reports.map(({ name, ageMs: age, problems }) => ({
    name,
    at: new Date(clock.now() - age).toISOString(),
    problems,
  }));
}

function getOutageStart(snapshot: ClusterSnapshot | null): string | null {
  const { outage } = snapshot?.api.health ?? { outage: null };
  return outage === null || outage.since === snapshot?.at ? null : new Date(outage.since).toISOString();
}

function toVersionStatus(snapshot: ClusterSnapshot | null): StatusDocument['clusterVersion'] {
  if (!snapshot?.clusterVersion) return null;
  const { percent: _percent, since: _since, ...version } = snapshot.clusterVersion;
  return version;
}

/** Lists the operators; null if the API did not answer. An API that does not serve the kind yet has none. */
function listOperators(snapshot: ClusterSnapshot | null): StatusDocument['operators'] {
  if (snapshot === null || snapshot.api.state === 'away' || snapshot.userErrors.operators) return null;
  const rank = (operator: OperatorView) => OPERATOR_HEALTH_STATES.indexOf(deriveOperatorHealth(operator));
  return [...(snapshot.operators ?? [])]
    .sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1))
    .map(({ name, available, progressing, degraded, since, message }) => ({
      name,
      available,
      progressing,
      degraded,
      since: since === null ? null : new Date(since).toISOString(),
      message,
    }));
}

function listNodes(design: Design, snapshot: ClusterSnapshot | null): StatusDocument['nodes'] {
  const clusterNodes = snapshot?.nodes ?? null;
  const designNodes = design.nodes
    .filter(({ role }) => role !== 'bootstrap')
    .map((node) => {
      const name = getNodeFqdn(design, node);
      const clusterNode = clusterNodes?.find((candidate) => candidate.name === name);
      return {
        name,
        role: node.role,
        ready: clusterNodes === null ? null : (clusterNode?.isReady ?? false),
        expected: true,
      };
    });
  const unexpectedNodes = (clusterNodes ?? [])
    .filter(({ name }) => !designNodes.some((node) => node.name === name))
    .map(({ name, roles, isReady }) => ({ name, role: roles.join(','), ready: isReady, expected: false }));
  return [...designNodes, ...unexpectedNodes];
}

function countRequests(requests: readonly RequestReview[] | null): StatusDocument['requests'] {
  if (requests === null) return { expected: null, refused: null, pending: null };
  const count = (matches: (request: RequestReview) => boolean) => requests.filter(matches).length;
  return {
    expected: count(({ verdict }) => verdict === 'expected'),
    refused: count(({ verdict }) => verdict === 'refused'),
    pending: count(isUndecided),
  };
}

/** The steps before the first machine boots the installation. */
const STEPS_BEFORE_BOOTSTRAP = STEP_IDS.slice(0, STEP_IDS.indexOf('bootstrap'));

/**
 * Creates the error for a cluster whose machines have not booted yet, as far as the session knows; null for any other.
 * @param userError the error of the API, which only hides that there is no cluster
 */
export function createNotInstalledError(
  { session, screen, stepState, clock }: StatusTarget,
  userError: UserError,
): UserError | null {
  const step = STEPS_BEFORE_BOOTSTRAP.find((id) => id === screen);
  // Generate records the first stage: only a later one proves that machines have booted.
  const hasCluster =
    getFirstPowerOn({ stepState, clock }) !== null || (stepState.get('stage') ?? 'install') !== 'install';
  if (session === null || step === undefined || hasCluster || !/^(?:kubeconfig|cluster)-/.test(userError.code))
    return null;
  const { title, cause, causeBeforePrepare, remedy } = catalogue().clusterCommands.notInstalled;
  const { sidebar } = catalogue().screens;
  return {
    ...userError,
    title,
    cause:
      step === 'generate' || step === 'hosts'
        ? causeBeforePrepare(sidebar[step], sidebar.prepare)
        : cause(sidebar[step]),
    remedy: remedy(formatCommandLine('--dir', session.context.dir)),
  };
}

/** The steps after the installation. */
const LATER_STEPS = ['infra', 'report'] as const;

/**
 * Derives the current step from the state of the cluster; before there is an API, from the screen at which the session
 * was left. The bootstrap node must stay until its etcd member is reported as removed, whatever else is complete.
 */
function deriveCurrentStep(target: StatusTarget, snapshot: ClusterSnapshot | null, job: MoveJob | null): StepId | null {
  const { design, session, screen } = target;
  if (snapshot === null || snapshot.api.state === 'away')
    return STEP_IDS.find((id) => id === screen) ?? (session ? 'generate' : null);
  if (snapshot.bootstrapStatus !== 'complete' && !snapshot.clusterVersion?.available) return 'bootstrap';
  const hasLeftEtcd = isBootstrapMemberRemoved(design.openshift.version, snapshot.etcdBootstrapMemberRemoved);
  if (snapshot.etcdBootstrapMemberRemoved === false || (!hasLeftEtcd && !snapshot.clusterVersion?.available))
    return 'bootstrap';
  // A single node has no bootstrap to remove.
  const hasBootstrap = listNodesWithRole(design, 'bootstrap').length > 0;
  if (session && hasBootstrap && !hasReachedStage(session.context, 'bootstrap-removed')) return 'bootstrap-removal';
  const { clusterVersion, operators } = snapshot;
  // Once installed, a lost node or a degraded operator does not lead back to a step that the session has left.
  const reachedStep = LATER_STEPS.find((id) => id === screen);
  if (clusterVersion?.available && reachedStep !== undefined) return reachedStep;
  if (listNodes(design, snapshot).some(({ expected, ready }) => expected && !ready)) return 'certificates';
  const isInstalled = clusterVersion?.available && !clusterVersion.failing;
  if (!isInstalled || operators?.some(({ available, degraded }) => !available || degraded)) return 'operators';
  return areTainted(design, snapshot.nodes ?? []) && !(job && isMoveJobActive(job)) ? 'report' : 'infra';
}

/** One probe: the document, and the messages for the user beside it. */
export interface StatusProbe {
  readonly status: StatusDocument;
  /** The conditions that operators wait for, by their names. */
  readonly waits: ReadonlyMap<string, OperatorWait>;
  /** The Ready nodes with problems, each with its problems. */
  readonly nodeProblems: readonly string[];
  /** Errors of the parts that did not answer; empty: the status is complete. */
  readonly userErrors: readonly UserError[];
  /** Whether no machine of the cluster has booted yet: there is nothing to probe. */
  readonly isNotInstalled: boolean;
  /** The warning about clocks that differ; null: they agree, or this is unknown. */
  readonly skewWarning: UserError | null;
  /** Health of the API, which the next probe takes as its input. */
  readonly health: ApiHealth | undefined;
}

/**
 * Probes the cluster once. An API that does not answer is part of the result.
 * @param health that of the previous probe
 * @param shouldListMachines the status lists the machines: their reports are read from the log of the boot server
 */
export async function probeStatus(
  target: StatusTarget,
  { health, shouldListMachines }: { readonly health?: StatusProbe['health']; readonly shouldListMachines: boolean },
): Promise<StatusProbe> {
  const { design, clock } = target;
  let snapshot: ClusterSnapshot | null = null;
  const userErrors: UserError[] = [];
  try {
    snapshot = await takeSnapshot(await target.connect(), STATUS_PARTS, clock.now(), health);
    const { userError } = snapshot.api;
    userErrors.push(...(userError ? [userError] : []), ...Object.values(snapshot.userErrors));
  } catch (error) {
    if (!(error instanceof UserErrorException)) throw error;
    userErrors.push(error.userError);
  }
  const { operators = null, nodes = null } = snapshot ?? {};
  const states = await deriveOperatorStatesWithRouters(
    (routers) => deriveOperatorStates(design, operators ?? [], nodes ?? [], [], routers, clock.now()),
    async () => await listRouters(await target.connect()),
  );
  const notInstalledErrors = userErrors.map((error) => createNotInstalledError(target, error));
  return {
    status: buildStatus(target, snapshot, shouldListMachines ? await listMachines(target) : null),
    nodeProblems: formatNodeProblems(snapshot?.nodes ?? []),
    waits: new Map(states.flatMap(({ name, wait }) => (wait ? [[name, wait]] : []))),
    userErrors: [
      ...new Map(
        userErrors.map((error, index) => notInstalledErrors[index] ?? error).map((error) => [error.code, error]),
      ).values(),
    ],
    isNotInstalled: notInstalledErrors.some((error) => error !== null),
    skewWarning: checkClockSkew(snapshot?.api.clockSkew ?? null),
    health: snapshot?.api.health ?? health,
  };
}
