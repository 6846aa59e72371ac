import { WORKER_ROLES } from '../../../design/model.ts';
import { nodesWithRole } from '../../../design/names.ts';
import { chance } from '../../site/random.ts';
import type { Machine } from '../machines/machine.ts';
import type { World } from '../world.ts';

export type Machines = ReadonlyMap<string, Machine>;

/** etcd goes on with one member less of three; with fewer it would not. */
const LEAST_MEMBERS = 3;

/** One control plane machine loses its power. */
export function switchOffControlPlane(world: World, machines: Machines): boolean {
  const nodes = nodesWithRole(world.design, 'control-plane');
  const machine = oneOf(world, machines, 'etcd-member-lost', nodes);
  if (nodes.length < LEAST_MEMBERS || machine === undefined) return false;
  machine.powerOff();
  return true;
}

/** One compute node was off for longer than its certificates live, and starts again. */
export function runOutOfCredentials(world: World, machines: Machines): boolean {
  const nodes = nodesWithRole(world.design, ...WORKER_ROLES);
  const machine = oneOf(world, machines, 'node-credentials-expired', nodes);
  if (machine === undefined) return false;
  machine.powerOff();
  Object.assign(machine.state, { isExpired: true, client: null, serving: null, servingCertificate: null });
  machine.powerOn();
  return true;
}

function oneOf(
  { seed }: World,
  machines: Machines,
  fault: string,
  nodes: readonly { readonly name: string }[],
): Machine | undefined {
  const joined = nodes.flatMap(({ name }) => machines.get(name) ?? []).filter(({ state }) => state.stage === 'joined');
  return joined[Math.floor(chance(seed, fault) * joined.length)];
}
