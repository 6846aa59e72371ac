import { nodeScriptPath } from '../../artifacts/shared/layout.ts';
import { ownAddresses } from '../../bastion/machine/facts.ts';
import { nodeFqdn, serviceHosts } from '../../design/names.ts';
import { awaitedSince } from '../../diagnosis/boot/awaited.ts';
import type { Evidence, MachineSeen } from '../../diagnosis/causes/evidence.ts';
import type { StepContext } from '../contract.ts';
import { hasReached } from '../shared/hosts/live-stage.ts';
import { isDone } from '../shared/installer/bootstrap-progress.ts';
import { bootRequests } from '../shared/machines/boot-requests.ts';
import { bootSigns } from '../shared/machines/boot-watch.ts';
import { poweredOn, wasSeenReady } from '../shared/machines/later-nodes.ts';
import { serviceLooks } from '../shared/machines/service-look.ts';

/** The machines of the design on their way into the cluster. @param joined full names of the Nodes that the API has */
export async function machinesSeen(
  context: StepContext,
  joined: ReadonlySet<string>,
): Promise<Pick<Evidence, 'machines' | 'strangers' | 'misplaced'>> {
  const { design, hands } = context;
  // Whoever asks for causes asks once.
  await serviceLooks(context, true);
  const [{ signs, strangers }, misplaced] = await Promise.all([
    bootSigns(context, design.nodes),
    misplacedRequests(context),
  ]);
  const powered = poweredOn(context);
  const isBootstrapOver = isDone(context, 'complete') || hasReached(context, 'bootstrap-removed');
  const machines = signs.map(({ node, requests, reached, takenBy }) => {
    const isIn = joined.has(nodeFqdn(design, node)) || wasSeenReady(context, node.name);
    const hasJoined = isIn || (node.role === 'bootstrap' && isBootstrapOver);
    const poweredOnAt = powered[node.name] ?? null;
    return {
      name: node.name,
      address: node.ip[0] ?? '',
      mac: node.mac,
      role: node.role,
      stage: isIn ? ('ready' as const) : reached,
      poweredOnAt,
      lastRequest: requests.at(-1) ?? null,
      // What an earlier installation of the machine asked for is of no interest.
      requests: requests.filter(({ at }) => at >= (poweredOnAt ?? 0)),
      takenBy,
      hasJoined,
    };
  });
  const awaited = awaitedSince(
    machines.map(({ poweredOnAt, stage, requests }) => ({
      poweredOnAt,
      heardOf: stage !== 'off',
      heardAt: requests[0]?.at ?? null,
    })),
    hands.isPerson,
  );
  const seen = machines.map((machine, index): MachineSeen => ({ ...machine, awaitedSince: awaited[index] ?? null }));
  return { machines: seen, strangers, misplaced };
}

/** Who asked last for the script of a node, from an address that is neither its own nor of a service host. */
async function misplacedRequests(context: StepContext): Promise<Evidence['misplaced']> {
  const { design, reach } = context;
  const planned = (addresses: readonly string[]) => addresses.map((address) => reach(address, 0).host);
  // We ask for every script ourselves, to see that it is there.
  const ours = new Set([
    ...ownAddresses(),
    '127.0.0.1',
    '::1',
    ...serviceHosts(design).flatMap(({ ip }) => planned(ip)),
  ]);
  const requests = await bootRequests(context);
  return design.nodes.flatMap((node) => {
    const own = planned(node.ip);
    const path = nodeScriptPath(node);
    const last = requests.findLast((each) => each.path.startsWith(path) && !ours.has(each.client));
    return last === undefined || own.includes(last.client) ? [] : [{ node: node.name, from: last.client, path }];
  });
}
