import { readRequests } from '../bastion/boot-log.ts';
import type { Design, DesignNode, NodeRole } from '../design/model.ts';
import { nodeFqdn } from '../design/names.ts';
import { BOOT_STAGES, type BootEvidence, type BootStage, bootFindings } from '../diagnosis/boot.ts';
import { leasedMacs, refusedMacs } from '../diagnosis/dhcp-log.ts';
import { MINUTE, SECOND } from '../ports/clock.ts';
import { steps } from '../text/en/steps.ts';
import { readyNodes } from './access.ts';
import type { Probe, Step, StepContext } from './contract.ts';
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

export const bootStep: Step<BootView> = {
  id: 'boot',
  lookEvery: 3 * SECOND,
  patience: 30 * MINUTE,
  probe,
  async plan(context) {
    const powered = poweredOn(context);
    const machines = inBootOrder(context.design).filter(({ name }) => powered[name] === undefined);
    const names = machines.map(({ name }) => name).join(', ');
    return {
      changes: machines.map(({ name }) => ({ object: name, what: words.poweredOn, before: null, after: null })),
      isDangerous: false,
      instructions: machines.length > 0 ? [words.byHand(names)] : [],
    };
  },
  async apply(context, report) {
    for (const { name } of inBootOrder(context.design)) {
      const powered = poweredOn(context);
      if (powered[name] !== undefined) continue;
      report(words.powerOn(name));
      await context.hands.powerOn(name);
      context.memory.set('powered-on', { ...powered, [name]: context.clock.now() });
    }
  },
  verify: probe,
};

/** When each machine was powered on (ms of the clock), as far as we know. */
export function poweredOn(context: StepContext): Readonly<Record<string, number>> {
  return context.memory.get<Record<string, number>>('powered-on') ?? {};
}

/** Bootstrap first, then all of the control plane promptly, then the others: each waits for the one before. */
export function inBootOrder(design: Design): DesignNode[] {
  const rank = (role: NodeRole) => (role === 'bootstrap' ? 0 : role === 'control-plane' ? 1 : 2);
  return [...design.nodes].sort((a, b) => rank(a.role) - rank(b.role));
}

async function probe(context: StepContext): Promise<Probe<BootView>> {
  const { design, clock } = context;
  const [{ requests }, log, ready] = await Promise.all([
    readRequests(workspace(context.dir).bootLog),
    design.services.dhcp.server === null
      ? null
      : context.hands.readFile(design.services.dhcp.server, '/var/log/messages'),
    readyNodes(context),
  ]);
  const leased = new Set(leasedMacs(log ?? ''));
  const planned = new Set(design.nodes.map(({ mac }) => mac));
  const strangers = refusedMacs(log ?? '').filter((mac) => !planned.has(mac));
  const powered = poweredOn(context);
  const evidence = inBootOrder(design).map((node): BootEvidence => {
    const clients = new Set(node.ip.map((address) => context.reach(address, 0).host));
    const mine = requests.filter(({ client }) => clients.has(client));
    const stage = ready.has(nodeFqdn(design, node)) ? 'ready' : furthest(mine, leased.has(node.mac));
    const last = mine.at(-1) ?? null;
    return { name: node.name, mac: node.mac, stage, poweredOnAt: powered[node.name] ?? null, lastRequest: last };
  });
  const view: BootView = {
    refusedMacs: strangers,
    nodes: evidence.map((seen) => {
      const node = design.nodes.find(({ name }) => name === seen.name);
      const detail = seen.lastRequest ? `${seen.lastRequest.status} ${seen.lastRequest.path}` : '';
      return {
        ...seen,
        role: node?.role ?? 'compute',
        address: node?.ip[0] ?? '',
        lastSeenAt: seen.lastRequest?.at ?? null,
        detail,
      };
    }),
  };
  const there = evidence.filter(({ stage }) => BOOT_STAGES.indexOf(stage) >= BOOT_STAGES.indexOf('ignition'));
  if (there.length === evidence.length)
    return { state: 'done', summary: words.allThere(evidence.length), view, findings: [] };
  const off = evidence.filter(({ poweredOnAt, stage }) => poweredOnAt === null && stage === 'off');
  if (off.length > 0) return { state: 'needed', summary: words.needed(off.length), view, findings: [] };
  const findings = bootFindings(evidence, strangers, clock.now());
  return { state: 'waiting', summary: words.waiting(there.length, evidence.length), view, findings };
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
