import { tcpProbe } from '../../bastion/probes/probes.ts';
import type { Snapshot } from '../../cluster/snapshot.ts';
import { apiIntName, apiName, nodeFqdn, nodesWithRole } from '../../design/names.ts';
import type { BootstrapEvidence, PortEvidence, StuckEvidence } from '../../diagnosis/bootstrap/evidence.ts';
import { SECOND } from '../../ports/clock.ts';
import type { StepContext } from '../contract.ts';
import { look, openCluster } from '../shared/access.ts';
import { dnsChecks } from '../shared/hosts/service-checks.ts';
import { lookInside } from '../shared/installer/bootstrap-node.ts';

/** What we saw, and the whole answer of the API. */
export interface BootstrapSight extends BootstrapEvidence {
  readonly snapshot: Snapshot | null;
}

const TIMEOUT = 3 * SECOND;

/** Asks the bootstrap node, the control plane nodes, the load balancer and the API. */
export async function gatherEvidence(context: StepContext): Promise<BootstrapSight> {
  const [ports, snapshot, readyz] = await Promise.all([
    askPorts(context),
    look(context, ['nodes', 'bootstrapStatus', 'etcdBootstrapMemberRemoved']),
    askReadyz(context),
  ]);
  return { ports, snapshot, readyz, members: membersOf(context, snapshot), inside: lookInside(context) };
}

function askPorts({ design, reach, clock }: StepContext): Promise<PortEvidence[]> {
  const { endpoints, topology } = design;
  const nodes = [...nodesWithRole(design, 'bootstrap'), ...nodesWithRole(design, 'control-plane')];
  const of = (host: string, kind: PortEvidence['kind'], addresses: readonly string[], ports: (6443 | 22623)[]) =>
    addresses.flatMap((address) => {
      const where = addresses.length === 1 ? host : `${host} (${address})`;
      return ports.map((port) => ({ host: where, kind, address, port }));
    });
  const wanted = [
    ...nodes.flatMap(({ name, role, ip }) =>
      of(name, role === 'bootstrap' ? 'bootstrap' : 'control-plane', ip.slice(0, 1), [6443, 22623]),
    ),
    // Ask a single node directly: nothing stands before it.
    ...(topology === 'single-node' ? [] : of('api', 'api', endpoints.api, [6443])),
    ...(topology === 'single-node' ? [] : of('api-int', 'api-int', endpoints.apiInt, [6443, 22623])),
  ];
  return Promise.all(
    wanted.map(async (each) => ({
      ...each,
      state: (await tcpProbe(reach, clock, each.address, each.port, TIMEOUT)).state,
    })),
  );
}

async function askReadyz(context: StepContext): Promise<BootstrapEvidence['readyz']> {
  try {
    const failing = await (await openCluster(context))?.readyz();
    return failing === undefined ? null : { isReady: failing === null, failing: failing ?? '' };
  } catch {
    // The look says why it does not answer.
    return null;
  }
}

function membersOf({ design }: StepContext, snapshot: Snapshot | null): BootstrapEvidence['members'] {
  const known = new Map(snapshot?.nodes?.map((node) => [node.name, node]));
  return nodesWithRole(design, 'control-plane').map((node) => {
    const found = known.get(nodeFqdn(design, node));
    return { name: node.name, hasJoined: found !== undefined, isReady: found?.isReady ?? false };
  });
}

/** What else to look at when a stage makes no progress any more. */
export async function stuckEvidence(
  context: StepContext,
  seen: BootstrapEvidence,
  stuck: Pick<StuckEvidence, 'stage' | 'stageTitle' | 'quietFor'>,
): Promise<StuckEvidence> {
  const { design } = context;
  const machine = nodesWithRole(design, 'bootstrap')[0] ?? nodesWithRole(design, 'control-plane')[0];
  return {
    ...seen,
    ...stuck,
    topology: design.topology,
    machine: { name: machine?.name ?? '', address: machine?.ip[0] ?? '' },
    wrongNames: stuck.stage === 'joined' ? await wrongNames(context) : [],
  };
}

/** Of the names that every node looks up. */
async function wrongNames(context: StepContext): Promise<StuckEvidence['wrongNames']> {
  const names = [apiName(context.design), apiIntName(context.design)];
  return (await Promise.all(dnsChecks(context))).filter(({ isOk, what }) => !isOk && names.includes(what));
}
