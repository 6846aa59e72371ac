import { nodeScriptPath } from '../../artifacts/shared/generator.ts';
import { deriveAwaitedSince } from '../../checks/boot/boot-activity.ts';
import type { Evidence, ObservedMachine } from '../../checks/rules/evidence.ts';
import { nodeFqdn, serviceHosts } from '../../design/derived-facts.ts';

import { listLocalAddresses } from '../../host/machine.ts';

import type { StepContext } from '../contract.ts';
import { hasReachedStage } from '../shared/hosts/live-stage.ts';
import { isStageDone } from '../shared/installer/bootstrap-progress.ts';
import { collectBootSigns } from '../shared/machines/boot-progress.ts';
import { readBootRequests } from '../shared/machines/boot-requests.ts';
import { readPowerOnTimes, wasEverReady } from '../shared/machines/node-facts.ts';
import { probeServiceHosts } from '../shared/machines/service-probe.ts';

/**
 * Observes the machines of the design until they join the cluster.
 * @param joined full names of the Nodes in the API
 */
export async function observeMachines(
  context: StepContext,
  joined: ReadonlySet<string>,
): Promise<Pick<Evidence, 'machines' | 'unknownMacs' | 'mismatchedRequests'>> {
  const { design, manualActions } = context;
  // A single diagnosis waits for the probes of all service hosts.
  await probeServiceHosts(context, true);
  const [{ signs, unknownMacs }, mismatchedRequests] = await Promise.all([
    collectBootSigns(context, design.nodes),
    findMismatchedRequests(context),
  ]);
  const powered = readPowerOnTimes(context);
  const isBootstrapComplete = isStageDone(context, 'complete') || hasReachedStage(context, 'bootstrap-removed');
  const machines = signs.map(({ node, requests, reached, conflictingMac }) => {
    const hasNode = joined.has(nodeFqdn(design, node)) || wasEverReady(context, node.name);
    const hasJoined = hasNode || (node.role === 'bootstrap' && isBootstrapComplete);
    const poweredOnAt = powered[node.name] ?? null;
    return {
      name: node.name,
      address: node.ip[0] ?? '',
      mac: node.mac,
      role: node.role,
      stage: hasNode ? ('ready' as const) : reached,
      poweredOnAt,
      lastRequest: requests.at(-1) ?? null,
      // Requests of an earlier installation of the machine are not relevant.
      requests: requests.filter(({ at }) => at >= (poweredOnAt ?? 0)),
      conflictingMac,
      hasJoined,
    };
  });
  const awaited = deriveAwaitedSince(
    machines.map(({ poweredOnAt, stage, requests }) => ({
      poweredOnAt,
      hasSign: stage !== 'off',
      firstSignAt: requests[0]?.at ?? null,
    })),
    manualActions.isManual,
  );
  const observed = machines.map(
    (machine, index): ObservedMachine => ({ ...machine, awaitedSince: awaited[index] ?? null }),
  );
  return { machines: observed, unknownMacs, mismatchedRequests };
}

/**
 * Finds the last request for the script of each node if it came from an address that is neither the node's nor a
 * service host's.
 */
async function findMismatchedRequests(context: StepContext): Promise<Evidence['mismatchedRequests']> {
  const { design, resolveEndpoint } = context;
  const resolveHosts = (addresses: readonly string[]) => addresses.map((address) => resolveEndpoint(address, 0).host);
  // The wizard requests every script itself, to check that it is served.
  const knownClients = new Set([
    ...listLocalAddresses(),
    '127.0.0.1',
    '::1',
    ...serviceHosts(design).flatMap(({ ip }) => resolveHosts(ip)),
  ]);
  const requests = await readBootRequests(context);
  return design.nodes.flatMap((node) => {
    const nodeAddresses = resolveHosts(node.ip);
    const path = nodeScriptPath(node);
    const last = requests.findLast((each) => each.path.startsWith(path) && !knownClients.has(each.client));
    return last === undefined || nodeAddresses.includes(last.client)
      ? []
      : [{ node: node.name, from: last.client, path }];
  });
}
