import { catalogue } from '../i18n/catalogue.ts';
import type { OperatorView } from '../openshift/operator.ts';
import { MINUTE } from '../platform/clock.ts';

const words = () => catalogue().operatorWaits;

/** The status of an operator from its ClusterOperator. */
export type OperatorEvidence = Pick<
  OperatorView,
  'name' | 'available' | 'progressing' | 'degraded' | 'since' | 'conditions'
>;

/** The state that an operator depends on. */
export interface OperatorDependencies {
  readonly now: number;
  /** Operators that are not available yet. */
  readonly unavailableOperators: ReadonlySet<string>;
  /**
   * The nodes that run routers and other ingress workloads: compute nodes, or control plane nodes if there are none.
   */
  readonly workers: {
    /** Null: unknown. */
    readonly ready: number | null;
    readonly planned: number;
    /** Time at which the first of them became Ready, in ms of the clock; null: none is Ready, or unknown. */
    readonly since: number | null;
  };
  /** Whether a router runs; null: unknown. */
  readonly isRouterRunning: boolean | null;
  /** Names of the nodes that were Ready and no longer are, although no update is restarting them. */
  readonly lostNodes: ReadonlySet<string>;
}

/** Codes of the conditions that an operator can wait for. */
export type WaitCode =
  | 'registry-removed'
  | 'registry-storage'
  | 'monitoring-config'
  | 'image-pull'
  | 'disk-full'
  | 'etcd-slow'
  | 'compute'
  | 'name'
  | 'authority'
  | 'routers'
  | 'routers-not-running'
  | 'routes-closed'
  | 'well-known'
  | 'authentication'
  | 'node-lost'
  | 'node-not-ready'
  | 'revision'
  | 'bootstrap-member'
  | 'pacemaker'
  | 'pool'
  | 'network-broken'
  | 'daemons'
  | 'room'
  | 'crash'
  | 'samples'
  | 'upload'
  | 'extension-apis'
  | 'rollout'
  | 'start'
  | 'reason-only'
  | 'other';

/** The condition that an operator waits for, as texts. */
export interface OperatorWait {
  readonly code: WaitCode;
  /** The object that the condition names, such as a node or a host; empty: it names none. */
  readonly subject: string;
  readonly waitsFor: string;
  /** Whether the wait resolves on its own and has not lasted longer than usual. */
  readonly isNormal: boolean;
  readonly remedy: string;
}

interface WaitRuleInput {
  readonly name: string;
  /** Reasons and messages of all unhealthy conditions. */
  readonly text: string;
  /** Whether no unhealthy condition has a message; reasons may be present. */
  readonly hasNoMessage: boolean;
  readonly dependencies: OperatorDependencies;
}

interface WaitRule {
  readonly code: WaitCode;
  readonly matches: (input: WaitRuleInput) => boolean;
  /**
   * Number of minutes for which the wait is normal: 0 never, Infinity always. The installer itself waits 40 minutes in
   * all.
   */
  readonly normalMinutes: number;
  /** The first group of the pattern captures the object that the message names. */
  readonly subjectPattern?: RegExp;
}

/** Operators whose pods, or the routes to them, need a compute node. */
export const OPERATORS_ON_COMPUTE_NODES: ReadonlySet<string> = new Set([
  'ingress',
  'authentication',
  'console',
  'monitoring',
  'image-registry',
]);
const OPERATORS_BEHIND_ROUTERS: ReadonlySet<string> = new Set(['authentication', 'console']);
/** Wording of the operators and of the scheduler (okd-project/okd#1654, openshift/installer#5305). */
const NO_COMPUTE_NODES =
  /NoReadyIngressNodes|Got 0 worker nodes|(?:untolerated|had) taint \{node-role\.kubernetes\.io\/(?:master|control-plane)|Make sure you have sufficient worker nodes/;
const NOT_READY_NODE = /nodes? not ready: node "([a-z0-9.-]+)"/;
const CLOSED_ROUTES =
  /CanaryChecks|RouteHealth|RouteEndpointAccessible|\.apps\.[a-z0-9.-]+.{0,200}?(?:EOF|refused|deadline exceeded|timeout|no route to host)/s;
const ROUTE_HOST = /https?:\/\/([a-z0-9.-]+\.apps\.[a-z0-9.-]+)/;
const createTextMatcher =
  (pattern: RegExp, ...names: readonly string[]) =>
  ({ name, text }: WaitRuleInput) =>
    (names.length === 0 || names.includes(name)) && pattern.test(text);

/**
 * The first match counts: a cause that a message names comes before a general one, and dependencies come before the
 * operator's own progress. The patterns match messages of the operators (cluster-authentication-operator,
 * cluster-ingress-operator, library-go's static pod controllers, machine-config-operator, cluster-network-operator).
 */
const WAIT_RULES: readonly WaitRule[] = [
  {
    code: 'registry-removed',
    normalMinutes: Infinity,
    matches: createTextMatcher(/\bRemoved\b|registry is removed/, 'image-registry'),
  },
  {
    code: 'registry-storage',
    normalMinutes: 0,
    matches: createTextMatcher(/StorageNotConfigured|storage backend not configured/, 'image-registry'),
  },
  { code: 'monitoring-config', normalMinutes: 0, matches: createTextMatcher(/InvalidConfiguration/, 'monitoring') },
  {
    code: 'image-pull',
    normalMinutes: 3,
    matches: createTextMatcher(
      /ImagePullBackOff|ErrImagePull|manifest unknown|unauthorized: (?:access|authentication)/,
    ),
  },
  { code: 'disk-full', normalMinutes: 0, matches: createTextMatcher(/no space left on device/i) },
  {
    code: 'etcd-slow',
    normalMinutes: 10,
    matches: createTextMatcher(/etcdserver: (?:request timed out|leader changed)|slow fdatasync/),
  },
  {
    code: 'compute',
    normalMinutes: 60,
    matches: ({ name, text, dependencies }) =>
      (dependencies.workers.ready === 0 && OPERATORS_ON_COMPUTE_NODES.has(name)) ||
      ((dependencies.workers.ready ?? 0) === 0 && NO_COMPUTE_NODES.test(text)),
  },
  {
    code: 'name',
    normalMinutes: 0,
    matches: createTextMatcher(/no such host/),
    subjectPattern: /lookup ([a-z0-9.-]+)/,
  },
  {
    code: 'authority',
    normalMinutes: 5,
    matches: createTextMatcher(/x509: certificate/, 'authentication', 'console', 'ingress'),
  },
  {
    code: 'routers',
    normalMinutes: 40,
    matches: ({ name, dependencies }) =>
      OPERATORS_BEHIND_ROUTERS.has(name) &&
      (dependencies.unavailableOperators.has('ingress') || dependencies.isRouterRunning === false),
  },
  {
    code: 'well-known',
    normalMinutes: 30,
    matches: createTextMatcher(/well-known|WellKnown_NotReady/i, 'authentication'),
  },
  {
    code: 'routers-not-running',
    normalMinutes: 5,
    matches: ({ name, text, dependencies }) =>
      name === 'ingress' && dependencies.isRouterRunning === false && CLOSED_ROUTES.test(text),
  },
  {
    code: 'routes-closed',
    normalMinutes: 5,
    matches: createTextMatcher(CLOSED_ROUTES, 'authentication', 'console', 'ingress'),
    subjectPattern: ROUTE_HOST,
  },
  {
    code: 'authentication',
    normalMinutes: 40,
    matches: ({ name, dependencies }) => name === 'console' && dependencies.unavailableOperators.has('authentication'),
  },
  {
    code: 'node-lost',
    normalMinutes: 0,
    matches: ({ text, dependencies }) => dependencies.lostNodes.has(NOT_READY_NODE.exec(text)?.[1] ?? ''),
    subjectPattern: NOT_READY_NODE,
  },
  {
    code: 'node-not-ready',
    normalMinutes: 10,
    matches: createTextMatcher(/nodes? not ready: node "/),
    subjectPattern: NOT_READY_NODE,
  },
  // Jobs of a two-node cluster with fencing (openshift/cluster-etcd-operator pkg/tnf/pkg/tools/jobs.go: up to 25
  // minutes).
  { code: 'pacemaker', normalMinutes: 25, matches: createTextMatcher(/\btnf-[a-z-]+-job|TNFJobControllers/, 'etcd') },
  { code: 'bootstrap-member', normalMinutes: 10, matches: createTextMatcher(/bootstrap/i, 'etcd') },
  {
    code: 'revision',
    normalMinutes: 30,
    matches: createTextMatcher(/NodeInstaller|at revision \d|InstallerPod|GuardController/),
  },
  { code: 'pool', normalMinutes: 20, matches: createTextMatcher(/\bpools?\b|RequiredPools/i, 'machine-config') },
  { code: 'network-broken', normalMinutes: 5, matches: createTextMatcher(/CrashLoopBackOff/, 'network') },
  { code: 'crash', normalMinutes: 5, matches: createTextMatcher(/CrashLoopBackOff/) },
  {
    code: 'room',
    normalMinutes: 10,
    matches: createTextMatcher(
      /\d+ nodes are available|Unschedulable|untolerated taint|Insufficient (?:cpu|memory)|PodsScheduled=False/,
    ),
  },
  { code: 'daemons', normalMinutes: 20, matches: createTextMatcher(/daemonset/i) },
  { code: 'samples', normalMinutes: 40, matches: ({ name }) => name === 'openshift-samples' },
  {
    code: 'upload',
    normalMinutes: Infinity,
    matches: createTextMatcher(/upload|unable to report|redhat\.com/i, 'insights'),
  },
  {
    code: 'extension-apis',
    normalMinutes: 20,
    matches: createTextMatcher(/APIServicesAvailable|apiservices?\b|is not ready: 503/i),
  },
  { code: 'rollout', normalMinutes: 20, matches: createTextMatcher(/rollout|rolls? out|replicas?\b|deploy/i) },
  // A condition that an operator has just created is Unknown, with NoData at most (library-go, the version operator).
  {
    code: 'start',
    normalMinutes: 20,
    matches: ({ text, hasNoMessage }) => hasNoMessage && /^(?:\s|NoData)*$/.test(text),
  },
  { code: 'reason-only', normalMinutes: 15, matches: ({ hasNoMessage }) => hasNoMessage, subjectPattern: /(\S+)/ },
  { code: 'other', normalMinutes: 15, matches: () => true },
];

/** Conditions that the user has to change, however short the wait. */
export const WAITS_FOR_USER: ReadonlySet<WaitCode> = new Set(
  WAIT_RULES.filter(({ normalMinutes }) => normalMinutes === 0).map(({ code }) => code),
);

/** Maximum number of characters that are matched: the rest of a message is repetition. */
const MAX_TEXT_LENGTH = 8000;

/** Explains the condition that an operator waits for; null if it waits for nothing and has nothing to explain. */
export function explainWait(operator: OperatorEvidence, dependencies: OperatorDependencies): OperatorWait | null {
  const { name, available, progressing, degraded, since } = operator;
  const isSettled = available && !progressing && !degraded;
  // On a platform without storage the registry is healthy and Removed: the user should know that.
  const relevantConditions = operator.conditions.filter(({ type, status }) =>
    isSettled ? name === 'image-registry' && type === 'Available' : isUnhealthyCondition(type, status),
  );
  const text = relevantConditions
    .map(({ reason, message }) => `${reason} ${message}`)
    .join('\n')
    .slice(0, MAX_TEXT_LENGTH);
  const hasNoMessage = relevantConditions.every(({ message }) => message.trim() === '');
  const ruleInput: WaitRuleInput = { name, text, hasNoMessage, dependencies };
  const [removedRule] = WAIT_RULES;
  if (isSettled) return removedRule?.matches(ruleInput) ? toOperatorWait(removedRule, ruleInput, true) : null;
  const rule = WAIT_RULES.find(({ matches }) => matches(ruleInput));
  if (!rule) return null;
  // Pods for compute nodes cannot start before there is one: the time before does not count.
  const earliestStart =
    OPERATORS_ON_COMPUTE_NODES.has(name) && rule.code !== 'compute' ? (dependencies.workers.since ?? 0) : 0;
  const duration = since === null ? 0 : dependencies.now - Math.max(since, earliestStart);
  return toOperatorWait(rule, ruleInput, duration < rule.normalMinutes * MINUTE);
}

function isUnhealthyCondition(type: string, status: string): boolean {
  if (type === 'Available') return status !== 'True';
  return (type === 'Degraded' || type === 'Progressing') && status !== 'False';
}

function toOperatorWait(
  { code, subjectPattern }: WaitRule,
  { name, text, dependencies }: WaitRuleInput,
  isNormal: boolean,
): OperatorWait {
  const waitDetails = {
    operator: name,
    subject: subjectPattern?.exec(text)?.[1] ?? '',
    ...dependencies.workers,
    ready: dependencies.workers.ready ?? 0,
  };
  const { waitsFor, remedy } = words()[code];
  return { code, subject: waitDetails.subject, waitsFor: waitsFor(waitDetails), isNormal, remedy: remedy(waitDetails) };
}
