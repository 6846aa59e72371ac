import type { Judgement } from '../../cluster/csr/judgement.ts';
import type { DesignNode } from '../../design/model.ts';
import { nodeFqdn } from '../../design/names.ts';
import type { NodeView } from '../../objects/node.ts';
import { MINUTE } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { timeOfDay } from '../../text/time-of-day.ts';
import type { StepContext } from '../contract.ts';
import { bootRequests } from '../shared/machines/boot-requests.ts';
import { stageOf } from '../shared/machines/boot-watch.ts';

const words = () => catalogue().csr;

/**
 * A node of the cluster asks to join once more. `again`: it is away, and its machine was installed since. `running`: it is
 * Ready, so it has its certificate and asks for none. `unseen`: it is away, and nothing was seen of an installation since.
 */
export interface Rejoining {
  readonly kind: 'again' | 'running' | 'unseen';
  /** When its machine last fetched what an installation fetches (ms), of `again`; null else. */
  readonly installedAt: number | null;
}

/** By the names of the requests. */
export type Rejoinings = ReadonlyMap<string, Rejoining>;

/** A cluster takes 40 to 50 s to notice that a node is away (node-monitor-grace-period), and clocks differ a little. */
const NOTICED_WITHIN = 5 * MINUTE;
const CLOCKS_APART = MINUTE;

/**
 * Tells nodes that join again after they were installed anew from somebody who pretends to be one: by the log of the boot
 * server, and by whether the node is there. It proves nothing; a person decides.
 */
export async function rejoinings(
  context: StepContext,
  requests: readonly Judgement[],
  nodes: readonly NodeView[],
): Promise<Rejoinings> {
  // A node that asks under its own name renews its certificate: it is who it says.
  const asked = requests.filter(
    ({ verdict, reasons, requester, node }) =>
      verdict === 'refused' && reasons.includes('NODE_EXISTS') && requester !== `system:node:${node}`,
  );
  if (asked.length === 0) return new Map();
  const installs = (await bootRequests(context)).filter(({ path, status }) => {
    const stage = status < 400 ? stageOf(path) : null;
    return stage === 'rootfs' || stage === 'ignition';
  });
  const timesOf = (node: DesignNode) => {
    const clients = new Set(node.ip.map((address) => context.reach(address, 0).host));
    return installs.filter(({ client }) => clients.has(client)).map(({ at }) => at);
  };
  return new Map(
    asked.flatMap((request) => {
      const planned = context.design.nodes.find((node) => nodeFqdn(context.design, node) === request.node);
      const node = nodes.find(({ name }) => name === request.node);
      return planned && node ? [[request.name, judge(request, node, timesOf(planned))] as const] : [];
    }),
  );
}

function judge({ requestedAt }: Judgement, node: NodeView, installs: readonly number[]): Rejoining {
  if (node.isReady) return { kind: 'running', installedAt: null };
  const createdAt = node.createdAt ?? 0;
  const since = Math.max(createdAt, (node.goneSince ?? createdAt) - NOTICED_WITHIN);
  const until = (requestedAt ?? 0) + CLOCKS_APART;
  const installedAt = installs.findLast((at) => at >= since && at <= until) ?? null;
  return { kind: installedAt === null ? 'unseen' : 'again', installedAt };
}

/** Why a request is not approved by itself, in sentences; of a node that is there already, what speaks for and against it. */
export function whyNot({ name, reasons }: Pick<Judgement, 'name' | 'reasons'>, known?: Rejoinings): string[] {
  const rejoining = known?.get(name);
  return reasons.map((code) => (code === 'NODE_EXISTS' && rejoining ? sentenceOf(rejoining) : words().reasons[code]));
}

function sentenceOf({ kind, installedAt }: Rejoining): string {
  const { again, running, unseen } = words().rejoining;
  if (kind === 'again') return again(timeOfDay(installedAt ?? 0));
  return kind === 'running' ? running : unseen;
}
