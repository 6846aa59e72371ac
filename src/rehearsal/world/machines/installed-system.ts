import { SECOND } from '../../../ports/clock.ts';
import { foreignLease, STRANGER, takenAddress } from '../network/neighbours.ts';
import { reverseName } from '../network/reverse-name.ts';
import type { MachineStage, MachineState } from '../saved.ts';
import { readIgnition } from './ignition.ts';
import type { MachineContext } from './machine-context.ts';

const FETCH_RETRY = 10 * SECOND;

/** The value of a kernel argument, or null. */
export function argument(words: readonly string[], name: string): string | null {
  return words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
}

/** The installed system: an address, a name, and what its ignition says it is. */
export async function bootDisk(machine: MachineContext): Promise<MachineStage> {
  const { state, print } = machine;
  await joinNetwork(machine, state.disk?.kernelArguments ?? []);
  if (state.joinedAt !== null) return state.isExpired === true ? 'kubelet' : 'joined';
  const role = readIgnition(state.disk?.ignition ?? '');
  switch (role.kind) {
    case 'bootstrap':
      return 'release-image';
    case 'pointer':
      return 'machine-config';
    case 'node':
      state.kind = 'master';
      return 'pivoting';
    case 'unusable':
      print(`ignition: ${role.why}`);
      return 'stopped';
  }
}

/** Static kernel arguments if there are any, else DHCP; the name from there, else from the reverse zone. */
export async function joinNetwork(machine: MachineContext, words: readonly string[]): Promise<void> {
  const { world, state, network, print, sleep } = machine;
  const fixed = staticLease(words);
  for (;;) {
    const lease = fixed ?? askForLease(machine);
    if (lease !== null && lease.address !== takenAddress(world)) {
      state.lease = lease;
      break;
    }
    if (lease === null) print('NetworkManager: no DHCP lease');
    else refuseTaken(machine, lease.address, fixed === null);
    await sleep(FETCH_RETRY);
  }
  state.hostname = state.lease.hostname ?? null;
  if (state.hostname === null) {
    const [name] = await network().lookUp(reverseName(state.lease.address), 'PTR');
    state.hostname = name?.replace(/\.$/, '') ?? null;
  }
}

/** An operating system takes the first offer, whoever makes it. */
function askForLease({ world, hardware }: MachineContext): MachineState['lease'] {
  const client = { mac: hardware.mac, architecture: null, userClass: null };
  const foreign = foreignLease(world, hardware.name, hardware.mac);
  if (foreign === null) return world.hosts.askDhcp(client);
  world.hosts.overhearDhcp(client, foreign.address, foreign.routers[0] ?? '');
  return foreign;
}

/** Before it uses an address a machine asks who has it (RFC 5227), and declines one that somebody has. */
function refuseTaken({ world, hardware, print }: MachineContext, address: string, isLease: boolean): void {
  print(
    `NetworkManager: IPv4 address ${address} is used on network connected to interface 2 (enp1s0) from host ${STRANGER.toUpperCase()}`,
  );
  if (isLease) world.hosts.noteDhcp(`DHCPDECLINE of ${address} from ${hardware.mac} via eth0: not found`);
}

/** `ip=172.16.0.21::172.16.0.254:255.255.255.0:m1.ocp45.example:enp1s0:none` and `nameserver=`. */
function staticLease(words: readonly string[]): MachineState['lease'] {
  const fields = (argument(words, 'ip') ?? '').split(':');
  const [address = '', , gateway = '', , hostname = ''] = fields;
  if (!/^\d+\.\d+\.\d+\.\d+$/.test(address)) return null;
  return {
    address,
    prefix: null,
    hostname: hostname === '' ? null : hostname,
    domain: null,
    nameServers: words.filter((word) => word.startsWith('nameserver=')).map((word) => word.slice(11)),
    routers: gateway === '' ? [] : [gateway],
    filename: null,
    nextServer: null,
  };
}

/** Ignition's first boot: asks the machine config server until it answers. */
export async function fetchMachineConfig(machine: MachineContext): Promise<MachineStage> {
  const { state, network, print, sleep } = machine;
  const role = readIgnition(state.disk?.ignition ?? '');
  if (role.kind !== 'pointer') return 'stopped';
  for (let attempt = 1; ; attempt += 1) {
    const found = await network()
      .fetch(role.url, role.authority)
      .catch((error: Error) => error);
    if (!(found instanceof Error) && found.status === 200) break;
    const why = found instanceof Error ? found.message : `HTTP status ${found.status}`;
    print(`ignition: GET ${role.url}: attempt #${attempt}: GET error: ${why}`);
    // Ignition backs off up to five seconds.
    await sleep(5 * SECOND);
  }
  state.kind = role.url.endsWith('/master') ? 'master' : 'worker';
  print(`ignition: GET ${role.url}: GET result: OK`);
  return 'pivoting';
}
