import { isTftpServer } from '../../../artifacts/network/firewall.ts';
import { convertErrorToFinding, type Finding } from '../../../checks/check.ts';
import type { SiteCheckId } from '../../../checks/site/index.ts';
import type { ServiceHost } from '../../../design/model.ts';
import { type RunnerHost, runOnHost } from '../../../host/host-run.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { SECOND } from '../../../platform/clock.ts';
import { checkSite } from '../../check/index.ts';
import type { StepContext } from '../../contract.ts';
import { generateStage } from '../../shared/files/stage-output.ts';
import { getCurrentStage } from '../../shared/hosts/current-stage.ts';
import {
  forgetHostFiles,
  forgetInstallation,
  recordHostFiles,
  recordInstallation,
} from '../../shared/hosts/host-file-records.ts';
import { listHostRoles } from '../../shared/hosts/host-roles.ts';
import {
  followRun,
  type HostEvent,
  type HostPlan,
  parseHostPlan,
  parseRunStatus,
  type RunEnd,
  type RunStatus,
  retryOverLostConnection,
} from './follow.ts';
import { createEventRecorder, isHostRestored, refreshUnits, stopFollowing } from './run-hosts.ts';
import { locateRunner } from './runner-location.ts';

/**
 * Ids of the checks that a host passes once its files are in place, by role. None needs a node, an image or the
 * internet.
 */
const DNS_CHECK_IDS: readonly SiteCheckId[] = [
  'dns-server',
  'dns-tcp',
  'dns-api',
  'dns-api-int',
  'dns-apps-wildcard',
  'dns-nodes',
  'dns-hosts',
  'dns-reverse',
  'dns-reverse-others',
  'dns-no-cluster-wildcard',
];
const LOAD_BALANCER_CHECK_IDS: readonly SiteCheckId[] = ['lb-listens', 'lb-members'];
const DHCP_CHECK_IDS: readonly SiteCheckId[] = ['dhcp-server', 'dhcp-leases', 'dhcp-gateway', 'dhcp-boot'];
const TFTP_CHECK_IDS: readonly SiteCheckId[] = ['tftp'];

/** Runs the checks of one host: those of its roles, from here. Changes nothing. */
export async function checkHost(context: StepContext, host: ServiceHost): Promise<readonly Finding[]> {
  const roles = listHostRoles(context.design, host.name);
  return await runHostChecks(context, host, [
    ...(roles.includes('DNS') ? DNS_CHECK_IDS : []),
    ...(roles.includes('LB') ? LOAD_BALANCER_CHECK_IDS : []),
    ...listBootCheckIds(context, host),
  ]);
}

/** Runs the checks of what a host offers to machines that boot: DHCP and TFTP. Changes nothing. */
export async function checkBootServices(context: StepContext, host: ServiceHost): Promise<readonly Finding[]> {
  return await runHostChecks(context, host, listBootCheckIds(context, host));
}

function listBootCheckIds({ design }: StepContext, host: ServiceHost): readonly SiteCheckId[] {
  return [
    ...(listHostRoles(design, host.name).includes('DHCP') ? DHCP_CHECK_IDS : []),
    ...(isTftpServer(design, host) ? TFTP_CHECK_IDS : []),
  ];
}

async function runHostChecks(context: StepContext, host: ServiceHost, only: readonly SiteCheckId[]) {
  const results = only.length === 0 ? [] : await checkSite(context, { only, host });
  return results.map(({ finding }) => finding);
}

/** Lists the services of a host that do not run there, as findings. */
export function listStoppedUnits(name: string, { units }: Pick<HostPlan, 'units'>): readonly Finding[] {
  return units
    .filter(({ isActive }) => !isActive)
    .map(({ name: unit }) => ({
      ...convertErrorToFinding({ code: 'host-service', ...catalogue().hosts.unitStopped(unit, name) }),
      subject: name,
    }));
}

/** Selects the failed findings: because of them, the changes should be reverted. */
export function filterFailed(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ state }) => state === 'failed');
}

/**
 * Time after which a change that could cut off the wizard or the cluster is reverted unless it is confirmed, in
 * seconds.
 */
const REVERT_AFTER_SECONDS = 120;

/** Pause between two rounds of checks. */
const CHECK_INTERVAL = 2 * SECOND;

/** Kinds of files in which an error may cut off the wizard or the cluster. */
const CRITICAL_KINDS = new Set([
  'bind-conf',
  'bind-zone',
  'haproxy',
  'keepalived',
  'isc-dhcpd',
  'kea-dhcp4',
  'firewall',
]);

interface RunOptions {
  readonly onEvent: (event: HostEvent) => void;
  /** Seconds; default `REVERT_AFTER_SECONDS`. */
  readonly revertAfterSeconds?: number;
}

/**
 * Runs `install.sh` on a host in the background, reports its progress, and runs the checks of that host. The host
 * itself reverts a change that could cut off the wizard or the cluster, unless the checks pass in time. Only then is
 * the run confirmed. A run that is found running or unconfirmed is continued.
 * @param shownPlan the plan of the host as it was shown
 * @throws UserErrorException `ssh-…`, `host-…` if it cannot be started
 */
export async function applyToHost(
  context: StepContext,
  host: ServiceHost,
  shownPlan: HostPlan | null,
  { onEvent, revertAfterSeconds = REVERT_AFTER_SECONDS }: RunOptions,
): Promise<RunEnd> {
  return await runAndRecord(context, host, onEvent, async (runner, record) => {
    const end = await runAndVerify(context, host, runner, shownPlan, { onEvent: record, revertAfterSeconds });
    if (end.kind === 'confirmed') recordInstallation(context, host.name);
    if (end.kind === 'same') recordHostFiles(context, [host.name]);
    if (end.kind === 'reverted' || end.kind === 'failed') forgetHostFiles(context, host.name);
    await refreshUnits(context, host.name);
    return end;
  });
}

/** Runs an action on a host, records its events while this process follows the action, and reports the end. */
async function runAndRecord(
  context: StepContext,
  { name }: ServiceHost,
  onEvent: RunOptions['onEvent'],
  run: (runner: RunnerHost, record: RunOptions['onEvent']) => Promise<RunEnd>,
): Promise<RunEnd> {
  const record = createEventRecorder(context, name, onEvent);
  try {
    const end = await run(locateRunner(context, name), record);
    record({ type: 'ended', end });
    return end;
  } finally {
    stopFollowing(context, name);
  }
}

async function runAndVerify(
  context: StepContext,
  host: ServiceHost,
  runner: RunnerHost,
  shownPlan: HostPlan | null,
  { onEvent, revertAfterSeconds }: Required<RunOptions>,
): Promise<RunEnd> {
  const { signal } = context;
  const status = await readRunStatus(context, runner, onEvent);
  const isUnconfirmed = status.outcome === 'open';
  if (!status.isRunning && !isUnconfirmed && shownPlan !== null && shownPlan.changes.length === 0)
    return { kind: 'same' };
  const seconds = shownPlan !== null && !(await canCutOff(context, host.name, shownPlan)) ? 0 : revertAfterSeconds;
  if (!status.isRunning && !isUnconfirmed) await runOnHost(runner, ['start', 'install', String(seconds)], { signal });
  onEvent({
    type: 'began',
    action: status.isRunning ? status.action : 'install',
    isContinued: status.isRunning || isUnconfirmed,
    revertAfterSeconds: seconds,
  });
  if (status.isRunning || !isUnconfirmed) {
    const { exitCode, lastLine } = await followRun(
      { clock: context.clock, signal, revertAfterSeconds: seconds },
      runner,
      onEvent,
    );
    // Exit code null: the run was killed or its host was rebooted, and it has not reverted itself yet.
    if (exitCode !== null && exitCode !== 0) return { kind: 'failed', reason: lastLine };
    if (status.isRunning && status.action === 'undo') return { kind: 'undone' };
  }
  return await verifyAndConfirm(context, host, runner, shownPlan, { onEvent, revertAfterSeconds: seconds });
}

/** Whether an error in the changes could cut off the wizard or the cluster. */
async function canCutOff(context: StepContext, name: string, { changes }: HostPlan): Promise<boolean> {
  const { files } = await generateStage(context, getCurrentStage(context));
  const criticalPaths = new Set(
    files.filter(({ host, kind }) => host === name && CRITICAL_KINDS.has(kind)).map(({ path }) => path),
  );
  return changes.some(({ kind, subject }) => kind === 'firewall' || criticalPaths.has(subject));
}

async function readRunStatus(
  context: StepContext,
  runner: RunnerHost,
  onEvent: RunOptions['onEvent'],
  revertAfterSeconds = 0,
): Promise<RunStatus> {
  const { clock, signal } = context;
  return parseRunStatus(
    await retryOverLostConnection({ clock, signal, revertAfterSeconds }, onEvent, () =>
      runOnHost(runner, ['status'], { signal }),
    ),
  );
}

/**
 * Repeats the checks until they pass, then confirms the run. If they never pass, waits until the host has reverted the
 * run, and probes the host.
 */
async function verifyAndConfirm(
  context: StepContext,
  host: ServiceHost,
  runner: RunnerHost,
  shownPlan: HostPlan | null,
  { onEvent, revertAfterSeconds }: Required<RunOptions>,
): Promise<RunEnd> {
  const { clock, signal } = context;
  let failure = '';
  // The failure of the last checks. It counts only if a later status shows that the run was still in place.
  let lastFailure = '';
  for (;;) {
    // Reading the status opens a new connection: if the changes have cut off the host, this counts as a failed check.
    const status = await readRunStatus(context, runner, onEvent, revertAfterSeconds);
    if (status.outcome === null) return { kind: 'lost' };
    if (status.outcome === 'revert-failed') return { kind: 'stuck', reason: failure || lastFailure };
    if (status.outcome === 'reverted')
      return {
        kind: 'reverted',
        reason: status.wasHostRebooted ? catalogue().hosts.progress.rebootedBeforeConfirmation : failure || lastFailure,
        isRestored: await isHostRestored(context, runner, shownPlan, onEvent),
      };
    failure = lastFailure;
    const failedTitles = filterFailed(await checkHost(context, host)).map(({ title }) => title);
    signal.throwIfAborted();
    lastFailure = failedTitles[0] ?? lastFailure;
    onEvent({ type: 'checking', failedChecks: failedTitles, secondsLeft: status.secondsLeft });
    if (failedTitles.length === 0) {
      if (status.outcome === 'confirmed') return { kind: 'confirmed' };
      const output = await retryOverLostConnection(context, onEvent, () => runOnHost(runner, ['confirm'], { signal }));
      if (output.includes('outcome\tconfirmed')) return { kind: 'confirmed' };
      failure = lastFailure = catalogue().hosts.progress.confirmedTooLate;
      continue;
    }
    if (status.outcome === 'confirmed') return { kind: 'unproven', reason: lastFailure };
    await clock.sleep(CHECK_INTERVAL, signal);
  }
}

/**
 * Restores everything on a host as it was before the first run; packages stay.
 * @param overwrites whether to restore files that were edited since as well
 */
export async function undoOnHost(
  context: StepContext,
  host: ServiceHost,
  { onEvent, overwrites }: { readonly onEvent: RunOptions['onEvent']; readonly overwrites: boolean },
): Promise<RunEnd> {
  return await runAndRecord(context, host, onEvent, async (runner, record) => {
    const end = await undoAndVerify(context, runner, overwrites, record);
    if (end.kind === 'undone') forgetInstallation(context, host.name);
    context.probeCache.hostUnits.delete(host.name);
    return end;
  });
}

async function undoAndVerify(
  context: StepContext,
  runner: RunnerHost,
  overwrites: boolean,
  onEvent: RunOptions['onEvent'],
): Promise<RunEnd> {
  const { signal } = context;
  const status = await readRunStatus(context, runner, onEvent);
  if (!status.isRunning) await runOnHost(runner, ['start', 'undo', ...(overwrites ? ['--all'] : [])], { signal });
  onEvent({
    type: 'began',
    action: status.isRunning ? status.action : 'undo',
    isContinued: status.isRunning,
    revertAfterSeconds: 0,
  });
  const { exitCode, lastLine } = await followRun(context, runner, onEvent);
  const remainingPlan = parseHostPlan(
    await retryOverLostConnection(context, onEvent, () => runOnHost(runner, ['undo-plan'], { signal })),
  );
  return exitCode === 0 && remainingPlan.changes.length === 0
    ? { kind: 'undone' }
    : { kind: 'failed', reason: lastLine };
}
