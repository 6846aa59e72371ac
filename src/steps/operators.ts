import { chmod, writeFile } from 'node:fs/promises';
import { runChecks } from '../checks/check.ts';
import { canWaitSucceedLater, explainWaitExit } from '../checks/installer.ts';
import {
  deriveOperatorStates,
  deriveOperatorStatesWithRouters,
  explainOperators,
  needsAttention,
  type OperatorState,
  versionDifference,
} from '../checks/operators.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { UserErrorException } from '../i18n/user-error.ts';
import { findUnhealthyPods, listLatestEvents, listRouters } from '../kube/api.ts';
import type { ClusterVersionView } from '../kube/cluster-version.ts';
import { readRouterAuthority } from '../kube/router-authority.ts';
import { formatNodeProblems } from '../openshift/node.ts';
import type { OperatorView } from '../openshift/operator.ts';
import type { PodView } from '../openshift/pod.ts';
import { getElapsedSince, MINUTE, SECOND } from '../platform/clock.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import type { Page, Probe, Step, StepContext } from './contract.ts';
import { checkUnattendedRequests } from './shared/certificate-requests.ts';
import { checkApiConnection, openCluster, readSnapshot } from './shared/cluster-access.ts';
import {
  createWaitActions,
  type LogLine,
  readWaitState,
  tailInstallerLog,
  type WaitState,
} from './shared/installer/wait-for.ts';
import { planQuorumGuard, probeQuorumGuard, turnQuorumGuardOn } from './shared/machines/member-replacement.ts';
import { findOperatorsStart, recordReadyTimes } from './shared/machines/node-facts.ts';
import { buildPasswordPage } from './shared/password-page.ts';
import { workspace } from './shared/workspace.ts';
import { computeMean, USUAL_WAITS, type WaitPart } from './wait-progress.ts';

const pageWords = () => catalogue().operatorPages;

const MAX_EVENTS = 60;

/** Builds a page on request: `events/OPERATOR`, `authority` (which also saves the CA), or `password`. */
async function buildOperatorPage(context: StepContext, subject: string): Promise<Page> {
  if (subject === 'password') return await buildPasswordPage(context);
  if (subject === 'authority') return await buildAuthorityPage(context);
  return await buildEventsPage(context, subject.replace(/^events\//, ''));
}

async function buildEventsPage(context: StepContext, name: string): Promise<Page> {
  const title = pageWords().events.title(name);
  const [cluster, snapshot] = await Promise.all([openCluster(context), readSnapshot(context, ['operators'])]);
  if (cluster === null) return { title, lines: [pageWords().noCluster] };
  const namespaces = snapshot?.operators?.find((operator) => operator.name === name)?.namespaces ?? [];
  if (namespaces.length === 0) return { title, lines: [snapshot?.api.line ?? pageWords().events.noNamespaces] };
  const events = await listLatestEvents(cluster, namespaces, MAX_EVENTS);
  const now = context.clock.now();
  const lines = events.flatMap(({ lastSeenAt, type, reason, object, count, message }) => [
    pageWords().events.line(
      lastSeenAt === null ? '' : catalogue().screens.age(Math.max(0, now - lastSeenAt)),
      type,
      reason,
      object,
      count,
    ),
    ...message.split('\n').map((part) => `    ${part}`),
  ]);
  const subtitle = pageWords().events.scope(namespaces.join(', '));
  return { title, lines: events.length === 0 ? [subtitle, '', pageWords().events.none] : [subtitle, '', ...lines] };
}

/**
 * Builds the page about the CA of the routers. Saves the CA, which is public, readable for all: you copy it to the
 * machines where browsers run.
 */
async function buildAuthorityPage(context: StepContext): Promise<Page> {
  const { title, notYet, saved, certificate, fingerprint, count, copy, how } = pageWords().authority;
  const cluster = await openCluster(context);
  const authority = cluster && (await readRouterAuthority(cluster));
  if (!authority) return { title, lines: [cluster ? notYet : pageWords().noCluster] };
  const path = workspace(context.dir).consoleAuthority;
  await writeFile(path, authority.pem);
  // Independent of the umask, and of the mode of an earlier file.
  await chmod(path, 0o644);
  return {
    title,
    lines: [
      saved(path),
      ...authority.certificates.flatMap((block) => [
        `  ${certificate(block.subject, new Date(block.notAfter).toISOString().slice(0, 10))}`,
        `  ${fingerprint(block.fingerprint)}`,
      ]),
      '',
      count(authority.certificates.length),
      `  ${copy(path)}`,
      ...how.map((line) => `- ${line}`),
    ],
  };
}

/**
 * Pods are many and large: they are read only for operators that are unavailable or degraded, in few namespaces, and
 * rarely.
 */
const MAX_NAMESPACES = 10;
const POD_READ_INTERVAL_MS = 15 * SECOND;

/** Lists the unhealthy pods in the namespaces of the operators that are unavailable or degraded. */
async function listUnhealthyOperatorPods(
  context: StepContext,
  operators: readonly OperatorView[],
): Promise<readonly PodView[]> {
  const { probeCache, clock } = context;
  const unhealthyOperators = operators.filter(({ available, degraded }) => !available || degraded);
  const namespaces = [...new Set(unhealthyOperators.flatMap((operator) => operator.namespaces))]
    .sort()
    .slice(0, MAX_NAMESPACES);
  const namespacesKey = namespaces.join(' ');
  const cachedPods = probeCache.unhealthyPods;
  if (namespaces.length === 0) {
    probeCache.unhealthyPods = null;
    return [];
  }
  if (cachedPods?.namespacesKey === namespacesKey && getElapsedSince(clock, cachedPods.at) < POD_READ_INTERVAL_MS)
    return cachedPods.pods;
  try {
    const cluster = await openCluster(context);
    const pods = cluster === null ? [] : await findUnhealthyPods(cluster, namespaces);
    probeCache.unhealthyPods = { at: clock.now(), namespacesKey, pods };
    return pods;
  } catch (error) {
    // The operators were readable a moment ago: the pods of the previous read are better than none.
    if (error instanceof UserErrorException) return cachedPods?.namespacesKey === namespacesKey ? cachedPods.pods : [];
    throw error;
  }
}

const words = () => catalogue().steps.operators;

/**
 * Data for the operators screen. `wait` and `log` belong to the installer's own wait-for; `apiDetail` describes a
 * problem of the API in one line, null: none.
 */
export interface OperatorsView {
  readonly clusterVersion: ClusterVersionView | null;
  /** The most urgent first. */
  readonly operators: readonly OperatorState[];
  readonly consoleUrl: string | null;
  readonly wait: WaitState['state'];
  readonly log: readonly LogLine[];
  readonly apiDetail: string | null;
}

const waitActions = createWaitActions(
  'install-complete',
  () => words().start,
  () => words().startEffect,
);

/**
 * Waits until the cluster is complete: all operators are in their target state, and the installer has confirmed it.
 * After the replacement of a member of etcd it also turns the quorum guard on again.
 */
export const operatorsStep: Step<OperatorsView> = {
  id: 'operators',
  probeIntervalMs: 3 * SECOND,
  timeoutMs: 60 * MINUTE,
  probe,
  async plan(context, currentProbe) {
    return (await probeQuorumGuard(context)) === 'turn-on'
      ? planQuorumGuard()
      : await waitActions.plan(context, currentProbe);
  },
  async apply(context, report, plan) {
    if ((await probeQuorumGuard(context)) === 'turn-on') await turnQuorumGuardOn(context, report);
    else await waitActions.apply(context, report, plan);
  },
  verify: probe,
  buildPage: buildOperatorPage,
};

async function probe(context: StepContext): Promise<Probe<OperatorsView>> {
  const [snapshot, wait, log] = await Promise.all([
    readSnapshot(context, ['nodes', 'requests', 'clusterVersion', 'operators', 'consoleHost']),
    readWaitState(context, 'install-complete'),
    tailInstallerLog(context, 100),
  ]);
  recordReadyTimes(context, snapshot?.nodes ?? []);
  const observedOperators = snapshot?.operators ?? [];
  const pods = await listUnhealthyOperatorPods(context, observedOperators);
  const { design, clock } = context;
  const operators = await deriveOperatorStatesWithRouters(
    (routers) => deriveOperatorStates(design, observedOperators, snapshot?.nodes ?? [], pods, routers, clock.now()),
    async () => {
      const cluster = await openCluster(context);
      return cluster && (await listRouters(cluster));
    },
  );
  const version = snapshot?.clusterVersion ?? null;
  const clusterFindings = [
    ...checkUnattendedRequests(context, snapshot),
    ...runChecks([versionDifference], {
      designVersion: context.design.openshift.version,
      clusterVersion: version?.version ?? null,
    }),
  ];
  const consoleUrl = snapshot?.consoleHost ? `https://${snapshot.consoleHost}` : null;
  const apiDetail = snapshot?.api.line ?? null;
  const progress = deriveOperatorProgress(context, operators);
  const isLate = operators.some(needsAttention);
  const view: OperatorsView = { clusterVersion: version, operators, consoleUrl, wait: wait.state, log, apiDetail };
  const healthyCount = operators.filter(({ state }) => state === 'fine').length;
  const areAllAvailable = operators.every(({ available, degraded }) => available && !degraded);
  const isInstalled = version?.available && !version.progressing && !version.failing;
  // The installer decides, and it ignores whether an operator is degraded: it waits for the ClusterVersion, and from
  // 4.15 on until nothing progresses (waitfor.go). Degraded operators are reported then, and nothing waits for them.
  if (version?.available && wait.state === 'complete') {
    const unhealthyOperators = operators.filter(({ available, degraded }) => !available || degraded);
    const guardState = await probeQuorumGuard(context);
    if (guardState !== null) {
      const findings = [...clusterFindings, ...explainOperators(unhealthyOperators, true)];
      return {
        state: guardState === 'turn-on' ? 'needed' : 'waiting',
        summary: words().guard[guardState],
        view,
        findings,
      };
    }
    const isNodeLost = unhealthyOperators.some(({ wait }) => wait?.code === 'node-lost');
    const summary = words().done(
      consoleUrl ?? words().consoleUnknown,
      unhealthyOperators.length,
      formatNodeProblems(snapshot?.nodes ?? []).map((line) => sanitizeLine(line, 100)),
    );
    return {
      state: 'done',
      summary,
      ...(isNodeLost ? { awaitsRepair: true } : {}),
      view,
      findings: [...clusterFindings, ...explainOperators(unhealthyOperators, true)],
    };
  }
  const findings = [
    ...clusterFindings,
    ...explainOperators(operators.filter(needsAttention), false),
    ...checkApiConnection(snapshot),
  ];
  const stableCount = operators.filter(({ stability }) => stability === 'stable').length;
  const summary =
    isInstalled && areAllAvailable
      ? words().stabilizing(stableCount, operators.length)
      : words().waiting(version?.percent ?? null, healthyCount, operators.length);
  if (wait.state === 'none') {
    return {
      state: 'needed',
      summary: isInstalled && areAllAvailable ? words().toConfirm(operators.length) : words().needed,
      progress,
      isLate,
      view,
      findings,
    };
  }
  if (wait.state === 'gave-up') {
    // The end of the wait no longer counts once none of its possible causes is observed any more.
    const isRepaired = version?.failing === false && operators.length > 0 && !isLate && canWaitSucceedLater(wait, log);
    return {
      state: 'needed',
      summary: isRepaired ? words().repaired : words().gaveUp(summary),
      progress,
      isLate,
      view,
      findings: isRepaired ? findings : [...findings, ...explainWaitExit(wait, log, 'operators')],
    };
  }
  return { state: 'waiting', summary, progress, isLate, view, findings };
}

/** An operator that is available is nearly done: the installer waits until it has not been progressing for 30 s. */
const AVAILABLE_SHARE = 0.9;

/** Derives the progress of the operators, which take 30 to 60 minutes from `findOperatorsStart`. */
function deriveOperatorProgress(context: StepContext, operators: readonly OperatorState[]): readonly WaitPart[] {
  const shares = operators.map(({ available, degraded, stability }) =>
    available && !degraded ? (stability === 'stable' ? 1 : AVAILABLE_SHARE) : 0,
  );
  const startedAt = findOperatorsStart(context);
  return [{ usualMinutes: USUAL_WAITS.operators, share: computeMean(shares), startedAt }];
}
