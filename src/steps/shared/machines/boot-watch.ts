import { ARP_TABLE } from '../../../bastion/probes/neighbour-probe.ts';
import type { DesignNode, NodeRole } from '../../../design/model.ts';
import { nodeFqdn } from '../../../design/names.ts';
import { awaitedSince } from '../../../diagnosis/boot/awaited.ts';
import { BOOT_STAGES, type BootStage } from '../../../diagnosis/boot/evidence.ts';
import { BOOT } from '../../../diagnosis/boot/index.ts';
import { arpTable, logSigns, NO_SIGNS, togetherOf } from '../../../diagnosis/boot/service-signs.ts';
import { furthest } from '../../../diagnosis/boot/stages.ts';
import { type Timeline, timelineOf } from '../../../diagnosis/boot/timeline.ts';
import { FIRST_MISSING } from '../../../diagnosis/causes/boot/first-missing.ts';
import type { CauseId } from '../../../diagnosis/causes/index.ts';
import type { Finding } from '../../../diagnosis/finding.ts';
import { judge } from '../../../diagnosis/rule.ts';
import type { NodeView } from '../../../objects/node.ts';
import { MINUTE } from '../../../ports/clock.ts';
import type { StepContext } from '../../contract.ts';
import { look } from '../access.ts';
import { jobFindings } from '../job-findings.ts';
import { bootRequests } from './boot-requests.ts';
import { closeDoors } from './doors.ts';
import { type Exposure, exposures } from './exposure.ts';
import { anewSince, isDenied, noteReady, poweredOn } from './later-nodes.ts';
import { openPorts } from './node-ports.ts';
import { serviceLooks } from './service-look.ts';
import { BOOT_SERVER_JOB } from './serving.ts';

/** The grid of the boot screen: a row per machine. */
export interface BootView {
  readonly nodes: readonly {
    readonly name: string;
    readonly role: NodeRole;
    readonly address: string;
    readonly mac: string;
    readonly stage: BootStage;
    /** When it was powered on, ms; null: not powered on. */
    readonly poweredOnAt: number | null;
    readonly lastSeenAt: number | null;
    readonly detail: string;
    /** A person reported its machine as installed anew, and the old Node object is still there. */
    readonly isReplaced: boolean;
    /** A person shut it out from its ignition file. */
    readonly isDenied: boolean;
    /** What it showed, and what comes next. */
    readonly timeline: Timeline;
    /** What is likely wrong, by the rule of `diagnose` that proves it; null while nothing is late. */
    readonly likely: CauseId | null;
    /** The MAC address of another machine that answers at its address; null: none that can be seen. */
    readonly takenBy: string | null;
  }[];
  /** Service hosts that cannot be seen from here, in words: what they would tell is missing in the grid. */
  readonly unseen: readonly string[];
  readonly refusedMacs: readonly string[];
  /** The ignition files that are served now. */
  readonly exposures: readonly Exposure[];
  /** The checks before machines that join a running cluster are powered on; failures first. */
  readonly checks: readonly Finding[];
}

/** How far machines have come, by their requests to the boot server and the DHCP server, and by the API. */
export async function watchBoot(
  context: StepContext,
  machines: readonly DesignNode[],
): Promise<{
  readonly view: BootView;
  readonly findings: readonly Finding[];
  /** What is wrong with the boot server, while machines need it; in `findings` too. */
  readonly server: readonly Finding[];
  readonly there: number;
}> {
  const { design, clock } = context;
  const [{ signs, strangers, unseen }, snapshot, job] = await Promise.all([
    bootSigns(context, machines),
    look(context, ['nodes']),
    jobFindings(context, BOOT_SERVER_JOB),
  ]);
  const joined = new Map(snapshot?.nodes?.map((node) => [node.name, node]));
  const powered = poweredOn(context);
  const nodes = signs.map(({ node, since, requests, reached, lease, tftp, answersArp, takenBy }) => {
    const lastRequest = requests.at(-1) ?? null;
    const object = joined.get(nodeFqdn(design, node));
    const stage = isThere(object, since, reached) ? ('ready' as const) : reached;
    const timeline = timelineOf(
      {
        role: node.role,
        boot: design.services.boot.kind,
        poweredOnAt: powered[node.name] ?? null,
        ...(lease === null ? {} : { lease }),
        ...(tftp === null ? {} : { tftp }),
        answersArp,
        requests,
        ports: stage === 'ignition' ? openPorts(context, node) : [],
        node: object && since === null ? { createdAt: object.createdAt, isReady: object.isReady } : null,
      },
      clock.now(),
    );
    const { next } = timeline;
    return {
      timeline,
      likely:
        takenBy !== null ? 'address-taken-twice' : next?.isLate ? likelyCause(next.sign, lastRequest, strangers) : null,
      takenBy,
      name: node.name,
      role: node.role,
      address: node.ip[0] ?? '',
      mac: node.mac,
      stage,
      poweredOnAt: powered[node.name] ?? null,
      lastRequest,
      firstRequestAt: requests[0]?.at ?? null,
      lastSeenAt: lastRequest?.at ?? null,
      isReplaced: since !== null && stage !== 'ready' && joined.has(nodeFqdn(design, node)),
      isDenied: isDenied(context, node.name),
      detail: lastRequest ? `${lastRequest.status} ${lastRequest.path}` : '',
    };
  });
  const isNews = noteReady(
    context,
    nodes.filter(({ stage }) => stage === 'ready').map(({ name }) => name),
  );
  if (isNews) await closeDoors(context);
  const there = nodes.filter(({ stage }) => BOOT_STAGES.indexOf(stage) >= BOOT_STAGES.indexOf('ignition')).length;
  const awaited = awaitedSince(
    nodes.map(({ poweredOnAt, stage, firstRequestAt }) => ({
      poweredOnAt,
      heardOf: stage !== 'off',
      heardAt: firstRequestAt,
    })),
    context.hands.isPerson,
  );
  const seen = nodes.map((node, index) => ({ ...node, awaitedSince: awaited[index] ?? null }));
  // Whoever has fetched everything misses no server.
  const server = there < machines.length ? job : [];
  return {
    view: { nodes, unseen, refusedMacs: strangers, checks: [], exposures: await exposures(context) },
    findings: [
      ...judge(BOOT, { now: clock.now(), boot: design.services.boot.kind, machines: seen, strangers }),
      ...server,
    ],
    server,
    there,
  };
}

/** The machines' requests to the boot server and the DHCP server, and the MAC addresses that are nobody's. */
export async function bootSigns(context: StepContext, machines: readonly DesignNode[]) {
  const { design } = context;
  const { dhcp, bastion } = design.services;
  const telling = [...new Set([dhcp.server, bastion.name])].filter((name) => name !== null);
  const [requests, logs, arp, services] = await Promise.all([
    bootRequests(context),
    Promise.all(telling.map((name) => context.hands.readFile(name, '/var/log/messages'))),
    context.hands.readFile(bastion.name, ARP_TABLE),
    serviceLooks(context),
  ]);
  const told = logs.map((log) => logSigns(log ?? ''));
  const seenHere = { ...NO_SIGNS, neighbours: arpTable(arp ?? '', true) };
  const { leases, fetched, refused, neighbours } = togetherOf([...told, seenHere, services.signs]);
  const planned = new Set(design.nodes.map(({ mac }) => mac));
  const strangers = refused.filter((mac) => !planned.has(mac));
  // What the services have from before is of an earlier installation.
  const first = Math.min(...Object.values(poweredOn(context))) - BEFORE_POWER_ON;
  const signs = machines.map((node) => {
    const clients = new Set(node.ip.map((address) => context.reach(address, 0).host));
    const since = anewSince(context, node.name);
    const mine = requests.filter(({ client, at }) => clients.has(client) && at >= (since ?? 0));
    // A log without times cannot tell an old lease from a new one.
    const isOfNow = ({ at }: { readonly at: number | null }) =>
      at === null ? since === null : at >= (since ?? (Number.isFinite(first) ? first : 0));
    const addresses = new Set(node.ip);
    const at = neighbours.filter(({ address }) => addresses.has(address));
    // Who answers with its own MAC address at its own address has been given it.
    const answersArp = since === null && Number.isFinite(first) && at.some(({ mac }) => mac === node.mac);
    const takenBy = at.find(({ mac, isFresh }) => isFresh && mac !== node.mac)?.mac ?? null;
    const lease = earliest(leases.filter((each) => each.mac === node.mac && isOfNow(each)));
    const tftp = earliest(fetched.filter((each) => addresses.has(each.address) && isOfNow(each)));
    const reached = furthest(mine, answersArp || (lease ?? tftp) !== null);
    return { node, since, requests: mine, reached, lease, tftp, answersArp, takenBy };
  });
  return { signs, strangers, unseen: services.unseen };
}

/** A person switches machines on, and says so a little later. */
const BEFORE_POWER_ON = 60 * MINUTE;

/** The first of several; one without a time where none has any. */
function earliest(all: readonly { readonly at: number | null }[]): { readonly at: number | null } | null {
  if (all.length === 0) return null;
  const times = all.flatMap(({ at }) => at ?? []);
  return { at: times.length === 0 ? null : Math.min(...times) };
}

/** By what did not happen, or by what was refused. */
function likelyCause(
  sign: keyof typeof FIRST_MISSING,
  last: { readonly status: number } | null,
  strangers: readonly string[],
): CauseId {
  if (sign === 'lease' && strangers.length > 0) return 'wrong-mac';
  if (last?.status === 404) return 'boot-file-missing';
  if (last?.status === 403) return 'boot-file-forbidden';
  return FIRST_MISSING[sign];
}

/** Is the node Ready? For a machine installed anew, the old Node object may still say so for a while. */
function isThere(node: NodeView | undefined, since: number | null, reached: BootStage): boolean {
  if (!node?.isReady) return false;
  return since === null || reached === 'ignition' || (node.createdAt ?? 0) >= since;
}
