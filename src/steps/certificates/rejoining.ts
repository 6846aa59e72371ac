import type { Judgement } from '../../cluster/csr/judgement.ts';
import type { DesignNode } from '../../design/model.ts';
import { nodeFqdn } from '../../design/names.ts';
import { stageOf } from '../../diagnosis/boot/stages.ts';
import { type Rejoining, rejoiningOf } from '../../diagnosis/certificates/rejoining.ts';
import type { NodeView } from '../../objects/node.ts';
import { catalogue } from '../../text/catalogue.ts';
import { timeOfDay } from '../../text/time-of-day.ts';
import type { StepContext } from '../contract.ts';
import { bootRequests } from '../shared/machines/boot-requests.ts';

const words = () => catalogue().csr;

/** By the names of the requests. */
export type Rejoinings = ReadonlyMap<string, Rejoining>;

/**
 * Tells nodes that join again after a new installation from somebody who pretends to be one: by the log of the boot
 * server, and by whether the node exists. This proves nothing; a person decides.
 */
export async function rejoinings(
  context: StepContext,
  requests: readonly Judgement[],
  nodes: readonly NodeView[],
): Promise<Rejoinings> {
  // A node that asks under its own name renews its certificate: it is what it claims to be.
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
      return planned && node ? [[request.name, rejoiningOf(request, node, timesOf(planned))] as const] : [];
    }),
  );
}

/** Why a request is not approved automatically, in sentences; for an existing node, the evidence for and against it. */
export function whyNot({ name, reasons }: Pick<Judgement, 'name' | 'reasons'>, known?: Rejoinings): string[] {
  const rejoining = known?.get(name);
  return reasons.map((code) => (code === 'NODE_EXISTS' && rejoining ? sentenceOf(rejoining) : words().reasons[code]));
}

function sentenceOf({ kind, installedAt }: Rejoining): string {
  const { again, running, unseen } = words().rejoining;
  if (kind === 'again') return again(timeOfDay(installedAt ?? 0));
  return kind === 'running' ? running : unseen;
}
