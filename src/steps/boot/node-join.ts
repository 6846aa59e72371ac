import { existsSync } from 'node:fs';
import { listImageFiles } from '../../artifacts/boot/images.ts';
import type { GeneratedFile } from '../../artifacts/generate.ts';
import { imagePath, nodeScriptPath } from '../../artifacts/shared/generator.ts';
import { listProblems } from '../../checks/causes/explain.ts';
import type { Finding } from '../../checks/check.ts';
import { checkJoin, type JoinCandidate, type JoinEvidence } from '../../checks/joining.ts';
import { balancerMembers } from '../../design/balancer-members.ts';
import { ETCD_ROLES } from '../../design/choices.ts';
import { nodeFqdn, nodesWithRole } from '../../design/derived-facts.ts';
import type { DesignNode } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import type { Snapshot } from '../../kube/snapshot.ts';
import { getField, type KubeObject } from '../../openshift/object.ts';
import { findUnhealthy } from '../../openshift/operator.ts';
import { SECOND } from '../../platform/clock.ts';
import { probeTcp } from '../../probes/tcp-probe.ts';
import type { Probe, StepContext } from '../contract.ts';
import { checkApiConnection, openCluster, readSnapshot } from '../shared/cluster-access.ts';
import { generateStage } from '../shared/files/stage-output.ts';
import { readHostFile } from '../shared/hosts/host-command.ts';
import { getLiveStage } from '../shared/hosts/live-stage.ts';
import { probeNodeDns } from '../shared/hosts/service-checks.ts';
import { resolveImageNames } from '../shared/installer/images.ts';
import { type BootView, probeBoot } from '../shared/machines/boot-progress.ts';
import { isServerRunning, startBootServerJob } from '../shared/machines/boot-server-job.ts';
import { readAllowedClients, revokeIgnitionAccess } from '../shared/machines/ignition-access.ts';
import {
  getReinstalledAt,
  listWorkerMachines,
  markReinstalled,
  unmarkReinstalled,
  wasEverReady,
} from '../shared/machines/node-facts.ts';
import { probeFile } from '../shared/machines/service-probe.ts';
import { getWorkerIgnitionFile, inspectWorkerIgnition } from '../shared/machines/worker-ignition.ts';

const TIMEOUT = 3 * SECOND;

/** Ports that listen on a node: sshd and the kubelet. */
const NODE_PORTS = [22, 10250];

/**
 * Gathers evidence for all conditions that must hold before these nodes are powered on. A failed condition never
 * throws.
 */
async function gatherJoinEvidence(
  context: StepContext,
  nodes: readonly DesignNode[],
  snapshot: Snapshot | null,
): Promise<JoinEvidence> {
  const [ignition, pool, images, files, allowedClients] = await Promise.all([
    inspectWorkerIgnition(context),
    getWorkerPool(context),
    resolveImageNames(context),
    readHostFiles(context),
    readAllowedClients(context, 'worker'),
  ]);
  const imageChecks = listImageFiles(images).map((name) => probeFile(context, imagePath(name)));
  return {
    api: { isUp: snapshot?.api.state === 'up', detail: snapshot?.api.line ?? '' },
    configServer: ignition.server,
    pool,
    images: await Promise.all(imageChecks),
    hasIgnition: existsSync(getWorkerIgnitionFile(context)),
    nodes: await Promise.all(nodes.map((node) => gatherNodeEvidence(context, node, snapshot, files, allowedClients))),
  };
}

async function gatherNodeEvidence(
  context: StepContext,
  node: DesignNode,
  snapshot: Snapshot | null,
  files: readonly HostFile[],
  allowedClients: readonly string[],
): Promise<JoinCandidate> {
  const { design, resolveEndpoint } = context;
  const fqdn = nodeFqdn(design, node);
  const clusterNodes = snapshot?.nodes ?? null;
  const nodeObject = clusterNodes?.find(({ name }) => name === fqdn);
  const owner = clusterNodes?.find(
    ({ name, addresses }) => name !== fqdn && addresses.some(({ address }) => node.ip.includes(address)),
  );
  const [names, unexpectedAnswer, script] = await Promise.all([
    Promise.all(probeNodeDns(context, node)),
    findOpenPort(context, node),
    design.services.boot.kind === 'ipxe' ? probeFile(context, nodeScriptPath(node)) : null,
  ]);
  return {
    name: node.name,
    fqdn,
    object:
      clusterNodes === null ? null : nodeObject === undefined ? 'absent' : nodeObject.isReady ? 'ready' : 'not-ready',
    isReinstalled: getReinstalledAt(context, node.name) !== null,
    addressOwner: owner?.name ?? null,
    unexpectedAnswer,
    names: names.map(({ server, isOk, what, detail }) => ({ server, isOk, detail: `${what} ${detail}` })),
    dhcp:
      design.services.dhcp.kind === 'none' ? 'none' : checkFiles(files, DHCP_KINDS, (text) => text.includes(node.mac)),
    balancer: isIngressMember(context, node)
      ? checkFiles(files, ['haproxy'], (text) => new RegExp(`^\\s*server ${node.name} `, 'm').test(text))
      : 'none',
    script,
    mayFetch: node.ip.every((address) => allowedClients.includes(resolveEndpoint(address, 0).host)),
  };
}

/** Whether the node belongs to the router pools in the current stage of the load balancer. */
function isIngressMember(context: StepContext, { name }: DesignNode): boolean {
  if (context.design.services.loadBalancer.kind !== 'haproxy') return false;
  return balancerMembers(context.design, getLiveStage(context)).ingress.some((member) => member.name === name);
}

async function findOpenPort(context: StepContext, { ip }: DesignNode): Promise<string | null> {
  const attempts = ip.flatMap((address) =>
    NODE_PORTS.map(async (port) => {
      const { state } = await probeTcp(context.resolveEndpoint, context.clock, address, port, TIMEOUT);
      return state === 'open' ? catalogue().bastion.probe.hostAndPort(address, port) : null;
    }),
  );
  return (await Promise.all(attempts)).find((port) => port !== null) ?? null;
}

async function getWorkerPool(context: StepContext): Promise<JoinEvidence['pool']> {
  const cluster = await openCluster(context).catch(() => null);
  const pool = await cluster?.get('MachineConfigPool', 'worker').catch(() => null);
  return pool ? toPoolEvidence(pool) : null;
}

function toPoolEvidence(pool: KubeObject): JoinEvidence['pool'] {
  const unhealthy = findUnhealthy(pool);
  return {
    isDegraded: unhealthy !== null,
    isPaused: getField(pool.spec, 'paused') === true,
    message: unhealthy?.message ?? '',
  };
}

const DHCP_KINDS = ['isc-dhcpd', 'kea-dhcp4'] as const;

/** A relevant generated file, and its text on its host; null if it cannot be read from here. */
interface HostFile {
  readonly kind: GeneratedFile['kind'];
  readonly text: string | null;
}

async function readHostFiles(context: StepContext): Promise<HostFile[]> {
  const { files } = await generateStage(context, getLiveStage(context));
  const relevantFiles = files.filter(({ kind }) => [...DHCP_KINDS, 'haproxy'].some((each) => each === kind));
  return await Promise.all(
    relevantFiles.map(async ({ kind, host, path }) => ({
      kind,
      text: host === null ? null : await readHostFile(context, host, path),
    })),
  );
}

/** Checks every readable file of these kinds; null if none can be read. */
function checkFiles(
  files: readonly HostFile[],
  kinds: readonly HostFile['kind'][],
  matches: (text: string) => boolean,
): 'present' | 'missing' | null {
  const texts = files.filter(({ kind }) => kinds.includes(kind)).flatMap(({ text }) => text ?? []);
  if (texts.length === 0) return null;
  return texts.every(matches) ? 'present' : 'missing';
}

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
  const workerMachines = listWorkerMachines(context.design);
  const [snapshot, boot] = await Promise.all([readSnapshot(context, ['nodes']), probeBoot(context, workerMachines)]);
  const clusterNodes = snapshot?.nodes ? new Set(snapshot.nodes.map(({ name }) => name)) : null;
  const isJoining = new Map(
    boot.view.nodes.map(({ name, stage }) => {
      const isInCluster = clusterNodes?.has(nodeFqdn(context.design, { name })) ?? wasEverReady(context, name);
      return [name, stage !== 'ready' && (!isInCluster || getReinstalledAt(context, name) !== null)];
    }),
  );
  return {
    snapshot,
    machines: workerMachines.filter(({ name }) => isJoining.get(name)),
    view: { ...boot.view, nodes: boot.view.nodes.filter(({ name }) => isJoining.get(name)) },
    findings: boot.findings.filter(({ subject }) => subject === null || isJoining.get(subject) !== false),
  };
}

/** Probes the nodes that join and, before they are powered on, checks whether they can. */
export async function probeNodeJoin(context: StepContext): Promise<Probe<BootView>> {
  const { snapshot, machines, view, findings } = await watchJoiningMachines(context);
  if (machines.length === 0) return await buildJoinedProbe(context, snapshot);
  const nodesOff = view.nodes.filter(({ poweredOnAt, stage }) => poweredOnAt === null && stage === 'off');
  if (nodesOff.length > 0) {
    const names = new Set(nodesOff.map(({ name }) => name));
    const evidence = await gatherJoinEvidence(
      context,
      machines.filter(({ name }) => names.has(name)),
      snapshot,
    );
    return buildPreflightProbe(view, nodesOff.length, checkJoin(evidence));
  }
  const fetchedCount = view.nodes.filter(({ stage }) => stage === 'ignition').length;
  if (fetchedCount === machines.length)
    return { state: 'done', summary: words().allFetched(machines.length), view, findings: [] };
  const allFindings = [...findings, ...checkApiConnection(snapshot)];
  if (!(await isServerRunning(context)))
    return { state: 'needed', summary: words().serverStopped, view, findings: allFindings };
  return { state: 'waiting', summary: words().waiting(fetchedCount, machines.length), view, findings: allFindings };
}

async function buildJoinedProbe(context: StepContext, snapshot: Snapshot | null): Promise<Probe<BootView>> {
  const workerMachines = listWorkerMachines(context.design);
  const { view } = await probeBoot(context, [...nodesWithRole(context.design, ...ETCD_ROLES), ...workerMachines]);
  return {
    state: 'done',
    summary: words().joined(workerMachines.length),
    view,
    findings: checkApiConnection(snapshot),
  };
}

function buildPreflightProbe(view: BootView, offCount: number, results: readonly Finding[]): Probe<BootView> {
  const checks = results.toSorted((a, b) => STATE_RANK[a.state] - STATE_RANK[b.state]);
  const findings = listProblems(checks);
  const isBlocked = findings.some(({ severity }) => severity === 'fatal');
  const unknown = checks.filter(({ state }) => state === 'unknown').length;
  const checkSummary = words().preflight({ failed: findings.length, unknown, all: checks.length });
  const summary = `${words().needed(offCount)}; ${checkSummary}`;
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
  const [firstFinding] = findings;
  if (state !== 'blocked' || !firstFinding) return summary;
  const { code, title, cause, remedy } = firstFinding;
  throw new UserErrorException({ code, title, cause, remedy });
}

const STATE_RANK = { failed: 0, pending: 1, unknown: 2, ok: 3 } as const;

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
