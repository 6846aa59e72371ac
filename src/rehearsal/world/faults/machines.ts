import { nodesWithRole } from '../../../design/derived-facts.ts';
import { WORKER_ROLES } from '../../../design/model.ts';
import { deriveRandom } from '../../site/seeded-random.ts';
import type { Machine } from '../machines/machine.ts';
import type { World } from '../world.ts';

export type MachineMap = ReadonlyMap<string, Machine>;

/** etcd keeps its quorum with one of three members lost. With fewer members it would not. */
const MIN_MEMBERS = 3;

/** Powers off one control plane machine. */
export function powerOffControlPlaneNode(world: World, machines: MachineMap): boolean {
  const nodes = nodesWithRole(world.design, 'control-plane');
  const machine = pickJoinedMachine(world, machines, 'etcd-member-lost', nodes);
  if (nodes.length < MIN_MEMBERS || machine === undefined) return false;
  machine.powerOff();
  return true;
}

/** Starts one compute node again that was off for longer than its certificates are valid. */
export function expireNodeCredentials(world: World, machines: MachineMap): boolean {
  const nodes = nodesWithRole(world.design, ...WORKER_ROLES);
  const machine = pickJoinedMachine(world, machines, 'node-credentials-expired', nodes);
  if (machine === undefined) return false;
  machine.powerOff();
  Object.assign(machine.state, { isExpired: true, client: null, serving: null, servingCertificate: null });
  machine.powerOn();
  return true;
}

function pickJoinedMachine(
  { seed }: World,
  machines: MachineMap,
  fault: string,
  nodes: readonly { readonly name: string }[],
): Machine | undefined {
  const joined = nodes.flatMap(({ name }) => machines.get(name) ?? []).filter(({ state }) => state.stage === 'joined');
  return joined[Math.floor(deriveRandom(seed, fault) * joined.length)];
}
