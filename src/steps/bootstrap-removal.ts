import { runChecks } from '../checks/check.ts';
import { assessRemoval, type BalancerEvidence, REMOVAL_CHECKS, type RemovalProof } from '../checks/service-hosts.ts';
import { listNodesWithRole, listServiceHosts } from '../design/derived-facts.ts';
import { runOverSsh } from '../host/ssh.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { UserErrorException } from '../i18n/user-error.ts';
import { findProgram } from '../installer/programs.ts';
import { MINUTE, SECOND, startWaitTimer } from '../platform/clock.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { redact } from '../platform/secrets.ts';
import { bootstrapStep } from './bootstrap.ts';
import type { PlannedChange, Probe, Step, StepContext } from './contract.ts';
import { hasReachedStage } from './shared/hosts/current-stage.ts';
import { copyToHost } from './shared/hosts/host-command.ts';
import { recordHostFiles } from './shared/hosts/host-file-records.ts';
import {
  applyStage,
  areLoadBalancersOutdated,
  installLoadBalancerFiles,
  listStageInstructions,
  planStageChanges,
  probeLoadBalancers,
  writeStage,
} from './shared/hosts/load-balancer.ts';
import { isStageDone } from './shared/installer/bootstrap-progress.ts';

const remoteInstallWords = () => catalogue().steps.removal.overSsh;
const SSH_PORT = 22;

/** Number of lines at the end of a failed script's output that the error contains. */
const MAX_ERROR_LINES = 4;

/**
 * Copies the files of a host to it and runs its install.sh as root. The SSH login is that of the user's SSH
 * configuration: root, or a user with passwordless sudo. The script checks the files with their programs before it uses
 * them, and restores the old ones on failure.
 * @throws UserErrorException `ssh-…`, `install-failed` with the last lines
 */
async function installOverSsh(context: StepContext, name: string, report: (line: string) => void): Promise<void> {
  await copyToHost(context, name, report);
  const address = listServiceHosts(context.design).find((host) => host.name === name)?.ip[0] ?? name;
  const { host, port } = context.resolveEndpoint(address, SSH_PORT);
  const script = `upi-wizard/${name}/root/upi-wizard/install.sh`;
  const output: string[] = [];
  report(remoteInstallWords().running(name));
  const { exitCode } = await runOverSsh({
    program: (await findProgram('ssh', [])) ?? 'ssh',
    target: { host, port: port === SSH_PORT ? null : port, user: null, options: [] },
    command: `exec 2>&1; if [ "$(id -u)" = 0 ]; then bash ${script}; else sudo -n bash ${script}; fi`,
    signal: context.signal,
    onLine: (line) => {
      const safeLine = sanitizeLine(redact(line), 300);
      output.push(safeLine);
      report(`${name}: ${safeLine}`);
    },
  });
  if (exitCode !== 0) {
    throw new UserErrorException({
      code: 'install-failed',
      title: remoteInstallWords().failed(name, exitCode),
      cause: output.slice(-MAX_ERROR_LINES).join(' / ') || remoteInstallWords().noOutput,
      remedy: remoteInstallWords().failedFix(name, address),
    });
  }
  recordHostFiles(context, [name]);
}

const words = () => catalogue().steps.removal;

/**
 * Time (ms) for which the probe of a bootstrap that is recorded as complete may fail before the removal fails: the API
 * may be briefly unavailable.
 */
const API_OUTAGE_TIMEOUT_MS = 2 * MINUTE;
const MIN_PROBES = 10;

/**
 * Data for the screen. `changes`: removals from the files of the load balancers, empty once they are written.
 * `bootstrap`: the node's short name, null if there is none.
 */
export interface RemovalView {
  readonly changes: readonly PlannedChange[];
  readonly bootstrap: string | null;
  /**
   * State of the load balancers' pools; empty until the bootstrap node is removed from the files, and for external load
   * balancers.
   */
  readonly balancers: readonly BalancerEvidence[];
  /**
   * Names of the load balancers that can be set up over SSH now, for the question; null if there are none or it is too
   * early.
   */
  readonly sshBalancerNames: string | null;
}

/** Removes the bootstrap node from the load balancer as soon as that is safe, and not before. */
export const bootstrapRemovalStep: Step<RemovalView> = {
  id: 'bootstrap-removal',
  probeIntervalMs: 3 * SECOND,
  timeoutMs: 10 * MINUTE,
  probe,
  async plan(context) {
    return {
      changes: await listPendingChanges(context),
      isDangerous: true,
      instructions: listStageInstructions(context),
    };
  },
  async apply(context, report) {
    if (!hasReachedStage(context, 'bootstrap-removed')) {
      await assertBootstrapComplete(context, report);
      await applyStage(context, 'bootstrap-removed', report);
    } else if (areLoadBalancersOutdated(context)) {
      await installLoadBalancerFiles(context, report);
    }
    for (const { name } of listNodesWithRole(context.design, 'bootstrap')) {
      report(words().powerOff(name));
      await context.manualActions.powerOff(name);
    }
  },
  /**
   * Installs the files over SSH on every load balancer except this machine, one after the other: the API stays
   * reachable through the others.
   */
  async applyOne(context, _target, report) {
    if (!hasReachedStage(context, 'bootstrap-removed')) {
      await assertBootstrapComplete(context, report);
      await writeStage(context, 'bootstrap-removed', report);
    }
    for (const name of listRemoteBalancers(context)) {
      context.signal.throwIfAborted();
      await installOverSsh(context, name, report);
    }
  },
  verify: probe,
  async undo(context, _subject, report) {
    await applyStage(context, 'install', report);
  },
};

function listPendingChanges(context: StepContext): Promise<PlannedChange[]> {
  return hasReachedStage(context, 'bootstrap-removed')
    ? Promise.resolve([])
    : planStageChanges(context, 'bootstrap-removed');
}

function listRemoteBalancers({ design, manualActions }: StepContext): string[] {
  if (!manualActions.canLogIn) return [];
  const { bastion, loadBalancer } = design.services;
  return loadBalancer.servers.map(({ name }) => name).filter((name) => name !== bastion.name);
}

/**
 * Asserts, after the user's answer, that the bootstrap is still complete: the state may have changed since the
 * question. While the bootstrap control plane shuts down, the API may be unavailable for a moment: one failed probe
 * proves nothing.
 */
async function assertBootstrapComplete(context: StepContext, report: (line: string) => void): Promise<void> {
  const { clock, signal } = context;
  const waitTimer = startWaitTimer(clock);
  report(words().checkingBootstrap);
  let bootstrapProbe = await bootstrapStep.probe(context);
  while (
    bootstrapProbe.state !== 'done' &&
    isStageDone(context, 'complete') &&
    !waitTimer.isOverAfterProbe(API_OUTAGE_TIMEOUT_MS, MIN_PROBES)
  ) {
    report(bootstrapProbe.summary);
    await clock.sleep(2 * SECOND, signal);
    bootstrapProbe = await bootstrapStep.probe(context);
  }
  if (bootstrapProbe.state === 'done') return;
  const texts = catalogue().diagnosis.hosts['bootstrap-needed'];
  throw new UserErrorException({ code: 'bootstrap-needed', ...texts, cause: bootstrapProbe.summary });
}

async function probe(context: StepContext): Promise<Probe<RemovalView>> {
  const bootstrap = listNodesWithRole(context.design, 'bootstrap')[0] ?? null;
  const changes = await listPendingChanges(context);
  const emptyView: RemovalView = { changes, bootstrap: bootstrap?.name ?? null, balancers: [], sshBalancerNames: null };
  if (bootstrap === null) return { state: 'done', summary: words().nothing, view: emptyView, findings: [] };
  if (!hasReachedStage(context, 'bootstrap-removed')) {
    const bootstrapProbe = await bootstrapStep.probe(context);
    // An earlier probe found the bootstrap complete, so this failure is temporary: the API is briefly unavailable, or
    // the last condition does not hold for a moment.
    if (bootstrapProbe.state !== 'done' && isStageDone(context, 'complete'))
      return { state: 'waiting', summary: bootstrapProbe.summary, view: emptyView, findings: [] };
    if (bootstrapProbe.state !== 'done') {
      const evidence = { bootstrap: bootstrap.name, waitsFor: bootstrapProbe.summary, balancers: [] };
      const { title } = catalogue().diagnosis.hosts['bootstrap-needed'];
      return { state: 'blocked', summary: title, view: emptyView, findings: runChecks(REMOVAL_CHECKS, evidence) };
    }
    return {
      state: 'needed',
      summary: words().needed,
      view: { ...emptyView, sshBalancerNames: formatSshBalancerNames(context) },
      findings: [],
    };
  }
  const proof = await probeLoadBalancers(context);
  const { state, summary, findings } = evaluateRemovalProof(proof, bootstrap.name);
  const isPending = state !== 'done';
  // The wizard ended after it wrote the files, and before the load balancers got them.
  if (isPending && areLoadBalancersOutdated(context))
    return { state: 'needed', summary: words().needed, view: { ...emptyView, balancers: proof.balancers }, findings };
  return {
    state,
    summary,
    findings,
    view: {
      ...emptyView,
      balancers: proof.balancers,
      sshBalancerNames: isPending ? formatSshBalancerNames(context) : null,
    },
  };
}

function formatSshBalancerNames(context: StepContext): string | null {
  return listRemoteBalancers(context).join(', ') || null;
}

/**
 * Evaluates the proof of the running load balancers: their own status, or answers through them while the bootstrap's
 * ports are closed.
 */
function evaluateRemovalProof(
  proof: RemovalProof,
  bootstrap: string,
): Pick<Probe<RemovalView>, 'state' | 'summary' | 'findings'> {
  const findings = runChecks(REMOVAL_CHECKS, { bootstrap, waitsFor: null, balancers: proof.balancers });
  const [firstFinding] = findings;
  if (firstFinding) return { state: 'waiting', summary: firstFinding.title, findings };
  switch (assessRemoval(proof)) {
    case 'out':
      return { state: 'done', summary: words().done, findings };
    case 'still-on':
      return { state: 'done', summary: words().doneNotPoweredOff(bootstrap), findings };
    case 'no-answer':
      return { state: 'waiting', summary: words().verifyFailed, findings };
    case 'unproven':
      return { state: 'waiting', summary: words().unconfirmed(bootstrap), findings };
  }
}
