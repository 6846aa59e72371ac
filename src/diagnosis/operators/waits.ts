import type { OperatorView } from '../../objects/operator.ts';
import { MINUTE } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';

const words = () => catalogue().operatorWaits;

/** What its ClusterOperator says of an operator. */
export type OperatorEvidence = Pick<
  OperatorView,
  'name' | 'available' | 'progressing' | 'degraded' | 'since' | 'conditions'
>;

/** What it depends on. */
export interface OperatorSurroundings {
  readonly now: number;
  /** Operators that are not available yet. */
  readonly unavailable: ReadonlySet<string>;
  /** The nodes that routers and the like run on: compute nodes, or the control plane where there are none. */
  readonly workers: {
    readonly ready: number;
    readonly planned: number;
    /** When the first of them became Ready, ms of the clock; null: none, or not available. */
    readonly since: number | null;
  };
}

/** What an operator can wait for. */
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
  | 'routes-closed'
  | 'well-known'
  | 'authentication'
  | 'node-not-ready'
  | 'revision'
  | 'bootstrap-member'
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

/** What an operator waits for, in words. */
export interface OperatorWait {
  readonly code: WaitCode;
  readonly waitsFor: string;
  /** It passes by itself, and has not lasted longer than it usually does. */
  readonly isNormal: boolean;
  readonly whatToDo: string;
}

interface Case {
  readonly name: string;
  /** Reasons and messages of all unhealthy conditions. */
  readonly said: string;
  /** No condition has a message: at most a reason. */
  readonly isWordless: boolean;
  readonly around: OperatorSurroundings;
}

interface Rule {
  readonly code: WaitCode;
  readonly matches: (found: Case) => boolean;
  /** For how many minutes it is normal: 0 never, Infinity always. The installer itself waits 40 minutes in all. */
  readonly minutes: number;
  /** What the message is about, in its first group. */
  readonly subject?: RegExp;
}

const NEED_WORKERS: ReadonlySet<string> = new Set([
  'ingress',
  'authentication',
  'console',
  'monitoring',
  'image-registry',
]);
const NEED_ROUTERS: ReadonlySet<string> = new Set(['authentication', 'console']);
const HOST = /https?:\/\/([a-z0-9.-]+\.apps\.[a-z0-9.-]+)/;
const says =
  (pattern: RegExp, ...names: readonly string[]) =>
  ({ name, said }: Case) =>
    (names.length === 0 || names.includes(name)) && pattern.test(said);

/**
 * The first match counts: what a person has to change comes before what passes by itself, dependencies before the operator's
 * own progress. The patterns match messages of the operators (cluster-authentication-operator, cluster-ingress-operator,
 * library-go's static pod controllers, machine-config-operator, cluster-network-operator).
 */
const RULES: readonly Rule[] = [
  { code: 'registry-removed', minutes: Infinity, matches: says(/\bRemoved\b|registry is removed/, 'image-registry') },
  {
    code: 'registry-storage',
    minutes: 0,
    matches: says(/StorageNotConfigured|storage backend not configured/, 'image-registry'),
  },
  { code: 'monitoring-config', minutes: 0, matches: says(/InvalidConfiguration/, 'monitoring') },
  {
    code: 'image-pull',
    minutes: 3,
    matches: says(/ImagePullBackOff|ErrImagePull|manifest unknown|unauthorized: (?:access|authentication)/),
  },
  { code: 'disk-full', minutes: 0, matches: says(/no space left on device/i) },
  { code: 'etcd-slow', minutes: 10, matches: says(/etcdserver: (?:request timed out|leader changed)|slow fdatasync/) },
  {
    code: 'compute',
    minutes: 60,
    matches: ({ name, said, around }) =>
      around.workers.ready === 0 && (NEED_WORKERS.has(name) || /NoReadyIngressNodes|Got 0 worker nodes/.test(said)),
  },
  { code: 'name', minutes: 0, matches: says(/no such host/), subject: /lookup ([a-z0-9.-]+)/ },
  { code: 'authority', minutes: 5, matches: says(/x509: certificate/, 'authentication', 'console', 'ingress') },
  {
    code: 'routers',
    minutes: 40,
    matches: ({ name, around }) => NEED_ROUTERS.has(name) && around.unavailable.has('ingress'),
  },
  { code: 'well-known', minutes: 30, matches: says(/well-known|WellKnown_NotReady/i, 'authentication') },
  {
    code: 'routes-closed',
    minutes: 5,
    matches: says(
      /CanaryChecks|RouteHealth|RouteEndpointAccessible|\.apps\.[a-z0-9.-]+.{0,200}?(?:EOF|refused|deadline exceeded|timeout|no route to host)/s,
      'authentication',
      'console',
      'ingress',
    ),
    subject: HOST,
  },
  {
    code: 'authentication',
    minutes: 40,
    matches: ({ name, around }) => name === 'console' && around.unavailable.has('authentication'),
  },
  {
    code: 'node-not-ready',
    minutes: 10,
    matches: says(/nodes? not ready: node "/),
    subject: /nodes? not ready: node "([a-z0-9.-]+)"/,
  },
  { code: 'bootstrap-member', minutes: 10, matches: says(/bootstrap/i, 'etcd') },
  { code: 'revision', minutes: 30, matches: says(/NodeInstaller|at revision \d|InstallerPod|GuardController/) },
  { code: 'pool', minutes: 20, matches: says(/\bpools?\b|RequiredPools/i, 'machine-config') },
  { code: 'network-broken', minutes: 5, matches: says(/CrashLoopBackOff/, 'network') },
  { code: 'crash', minutes: 5, matches: says(/CrashLoopBackOff/) },
  {
    code: 'room',
    minutes: 10,
    matches: says(
      /\d+ nodes are available|Unschedulable|untolerated taint|Insufficient (?:cpu|memory)|PodsScheduled=False/,
    ),
  },
  { code: 'daemons', minutes: 20, matches: says(/daemonset/i) },
  { code: 'samples', minutes: 40, matches: ({ name }) => name === 'openshift-samples' },
  { code: 'upload', minutes: Infinity, matches: says(/upload|unable to report|redhat\.com/i, 'insights') },
  { code: 'extension-apis', minutes: 20, matches: says(/APIServicesAvailable|apiservices?\b|is not ready: 503/i) },
  { code: 'rollout', minutes: 20, matches: says(/rollout|rolls? out|replicas?\b|deploy/i) },
  // A condition that an operator has just created is Unknown, with NoData at most (library-go, the version operator).
  { code: 'start', minutes: 20, matches: ({ said, isWordless }) => isWordless && /^(?:\s|NoData)*$/.test(said) },
  { code: 'reason-only', minutes: 15, matches: ({ isWordless }) => isWordless, subject: /(\S+)/ },
  { code: 'other', minutes: 15, matches: () => true },
];

/** As many characters of a message count in the matching: the rest repeats itself. */
const READ = 8000;

/** What an operator waits for; null for one that waits for nothing and has nothing to explain. */
export function operatorWait(operator: OperatorEvidence, around: OperatorSurroundings): OperatorWait | null {
  const { name, available, progressing, degraded, since } = operator;
  const isSettled = available && !progressing && !degraded;
  // On a platform without storage the registry is healthy and Removed: a person should know that.
  const told = operator.conditions.filter(({ type, status }) =>
    isSettled ? name === 'image-registry' && type === 'Available' : isOff(type, status),
  );
  const said = told
    .map(({ reason, message }) => `${reason} ${message}`)
    .join('\n')
    .slice(0, READ);
  const isWordless = told.every(({ message }) => message.trim() === '');
  const found: Case = { name, said, isWordless, around };
  const [removed] = RULES;
  if (isSettled) return removed?.matches(found) ? worded(removed, found, true) : null;
  const rule = RULES.find(({ matches }) => matches(found));
  if (!rule) return null;
  // Pods for compute nodes cannot start before there is one, however long they have been missing by then.
  const began = NEED_WORKERS.has(name) && rule.code !== 'compute' ? (around.workers.since ?? 0) : 0;
  const lasted = since === null ? 0 : around.now - Math.max(since, began);
  return worded(rule, found, lasted < rule.minutes * MINUTE);
}

function isOff(type: string, status: string): boolean {
  if (type === 'Available') return status !== 'True';
  return (type === 'Degraded' || type === 'Progressing') && status !== 'False';
}

function worded({ code, subject }: Rule, { name, said, around }: Case, isNormal: boolean): OperatorWait {
  const facts = { operator: name, subject: subject?.exec(said)?.[1] ?? '', ...around.workers };
  return { code, waitsFor: words()[code].waits(facts), isNormal, whatToDo: words()[code].whatToDo(facts) };
}
