import { tcpProbe } from '../../bastion/probes.ts';
import type { TcpState } from '../../bastion/tcp-failure.ts';
import type { Snapshot } from '../../cluster/snapshot.ts';
import { nodeFqdn, nodesWithRole } from '../../design/names.ts';
import { SECOND } from '../../ports/clock.ts';
import type { StepContext } from '../contract.ts';
import { look, openCluster } from '../shared/access.ts';
import { type Inside, lookInside } from '../shared/installer/bootstrap-node.ts';

/** A port that the bootstrap needs, and how it behaves towards us. */
export interface PortEvidence {
  /** A node's short name, or the endpoint through the load balancer. */
  readonly host: string;
  readonly kind: 'bootstrap' | 'control-plane' | 'api' | 'api-int';
  readonly address: string;
  readonly port: 6443 | 22623;
  readonly state: TcpState;
}

/** A control plane node of the design, as the API has it. */
interface MemberEvidence {
  readonly name: string;
  readonly hasJoined: boolean;
  readonly isReady: boolean;
}

/** What was seen of the bootstrap in one look. Nothing of it is taken from what we did. */
export interface BootstrapEvidence {
  readonly ports: readonly PortEvidence[];
  readonly snapshot: Snapshot | null;
  /** What /readyz says through the load balancer: null while it was not asked or gave no answer. */
  readonly readyz: { readonly isReady: boolean; readonly failing: string } | null;
  readonly members: readonly MemberEvidence[];
  /** What the bootstrap node says of itself over SSH; null where it lets nobody in. */
  readonly inside: Inside | null;
}

const TIMEOUT = 3 * SECOND;

/** Asks the bootstrap node, the control plane nodes, the load balancer and the API. */
export async function gatherEvidence(context: StepContext): Promise<BootstrapEvidence> {
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
    // A single node is asked itself: nothing stands before it.
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
    // Why it does not answer is what the look says.
    return null;
  }
}

function membersOf({ design }: StepContext, snapshot: Snapshot | null): MemberEvidence[] {
  const known = new Map(snapshot?.nodes?.map((node) => [node.name, node]));
  return nodesWithRole(design, 'control-plane').map((node) => {
    const found = known.get(nodeFqdn(design, node));
    return { name: node.name, hasJoined: found !== undefined, isReady: found?.isReady ?? false };
  });
}

/** The ports of one kind and number. */
export function portsOf(
  { ports }: BootstrapEvidence,
  kind: PortEvidence['kind'],
  port: PortEvidence['port'],
): PortEvidence[] {
  return ports.filter((each) => each.kind === kind && each.port === port);
}
