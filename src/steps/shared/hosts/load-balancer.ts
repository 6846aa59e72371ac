import { getOsProfile } from '../../../artifacts/hosts/os.ts';
import { getStatsPort } from '../../../artifacts/network/firewall.ts';
import type { BalancerEvidence, RemovalProof } from '../../../checks/service-hosts.ts';
import { getBalancerMembers } from '../../../design/balancer-members.ts';
import type { Stage } from '../../../design/choices.ts';
import { listNodesWithRole } from '../../../design/derived-facts.ts';
import { writeOutput } from '../../../host/output-dir.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import type { LoadBalancerFiles } from '../../../infra/context.ts';
import { deriveFilesProgress, lbAddMove } from '../../../infra/moves/load-balancer.ts';
import { SECOND } from '../../../platform/clock.ts';
import { fetchPoolMembers, type PoolMember } from '../../../probes/haproxy-stats.ts';
import { probeTcp } from '../../../probes/tcp-probe.ts';
import type { PlannedChange, StepContext } from '../../contract.ts';
import { generateStage, type StageOutput } from '../files/stage-output.ts';
import { workspace } from '../workspace.ts';
import { getCurrentStage, hasReachedStage } from './current-stage.ts';
import { listHostCommands, listHostInstructions } from './host-command.ts';
import { compareHostFiles, installServiceFiles } from './host-file-records.ts';

/**
 * Plans the changes of a stage on the load balancers, as a diff.
 * @param previousStage the stage that will have been written before it; missing: compares with the files on disk
 */
export async function planStageChanges(
  context: StepContext,
  stage: Stage,
  previousStage?: Stage,
): Promise<PlannedChange[]> {
  const output = await generateStage(context, stage);
  const readBefore =
    previousStage === undefined ? output.readFromDisk : indexContents(await generateStage(context, previousStage));
  const readGenerated = indexContents(output);
  return output.files
    .filter(({ kind }) => kind === 'haproxy')
    .map(({ file }) => ({
      object: file,
      isFile: true,
      what: catalogue().steps.stages[stage],
      before: readBefore(file),
      after: readGenerated(file),
    }))
    .filter((change) => change.before !== change.after);
}

function indexContents({ files }: StageOutput): (file: string) => string | null {
  const contents = new Map(files.map(({ file, content }) => [file, content]));
  return (file) => contents.get(file) ?? null;
}

/**
 * Writes a stage's files, records the stage as the current one, and installs the files on the load balancers. The order
 * matters: after an interruption the next run continues to this stage (its hosts count as outdated), and never back to
 * the one before.
 */
export async function applyStage(context: StepContext, stage: Stage, report: (line: string) => void): Promise<void> {
  await writeStage(context, stage, report);
  await installLoadBalancerFiles(context, report);
}

/** Installs the files of the current stage on the load balancers. */
export async function installLoadBalancerFiles(context: StepContext, report: (line: string) => void): Promise<void> {
  const hosts = listLoadBalancerHosts(context);
  for (const [index, host] of hosts.entries()) {
    context.signal.throwIfAborted();
    if (hosts.length > 1) report(catalogue().steps.removal.balancer(host, index + 1, hosts.length));
    await installServiceFiles(context, host, report);
  }
}

/** Creates the access of infra moves to the load balancers' files. */
export function createLoadBalancerFiles(context: StepContext): LoadBalancerFiles {
  const { canInstallHostFiles } = context.manualActions;
  return {
    hasReachedStage: (stage) => hasReachedStage(context, stage),
    plan: (stage, previousStage) => planStageChanges(context, stage, previousStage),
    apply: (stage, report) => applyStage(context, stage, report),
    async findOutdated() {
      const hosts = await findOutdatedLoadBalancers(context, getCurrentStage(context));
      const commands = hosts.flatMap((host) => listHostCommands(context, host));
      return {
        hosts,
        commands,
        hasOutdatedRecord: canInstallHostFiles && hosts.some((host) => compareHostFiles(context, host) !== 'current'),
      };
    },
    async findClosedEndpoint() {
      const { resolveEndpoint, clock, design } = context;
      const probes = design.endpoints.ingress.map((host) => probeTcp(resolveEndpoint, clock, host, 443, 3 * SECOND));
      return (await Promise.all(probes)).find(({ state }) => state !== 'open')?.detail ?? null;
    },
    listManualSteps: () => listStageInstructions(context),
  };
}

// Infra nodes are compute nodes at first: a router may be scheduled on one before the moves, and must be reachable
// there. So lb-add is applied when they join. Nothing waits for the load balancer then, because no router runs on an
// infra node yet.

/** Whether the load balancer lacks the infra nodes, although the bootstrap is already removed from it. */
export function isLbAddDue(context: StepContext): boolean {
  return (
    deriveFilesProgress({ hasReachedStage: (stage) => hasReachedStage(context, stage) }, lbAddMove, context.design) ===
    'due'
  );
}

/** Plans the changes of lb-add on the load balancers; empty if it is not due. */
export async function planLbAdd(context: StepContext): Promise<PlannedChange[]> {
  return isLbAddDue(context) ? await planStageChanges(context, lbAddMove.stage) : [];
}

/** Applies lb-add if it is due, without waiting for the load balancers. */
export async function applyLbAdd(context: StepContext, report: (line: string) => void): Promise<void> {
  if (isLbAddDue(context)) await applyStage(context, lbAddMove.stage, report);
}

/**
 * Whether a load balancer lacks the files of the current stage, by the records of the session; false if the user
 * installs files by hand.
 */
export function areLoadBalancersOutdated(context: StepContext): boolean {
  if (!context.manualActions.canInstallHostFiles) return false;
  return listLoadBalancerHosts(context).some((host) => compareHostFiles(context, host) === 'outdated');
}

/** Writes a stage's files and records the stage as the current one; installs nothing on the hosts. */
export async function writeStage(context: StepContext, stage: Stage, report: (line: string) => void): Promise<void> {
  const output = await generateStage(context, stage);
  const dir = workspace(context.dir);
  const result = writeOutput(dir.filesDir, output, { force: true });
  report(catalogue().steps.generate.written(result.written.length, dir.filesDir));
  context.stepState.set('stage', stage);
}

/** Lists instructions to put the load balancers' files in place; none if that is no manual action. */
export function listStageInstructions(context: StepContext): string[] {
  return context.design.services.loadBalancer.servers.flatMap(({ name }) => listHostInstructions(context, name));
}

/** Lists the hosts that run a load balancer that the wizard configures. */
function listLoadBalancerHosts({ design }: StepContext): string[] {
  const { kind, servers } = design.services.loadBalancer;
  return kind === 'external' ? [] : servers.map(({ name }) => name);
}

const BOOTSTRAP_POOLS = new Set(['api', 'machine-config']);
const TIMEOUT = 2 * SECOND;

/** Probes the load balancers themselves, and connects through them. */
export async function probeLoadBalancers(context: StepContext): Promise<RemovalProof> {
  const { design, resolveEndpoint, clock } = context;
  // Both address families in a dual-stack cluster.
  const probePorts = (hosts: readonly string[], ...ports: number[]) =>
    Promise.all(
      hosts.flatMap((host) =>
        ports.map(async (port) => (await probeTcp(resolveEndpoint, clock, host, port, TIMEOUT)).state === 'open'),
      ),
    );
  const { api, apiInt } = design.endpoints;
  const [balancers, bootstrapPorts, ...endpointPorts] = await Promise.all([
    Promise.all(design.services.loadBalancer.servers.map((server) => probeLoadBalancer(context, server))),
    probePorts(listNodesWithRole(design, 'bootstrap')[0]?.ip ?? [], 6443, 22623),
    probePorts(api, 6443),
    probePorts(apiInt, 6443, 22623),
  ]);
  return {
    balancers,
    isBootstrapClosed: bootstrapPorts.every((isOpen) => !isOpen),
    isAnswering: endpointPorts.every((ports) => ports.length > 0 && ports.every((isOpen) => isOpen)),
  };
}

async function probeLoadBalancer(context: StepContext, server: LoadBalancerServer): Promise<BalancerEvidence> {
  const bootstrapNames = new Set(listNodesWithRole(context.design, 'bootstrap').map(({ name }) => name));
  return toBalancerEvidence(server.name, bootstrapNames, await readPoolMembers(context, server));
}

type LoadBalancerServer = StepContext['design']['services']['loadBalancer']['servers'][number];

/**
 * Reads the pool members of a running load balancer: from its status page, or from its socket if it runs on this
 * machine. Null: no answer.
 */
async function readPoolMembers(
  { design, resolveEndpoint, clock, manualActions }: StepContext,
  server: LoadBalancerServer,
): Promise<readonly PoolMember[] | null> {
  const page = resolveEndpoint(server.ip[0], getStatsPort(design, server));
  const isLocal = manualActions.canLogIn && server.name === design.services.bastion.name;
  return (
    (await fetchPoolMembers(page, clock)) ??
    (isLocal ? await fetchPoolMembers({ socket: getOsProfile(server.os).haproxy.statsSocket }, clock) : null)
  );
}

const INGRESS_POOLS = new Set(['ingress-https', 'ingress-http']);

/** Lists the load balancers that report other routers than those of a stage: their file is not in place yet. */
async function findOutdatedLoadBalancers(context: StepContext, stage: Stage): Promise<string[]> {
  const expectedRouters = getBalancerMembers(context.design, stage)
    .ingress.map(({ name }) => name)
    .sort()
    .join(' ');
  const outdatedNames = await Promise.all(
    context.design.services.loadBalancer.servers.map(async (server) => {
      const members = await readPoolMembers(context, server);
      const routers = new Set(members?.filter(({ pool }) => INGRESS_POOLS.has(pool)).map(({ name }) => name));
      return routers.size > 0 && [...routers].sort().join(' ') !== expectedRouters ? [server.name] : [];
    }),
  );
  return outdatedNames.flat();
}

function toBalancerEvidence(
  name: string,
  bootstrapNames: ReadonlySet<string>,
  members: readonly PoolMember[] | null,
): BalancerEvidence {
  const poolMembers = members?.filter(({ pool }) => BOOTSTRAP_POOLS.has(pool)) ?? [];
  if (poolMembers.length === 0) return { name, state: 'silent', upMembers: [], downMembers: [] };
  const isUp = ({ status }: PoolMember) => /^UP\b/.test(status);
  const formatMember = ({ pool, name: member }: PoolMember) => `${pool}/${member}`;
  return {
    name,
    state: poolMembers.some((member) => bootstrapNames.has(member.name)) ? 'has-bootstrap' : 'no-bootstrap',
    upMembers: poolMembers.filter(isUp).map(formatMember),
    downMembers: poolMembers.filter((member) => !isUp(member)).map(formatMember),
  };
}
