import type { Design, DesignNode, NodeRole } from '../design/model.ts';
import { nodeFqdn, nodesWithRole } from '../design/names.ts';
import { BOOT_STAGES, type BootStage, bootFindings } from '../diagnosis/boot.ts';
import { leasedMacs, refusedMacs } from '../diagnosis/dhcp-log.ts';
import type { Finding } from '../diagnosis/finding.ts';
import { MINUTE, SECOND } from '../ports/clock.ts';
import { steps } from '../text/en/steps.ts';
import { readyNodes } from './access.ts';
import { readBootLog } from './boot-requests.ts';
import type { Change, Probe, Step, StepContext } from './contract.ts';
import { isServerRunning, serve } from './serving.ts';
import { workspace } from './workspace.ts';

const words = steps.boot;

/** The grid of the boot screen: a row per machine. */
export interface BootView {
  readonly nodes: readonly {
    readonly name: string;
    readonly role: NodeRole;
    readonly address: string;
    readonly mac: string;
    readonly stage: BootStage;
    /** When it was powered on, ms; null when it was not. */
    readonly poweredOnAt: number | null;
    readonly lastSeenAt: number | null;
    readonly detail: string;
  }[];
  readonly refusedMacs: readonly string[];
}

/**
 * The machines of this step: bootstrap and control plane. The others follow when the bootstrap is done: as long as it runs it
 * approves every request it sees, and nobody would have looked at theirs.
 */
export const bootStep: Step<BootView> = {
  id: 'boot',
  lookEvery: 3 * SECOND,
  patience: 30 * MINUTE,
  probe,
  async plan(context) {
    const machines = stillOff(context, firstMachines(context.design));
    return { changes: powerChanges(machines), isDangerous: false, instructions: powerInstructions(context, machines) };
  },
  async apply(context, report) {
    await serve(context, report);
    await powerOn(context, firstMachines(context.design), report);
  },
  verify: probe,
};

/** Bootstrap first, then all of the control plane promptly: each waits for the one before. */
export function firstMachines(design: Design): DesignNode[] {
  return nodesWithRole(design, 'bootstrap').concat(nodesWithRole(design, 'control-plane'));
}

/** Those that join when the control plane stands. */
export function laterMachines(design: Design): DesignNode[] {
  return nodesWithRole(design, 'compute', 'infra', 'storage');
}

/** The machines that nobody has powered on yet, as far as we know. */
export function stillOff(context: StepContext, machines: readonly DesignNode[]): DesignNode[] {
  const powered = poweredOn(context);
  return machines.filter(({ name }) => powered[name] === undefined);
}

export function powerChanges(machines: readonly DesignNode[]): Change[] {
  return machines.map(({ name }) => ({ object: name, what: words.poweredOn, before: null, after: null }));
}

export function powerInstructions(context: StepContext, machines: readonly DesignNode[]): string[] {
  return context.hands.isPerson && machines.length > 0
    ? [words.byHand(machines.map(({ name }) => name).join(', '))]
    : [];
}

/** Powers on what is still off, one after the other, and writes down when. */
export async function powerOn(
  context: StepContext,
  machines: readonly DesignNode[],
  report: (line: string) => void,
): Promise<void> {
  for (const { name } of stillOff(context, machines)) {
    context.signal.throwIfAborted();
    report(words.powerOn(name));
    await context.hands.powerOn(name);
    context.memory.set('powered-on', { ...poweredOn(context), [name]: context.clock.now() });
  }
}

/** When each machine was powered on (ms of the clock), as far as we know. */
export function poweredOn(context: StepContext): Readonly<Record<string, number>> {
  return context.memory.get<Record<string, number>>('powered-on') ?? {};
}

async function probe(context: StepContext): Promise<Probe<BootView>> {
  const machines = firstMachines(context.design);
  const { view, findings, there } = await watchBoot(context, machines);
  if (there === machines.length) return { state: 'done', summary: words.allThere(machines.length), view, findings: [] };
  const off = view.nodes.filter(({ poweredOnAt, stage }) => poweredOnAt === null && stage === 'off');
  if (off.length > 0) return { state: 'needed', summary: words.needed(off.length), view, findings: [] };
  if (!(await isServerRunning(context))) return { state: 'needed', summary: words.serverGone, view, findings: [] };
  return { state: 'waiting', summary: words.waiting(there, machines.length), view, findings };
}

/** How far machines have come, from what they asked the boot server and the DHCP server for, and from the API. */
export async function watchBoot(
  context: StepContext,
  machines: readonly DesignNode[],
): Promise<{ readonly view: BootView; readonly findings: readonly Finding[]; readonly there: number }> {
  const { design, clock } = context;
  const { server } = design.services.dhcp;
  const [requests, log, ready] = await Promise.all([
    readBootLog(workspace(context.dir).bootLog),
    server === null ? null : context.hands.readFile(server, '/var/log/messages'),
    readyNodes(context),
  ]);
  const leased = new Set(leasedMacs(log ?? ''));
  const planned = new Set(design.nodes.map(({ mac }) => mac));
  const strangers = refusedMacs(log ?? '').filter((mac) => !planned.has(mac));
  const powered = poweredOn(context);
  const nodes = machines.map((node) => {
    const clients = new Set(node.ip.map((address) => context.reach(address, 0).host));
    const mine = requests.filter(({ client }) => clients.has(client));
    const stage = ready.has(nodeFqdn(design, node)) ? ('ready' as const) : furthest(mine, leased.has(node.mac));
    const lastRequest = mine.at(-1) ?? null;
    return {
      name: node.name,
      role: node.role,
      address: node.ip[0] ?? '',
      mac: node.mac,
      stage,
      poweredOnAt: powered[node.name] ?? null,
      lastRequest,
      lastSeenAt: lastRequest?.at ?? null,
      detail: lastRequest ? `${lastRequest.status} ${lastRequest.path}` : '',
    };
  });
  const there = nodes.filter(({ stage }) => BOOT_STAGES.indexOf(stage) >= BOOT_STAGES.indexOf('ignition')).length;
  return { view: { nodes, refusedMacs: strangers }, findings: bootFindings(nodes, strangers, clock.now()), there };
}

/** The furthest stage that a machine's requests prove. */
function furthest(
  requests: readonly { readonly path: string; readonly status: number }[],
  hasLease: boolean,
): BootStage {
  let stage: BootStage = hasLease ? 'lease' : 'off';
  for (const { path, status } of requests) {
    if (status >= 400) continue;
    const reached = stageOf(path);
    if (reached !== null && BOOT_STAGES.indexOf(reached) > BOOT_STAGES.indexOf(stage)) stage = reached;
  }
  return stage;
}

function stageOf(path: string): BootStage | null {
  if (path.startsWith('/ignition/')) return 'ignition';
  if (path.startsWith('/images/')) return /rootfs|metal/.test(path) ? 'rootfs' : 'kernel';
  return path.endsWith('.ipxe') ? 'script' : null;
}
