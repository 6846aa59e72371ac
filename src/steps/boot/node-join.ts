import { existsSync } from 'node:fs';
import { listImageFiles } from '../../artifacts/boot/images.ts';
import type { GeneratedFile } from '../../artifacts/generate.ts';
import { imagePath, nodeScriptPath } from '../../artifacts/shared/generator.ts';
import { listFailuresByCause } from '../../checks/causes/explain.ts';
import type { Finding } from '../../checks/check.ts';
import { checkJoin, type JoinCandidate, type JoinEvidence, type PoolEvidence } from '../../checks/join-checks.ts';
import { reportLostMembers } from '../../checks/member-replacement.ts';
import { getBalancerMembers } from '../../design/balancer-members.ts';
import { ETCD_ROLES, getIgnitionName, type IgnitionName } from '../../design/choices.ts';
import { getNodeFqdn, isWorker, listNodesWithRole } from '../../design/derived-facts.ts';
import type { DesignNode } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import type { ClusterSnapshot } from '../../kube/snapshot.ts';
import { formatNodeProblems } from '../../openshift/node.ts';
import { findUnhealthy, getField, type KubeObject } from '../../openshift/object.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import type { Probe, StepContext } from '../contract.ts';
import { checkApiConnection, openCluster, readSnapshot } from '../shared/cluster-access.ts';
import { generateStage } from '../shared/files/stage-output.ts';
import { getCurrentStage } from '../shared/hosts/current-stage.ts';
import { readHostFile } from '../shared/hosts/host-command.ts';
import { probeNodeDns } from '../shared/hosts/service-probes.ts';
import { resolveImageNames } from '../shared/installer/images.ts';
import { type BootView, probeBoot } from '../shared/machines/boot-progress.ts';
import { isServerRunning, startBootServerJob } from '../shared/machines/boot-server-job.ts';
import { readIgnitionAccess, updateIgnitionAccess } from '../shared/machines/ignition-access.ts';
import {
  buildReplacementView,
  findReplacement,
  type MemberReplacement,
} from '../shared/machines/member-replacement.ts';
import {
  getReinstalledAt,
  isMemberDeleted,
  isReplaceableMember,
  listJoinCandidates,
  listWorkerMachines,
  markReinstalled,
  unmarkReinstalled,
  wasEverReady,
} from '../shared/machines/node-facts.ts';
import { getNodeIgnitionFile, inspectNodeIgnition } from '../shared/machines/node-ignition.ts';
import { findOpenNodePort } from '../shared/machines/node-ports.ts';
import { probeFile } from '../shared/machines/service-probe.ts';

/**
 * Gathers evidence for all conditions that must hold before these nodes are powered on. A failed condition never
 * throws.
 */
async function gatherJoinEvidence(
  context: StepContext,
  nodes: readonly DesignNode[],
  snapshot: ClusterSnapshot | null,
): Promise<JoinEvidence> {
  const roles = [...new Set(nodes.map(({ role }) => getIgnitionName(role)))];
  const [pools, images, files, access] = await Promise.all([
    Promise.all(roles.map((role) => gatherPoolEvidence(context, role))),
    resolveImageNames(context),
    readHostFiles(context),
    readIgnitionAccess(context),
  ]);
  const imageChecks = listImageFiles(images).map((name) => probeFile(context, imagePath(name)));
  return {
    api: { isUp: snapshot?.api.state === 'up', detail: snapshot?.api.line ?? '' },
    pools,
    images: await Promise.all(imageChecks),
    nodes: await Promise.all(nodes.map((node) => gatherNodeEvidence(context, node, snapshot, files, access))),
  };
}

async function gatherPoolEvidence(context: StepContext, role: IgnitionName): Promise<PoolEvidence> {
  const [{ server }, pool] = await Promise.all([inspectNodeIgnition(context, role), readPool(context, role)]);
  return { role, configServer: server, pool, hasIgnitionFile: existsSync(getNodeIgnitionFile(context, role)) };
}

async function gatherNodeEvidence(
  context: StepContext,
  node: DesignNode,
  snapshot: ClusterSnapshot | null,
  files: readonly HostFile[],
  access: Awaited<ReturnType<typeof readIgnitionAccess>>,
): Promise<JoinCandidate> {
  const { design, resolveEndpoint } = context;
  const fqdn = getNodeFqdn(design, node);
  const role = getIgnitionName(node.role);
  const allowedClients = access.find((entry) => entry.role === role)?.allow ?? [];
  const clusterNodes = snapshot?.nodes ?? null;
  const nodeObject = clusterNodes?.find(({ name }) => name === fqdn);
  const owner = clusterNodes?.find(
    ({ name, addresses }) => name !== fqdn && addresses.some(({ address }) => node.ip.includes(address)),
  );
  const [lookups, openPort, script] = await Promise.all([
    Promise.all(probeNodeDns(context, node)),
    findOpenNodePort(context, node),
    design.services.boot.kind === 'ipxe' ? probeFile(context, nodeScriptPath(node)) : null,
  ]);
  return {
    name: node.name,
    role,
    fqdn,
    nodeState:
      clusterNodes === null ? null : nodeObject === undefined ? 'absent' : nodeObject.isReady ? 'ready' : 'not-ready',
    isReinstalled: getReinstalledAt(context, node.name) !== null,
    addressOwner: owner?.name ?? null,
    openPort,
    lookups: lookups.map(({ server, isOk, queryText, detail }) => ({ server, isOk, detail: `${queryText} ${detail}` })),
    dhcp:
      design.services.dhcp.kind === 'none'
        ? 'none'
        : matchHostFiles(files, DHCP_FILE_KINDS, (text) => text.includes(node.mac)),
    balancer: isBalancerMember(context, node)
      ? matchHostFiles(files, ['haproxy'], (text) => new RegExp(`^\\s*server ${node.name} `, 'm').test(text))
      : 'none',
    script,
    canFetchIgnition: node.ip.every((address) => allowedClients.includes(resolveEndpoint(address, 0).host)),
  };
}

/** Whether the node belongs to a pool in the current stage of the load balancer. */
function isBalancerMember(context: StepContext, { name }: DesignNode): boolean {
  if (context.design.services.loadBalancer.kind !== 'haproxy') return false;
  const members = getBalancerMembers(context.design, getCurrentStage(context));
  return Object.values(members)
    .flat()
    .some((member) => member.name === name);
}

async function readPool(context: StepContext, role: IgnitionName): Promise<PoolEvidence['pool']> {
  const cluster = await openCluster(context).catch(() => null);
  const pool = await cluster?.get('MachineConfigPool', role).catch(() => null);
  return pool ? toPoolEvidence(pool) : null;
}

function toPoolEvidence(pool: KubeObject): PoolEvidence['pool'] {
  const unhealthyPool = findUnhealthy(pool);
  return {
    isDegraded: unhealthyPool !== null,
    isPaused: getField(pool.spec, 'paused') === true,
    message: unhealthyPool?.message ?? '',
  };
}

const DHCP_FILE_KINDS = ['isc-dhcpd', 'kea-dhcp4'] as const;

/** A relevant generated file, and its text on its host; null if it cannot be read from here. */
interface HostFile {
  readonly kind: GeneratedFile['kind'];
  readonly text: string | null;
}

async function readHostFiles(context: StepContext): Promise<HostFile[]> {
  const { files } = await generateStage(context, getCurrentStage(context));
  const relevantFiles = files.filter(({ kind }) =>
    [...DHCP_FILE_KINDS, 'haproxy'].some((relevantKind) => relevantKind === kind),
  );
  return await Promise.all(
    relevantFiles.map(async ({ kind, host, path }) => ({
      kind,
      text: host === null ? null : await readHostFile(context, host, path),
    })),
  );
}

/** Returns `present` if every readable file of these kinds matches, else `missing`; null if none can be read. */
function matchHostFiles(
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
  return (await probeJoiningMachines(context)).machines;
}

/**
 * Probes the machines of the nodes that have not joined yet. These have no Node object, or the user reported them as
 * reinstalled and they have not rejoined. While the API is down: those that were never observed Ready. `view` also has
 * the lost nodes, so that the user can select them.
 */
async function probeJoiningMachines(context: StepContext) {
  const candidates = listJoinCandidates(context);
  const members = listNodesWithRole(context.design, ...ETCD_ROLES).filter((member) => !candidates.includes(member));
  const [snapshot, boot] = await Promise.all([
    readSnapshot(context, ['nodes']),
    probeBoot(context, [...members, ...candidates]),
  ]);
  const clusterNodes = snapshot?.nodes ? new Set(snapshot.nodes.map(({ name }) => name)) : null;
  const isJoiningByName = new Map(
    boot.view.nodes.map(({ name, stage }) => {
      if (members.some((member) => member.name === name)) return [name, false];
      const isInCluster = clusterNodes?.has(getNodeFqdn(context.design, { name })) ?? wasEverReady(context, name);
      return [name, stage !== 'ready' && (!isInCluster || getReinstalledAt(context, name) !== null)];
    }),
  );
  return {
    snapshot,
    machines: candidates.filter(({ name }) => isJoiningByName.get(name)),
    joiningNodes: boot.view.nodes.filter(({ name }) => isJoiningByName.get(name)),
    view: { ...boot.view, nodes: boot.view.nodes.filter(({ name, isLost }) => isLost || isJoiningByName.get(name)) },
    findings: boot.findings.filter(({ subject }) => subject === null || isJoiningByName.get(subject) !== false),
  };
}

/** Probes the nodes that join and, before they are powered on, checks whether they can. */
export async function probeNodeJoin(context: StepContext): Promise<Probe<BootView>> {
  const replacement = await findReplacement(context);
  if (replacement !== null) return await buildReplacementProbe(context, replacement);
  const { snapshot, machines, joiningNodes, view, findings } = await probeJoiningMachines(context);
  if (machines.length === 0) return await buildJoinedProbe(context, snapshot);
  const lostNodes = view.nodes.filter((node) => !joiningNodes.includes(node));
  const lostNames = lostNodes.map(({ name }) => name);
  const lostFindings = reportLostMembers(listMemberNames(lostNodes));
  const formatSummary = (summary: string) =>
    words().withUnhealthyNodes(
      lostNames.length === 0 ? summary : words().lost(summary, lostNames),
      listUnhealthyNodes(context, snapshot, lostNames),
    );
  const nodesOff = joiningNodes.filter(({ poweredOnAt, stage }) => poweredOnAt === null && stage === 'off');
  if (nodesOff.length > 0) {
    const names = new Set(nodesOff.map(({ name }) => name));
    const evidence = await gatherJoinEvidence(
      context,
      machines.filter(({ name }) => names.has(name)),
      snapshot,
    );
    const awaitsRepair = nodesOff.some(({ name }) => isReplaceableMember(context.design, name));
    const preflight = buildPreflightProbe(view, nodesOff.length, checkJoin(evidence));
    return {
      ...preflight,
      summary: formatSummary(preflight.summary),
      awaitsRepair,
      findings: [...preflight.findings, ...lostFindings],
    };
  }
  const fetchedCount = joiningNodes.filter(({ stage }) => stage === 'ignition').length;
  if (fetchedCount === machines.length)
    return {
      state: 'done',
      summary: formatSummary(words().allFetched(machines.length)),
      awaitsRepair: lostNames.length > 0,
      view,
      findings: lostFindings,
    };
  const allFindings = [...lostFindings, ...findings, ...checkApiConnection(snapshot)];
  if (!(await isServerRunning(context)))
    return { state: 'needed', summary: words().serverStopped, view, findings: allFindings };
  const summary = formatSummary(words().waiting(fetchedCount, machines.length));
  return { state: 'waiting', summary, view, findings: allFindings };
}

/** Lists Ready nodes with problems, and nodes that were Ready and are not now, each with what is wrong. */
function listUnhealthyNodes(
  context: StepContext,
  snapshot: ClusterSnapshot | null,
  lostNames: readonly string[],
): string[] {
  const nodes = snapshot?.nodes ?? [];
  const restartedNames = context.design.nodes.flatMap(({ name }) => {
    const node = nodes.find((clusterNode) => clusterNode.name === getNodeFqdn(context.design, { name }));
    const isExpected = wasEverReady(context, name) && getReinstalledAt(context, name) === null;
    return node?.isReady === false && isExpected && !lostNames.includes(name) ? [name] : [];
  });
  return [
    ...formatNodeProblems(nodes).map((line) => sanitizeLine(line, 100)),
    ...restartedNames.map((name) => words().notReady(name)),
  ];
}

const listMemberNames = (nodes: BootView['nodes']) => nodes.flatMap((node) => (isWorker(node) ? [] : [node.name]));

/** Builds the probe of a replacement: a lost etcd member is replaced before a machine is powered on. */
async function buildReplacementProbe(context: StepContext, replacement: MemberReplacement): Promise<Probe<BootView>> {
  const { view } = await probeBoot(context, listNodesWithRole(context.design, ...ETCD_ROLES));
  const replacementView = buildReplacementView(replacement);
  const findings = [...listFailuresByCause(replacementView.checks), ...checkApiConnection(replacement.snapshot)];
  const { name } = replacement.node;
  return {
    state: findings.some(({ severity }) => severity === 'fatal') ? 'blocked' : 'needed',
    summary: words().replacement.summary(name, words().replacement.steps[replacement.step ?? 'remove-member']),
    awaitsRepair: true,
    view: { ...view, replacement: replacementView },
    findings,
  };
}

async function buildJoinedProbe(context: StepContext, snapshot: ClusterSnapshot | null): Promise<Probe<BootView>> {
  const workerMachines = listWorkerMachines(context.design);
  const { view } = await probeBoot(context, [...listNodesWithRole(context.design, ...ETCD_ROLES), ...workerMachines]);
  const lostNodes = view.nodes.filter(({ isLost }) => isLost);
  const lostNames = lostNodes.map(({ name }) => name);
  return {
    state: 'done',
    summary: words().withUnhealthyNodes(
      words().joined(workerMachines.length, lostNames),
      listUnhealthyNodes(context, snapshot, lostNames),
    ),
    awaitsRepair: lostNames.length > 0,
    view,
    findings: [...reportLostMembers(listMemberNames(lostNodes)), ...checkApiConnection(snapshot)],
  };
}

function buildPreflightProbe(view: BootView, offCount: number, results: readonly Finding[]): Probe<BootView> {
  const checks = results.toSorted((a, b) => STATE_RANK[a.state] - STATE_RANK[b.state]);
  const findings = listFailuresByCause(checks);
  const isBlocked = findings.some(({ severity }) => severity === 'fatal');
  const unknownCount = checks.filter(({ state }) => state === 'unknown').length;
  const checkSummary = words().preflight({ failed: findings.length, unknown: unknownCount, all: checks.length });
  const summary = `${words().needed(offCount)}; ${checkSummary}`;
  return {
    state: isBlocked ? 'blocked' : 'needed',
    summary,
    view: { ...view, checks },
    findings,
  };
}

/**
 * Asserts, just before the machines are powered on, that no fatal check fails.
 * @returns a summary line
 * @throws UserErrorException of the first finding, if a fatal check fails
 */
export async function assertCanPowerOn(context: StepContext): Promise<string> {
  const { state, summary, findings } = await probeNodeJoin(context);
  const [firstFinding] = findings;
  if (state !== 'blocked' || !firstFinding) return summary;
  const { code, title, cause, remedy } = firstFinding;
  throw new UserErrorException({ code, title, cause, remedy });
}

const STATE_RANK = { failed: 0, pending: 1, unknown: 2, ok: 3 } as const;

/**
 * Handles the user's report that the machine of a node was reinstalled: it counts as new, and its address may fetch the
 * ignition file again. For a lost member of etcd, begins its replacement. A second report, before the machine has
 * requested anything, undoes the first. Changes nothing in the cluster.
 * @throws UserErrorException `not-joining` if the node is neither a worker nor a replaceable member of etcd
 */
export async function toggleReinstalled(
  context: StepContext,
  name: string,
  report: (line: string) => void,
): Promise<void> {
  const isMember = isReplaceableMember(context.design, name);
  const machine = context.design.nodes.find((node) => node.name === name && (isMember || isWorker(node)));
  if (!machine) throw new UserErrorException({ code: 'not-joining', ...words().notReinstallable(name) });
  if (isMember) return await toggleReplacement(context, name, report);
  const { view } = await probeBoot(context, [machine]);
  if (view.nodes[0]?.isMarkedReinstalled) {
    unmarkReinstalled(context, name);
    await updateIgnitionAccess(context);
    return report(words().reinstallUnmarked(name));
  }
  markReinstalled(context, name);
  await startBootServerJob(context, report);
  report(words().reinstallMarked(name));
}

/**
 * Begins the replacement of a lost member of etcd, or cancels it if its Node object has not been deleted yet.
 * @throws UserErrorException `not-joining` if its node is Ready
 */
async function toggleReplacement(context: StepContext, name: string, report: (line: string) => void): Promise<void> {
  const isMarked = getReinstalledAt(context, name) !== null && !isMemberDeleted(context, name);
  if (isMarked) {
    unmarkReinstalled(context, name);
    report(words().reinstallUnmarked(name));
  } else {
    const { nodes } = (await readSnapshot(context, ['nodes'])) ?? {};
    const isReady = nodes?.find((node) => node.name === getNodeFqdn(context.design, { name }))?.isReady;
    if (isReady) throw new UserErrorException({ code: 'not-joining', ...words().replacement.isReady(name) });
    markReinstalled(context, name);
    report(words().replacement.marked(name));
  }
}
