import type { BootstrapEvidence, PortEvidence, StuckEvidence } from '../../checks/bootstrap/evidence.ts';
import { apiIntName, apiName, nodeFqdn, nodesWithRole } from '../../design/derived-facts.ts';
import type { Snapshot } from '../../kube/snapshot.ts';
import { SECOND } from '../../platform/clock.ts';

import { probeTcp } from '../../probes/probes.ts';
import type { StepContext } from '../contract.ts';
import { openCluster, readSnapshot } from '../shared/cluster-access.ts';
import { probeDnsServers } from '../shared/hosts/service-checks.ts';
import { getBootstrapNodeReport } from '../shared/installer/bootstrap-node.ts';

/** Evidence of one probe, with the full snapshot of the API. */
export interface BootstrapObservation extends BootstrapEvidence {
  readonly snapshot: Snapshot | null;
}

const TIMEOUT = 3 * SECOND;

/** Probes the bootstrap node, the control plane nodes, the load balancer and the API. */
export async function gatherBootstrapEvidence(context: StepContext): Promise<BootstrapObservation> {
  const [ports, snapshot, readyz] = await Promise.all([
    probePorts(context),
    readSnapshot(context, ['nodes', 'bootstrapStatus', 'etcdBootstrapMemberRemoved']),
    getReadyz(context),
  ]);
  return {
    ports,
    snapshot,
    readyz,
    members: listMembers(context, snapshot),
    nodeServices: getBootstrapNodeReport(context),
  };
}

function probePorts({ design, resolveEndpoint, clock }: StepContext): Promise<PortEvidence[]> {
  const { endpoints, topology } = design;
  const nodes = [...nodesWithRole(design, 'bootstrap'), ...nodesWithRole(design, 'control-plane')];
  const listPorts = (host: string, kind: PortEvidence['kind'], addresses: readonly string[], ports: (6443 | 22623)[]) =>
    addresses.flatMap((address) => {
      const label = addresses.length === 1 ? host : `${host} (${address})`;
      return ports.map((port) => ({ host: label, kind, address, port }));
    });
  const wanted = [
    ...nodes.flatMap(({ name, role, ip }) =>
      listPorts(name, role === 'bootstrap' ? 'bootstrap' : 'control-plane', ip.slice(0, 1), [6443, 22623]),
    ),
    // A single node is probed directly: there is no load balancer before it.
    ...(topology === 'single-node' ? [] : listPorts('api', 'api', endpoints.api, [6443])),
    ...(topology === 'single-node' ? [] : listPorts('api-int', 'api-int', endpoints.apiInt, [6443, 22623])),
  ];
  return Promise.all(
    wanted.map(async (each) => ({
      ...each,
      state: (await probeTcp(resolveEndpoint, clock, each.address, each.port, TIMEOUT)).state,
    })),
  );
}

async function getReadyz(context: StepContext): Promise<BootstrapEvidence['readyz']> {
  try {
    const failing = await (await openCluster(context))?.readyz();
    return failing === undefined ? null : { isReady: failing === null, failing: failing ?? '' };
  } catch {
    // The snapshot says why it does not answer.
    return null;
  }
}

function listMembers({ design }: StepContext, snapshot: Snapshot | null): BootstrapEvidence['members'] {
  const known = new Map(snapshot?.nodes?.map((node) => [node.name, node]));
  return nodesWithRole(design, 'control-plane').map((node) => {
    const found = known.get(nodeFqdn(design, node));
    return { name: node.name, hasJoined: found !== undefined, isReady: found?.isReady ?? false };
  });
}

/** Gathers further evidence for a stage that makes no progress. */
export async function gatherStuckEvidence(
  context: StepContext,
  evidence: BootstrapEvidence,
  stuck: Pick<StuckEvidence, 'stage' | 'stageTitle' | 'quietFor'>,
): Promise<StuckEvidence> {
  const { design } = context;
  const machine = nodesWithRole(design, 'bootstrap')[0] ?? nodesWithRole(design, 'control-plane')[0];
  return {
    ...evidence,
    ...stuck,
    topology: design.topology,
    machine: { name: machine?.name ?? '', address: machine?.ip[0] ?? '' },
    wrongNames: stuck.stage === 'joined' ? await findWrongNames(context) : [],
  };
}

/** Finds wrong answers for the names that every node looks up. */
async function findWrongNames(context: StepContext): Promise<StuckEvidence['wrongNames']> {
  const names = [apiName(context.design), apiIntName(context.design)];
  return (await Promise.all(probeDnsServers(context))).filter(({ isOk, what }) => !isOk && names.includes(what));
}
