import { type Finding, listProblems } from '../../checks/check.ts';
import { checkJoin } from '../../checks/joining.ts';
import { nodeFqdn, nodesWithRole } from '../../design/derived-facts.ts';
import type { DesignNode } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';

import type { Snapshot } from '../../kube/snapshot.ts';
import type { Probe, StepContext } from '../contract.ts';
import { checkApiConnection, readSnapshot } from '../shared/cluster-access.ts';
import { type BootView, probeBoot } from '../shared/machines/boot-progress.ts';
import { isServerRunning, startBootServerJob } from '../shared/machines/boot-server-job.ts';
import { revokeIgnitionAccess } from '../shared/machines/ignition-access.ts';
import {
  getReinstalledAt,
  listWorkerMachines,
  markReinstalled,
  unmarkReinstalled,
  wasEverReady,
} from '../shared/machines/node-facts.ts';
import { gatherJoinEvidence } from './node-join-evidence.ts';

const words = () => catalogue().steps.boot;

/** Lists the machines of the nodes that have not joined the running cluster yet, in the order of the design. */
export async function listJoiningMachines(context: StepContext): Promise<readonly DesignNode[]> {
  return (await watchJoiningMachines(context)).machines;
}

/**
 * Watches the machines of the nodes that have not joined yet: those without a Node object, and those that the user
 * reported as reinstalled and that have not rejoined. While the API is down: those that were never observed Ready.
 */
async function watchJoiningMachines(context: StepContext) {
  const later = listWorkerMachines(context.design);
  const [snapshot, boot] = await Promise.all([readSnapshot(context, ['nodes']), probeBoot(context, later)]);
  const clusterNodes = snapshot?.nodes ? new Set(snapshot.nodes.map(({ name }) => name)) : null;
  const isJoining = new Map(
    boot.view.nodes.map(({ name, stage }) => {
      const isInCluster = clusterNodes?.has(nodeFqdn(context.design, { name })) ?? wasEverReady(context, name);
      return [name, stage !== 'ready' && (!isInCluster || getReinstalledAt(context, name) !== null)];
    }),
  );
  return {
    snapshot,
    machines: later.filter(({ name }) => isJoining.get(name)),
    view: { ...boot.view, nodes: boot.view.nodes.filter(({ name }) => isJoining.get(name)) },
    findings: boot.findings.filter(({ subject }) => subject === null || isJoining.get(subject) !== false),
  };
}

/** Probes the nodes that join and, before they are powered on, checks whether they can. */
export async function probeNodeJoin(context: StepContext): Promise<Probe<BootView>> {
  const { snapshot, machines, view, findings } = await watchJoiningMachines(context);
  if (machines.length === 0) return await buildJoinedProbe(context, snapshot);
  const off = view.nodes.filter(({ poweredOnAt, stage }) => poweredOnAt === null && stage === 'off');
  if (off.length > 0) {
    const names = new Set(off.map(({ name }) => name));
    const evidence = await gatherJoinEvidence(
      context,
      machines.filter(({ name }) => names.has(name)),
      snapshot,
    );
    return buildPreflightProbe(view, off.length, checkJoin(evidence));
  }
  const fetchedCount = view.nodes.filter(({ stage }) => stage === 'ignition').length;
  if (fetchedCount === machines.length)
    return { state: 'done', summary: words().allFetched(machines.length), view, findings: [] };
  const found = [...findings, ...checkApiConnection(snapshot)];
  if (!(await isServerRunning(context)))
    return { state: 'needed', summary: words().serverStopped, view, findings: found };
  return { state: 'waiting', summary: words().waiting(fetchedCount, machines.length), view, findings: found };
}

async function buildJoinedProbe(context: StepContext, snapshot: Snapshot | null): Promise<Probe<BootView>> {
  const later = listWorkerMachines(context.design);
  const { view } = await probeBoot(context, [...nodesWithRole(context.design, 'control-plane'), ...later]);
  return { state: 'done', summary: words().joined(later.length), view, findings: checkApiConnection(snapshot) };
}

function buildPreflightProbe(view: BootView, off: number, results: readonly Finding[]): Probe<BootView> {
  const checks = results.toSorted((a, b) => RANK[a.state] - RANK[b.state]);
  const findings = listProblems(checks);
  const isBlocked = findings.some(({ severity }) => severity === 'fatal');
  const unknown = checks.filter(({ state }) => state === 'unknown').length;
  const checkSummary = words().preflight({ failed: findings.length, unknown, all: checks.length });
  const summary = `${words().needed(off)}; ${checkSummary}`;
  return {
    state: isBlocked ? 'blocked' : 'needed',
    summary,
    view: { ...view, checks },
    findings,
  };
}

/**
 * Checks once more just before the machines are powered on.
 * @returns a summary line
 * @throws UserErrorException of the first failed check that must pass
 */
export async function assertReady(context: StepContext): Promise<string> {
  const { state, summary, findings } = await probeNodeJoin(context);
  const [first] = findings;
  if (state !== 'blocked' || !first) return summary;
  const { code, title, cause, remedy } = first;
  throw new UserErrorException({ code, title, cause, remedy });
}

const RANK = { failed: 0, pending: 1, unknown: 2, ok: 3 } as const;

/**
 * Handles the user's report that the machine of a node was reinstalled: it is treated as new, and its address may fetch
 * the ignition file again. A second report, before the machine has requested anything, undoes the first. Changes
 * nothing in the cluster.
 * @throws UserErrorException `not-joining` for a node that does not join later
 */
export async function reinstallNode(context: StepContext, name: string, report: (line: string) => void): Promise<void> {
  const machine = listWorkerMachines(context.design).find((node) => node.name === name);
  if (!machine) throw new UserErrorException({ code: 'not-joining', ...words().notReinstallable(name) });
  const { view } = await probeBoot(context, [machine]);
  if (view.nodes[0]?.isReplaced) {
    unmarkReinstalled(context, name);
    await revokeIgnitionAccess(context);
    return report(words().reinstallUnmarked(name));
  }
  markReinstalled(context, name);
  await startBootServerJob(context, report);
  report(words().reinstallMarked(name));
}
