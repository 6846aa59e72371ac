import { CLOUD_RESOLVER } from '../../../design/example-cloud.ts';
import { listAt, textAt } from '../../api/objects.ts';
import { type MachineState, newMachine } from '../saved.ts';
import type { World } from '../world.ts';
import { MACHINE_API, MACHINES } from './machines.ts';

/** The machines of the world: those of the rack, and those of the cloud that have become nodes. */
export function allMachines(world: World): MachineState[] {
  return [...Object.values(world.saved.machines), ...(world.cloud === null ? [] : instances(world))];
}

function instances({ store, design }: World): MachineState[] {
  const [network] = design.networks.machine;
  return store.list(MACHINES, MACHINE_API).flatMap((machine): MachineState[] => {
    const hostname = textAt(machine, 'status', 'nodeRef', 'name');
    const node = store.get('nodes', null, hostname);
    if (node === undefined) return [];
    const { name, labels = {} } = machine.metadata;
    const joinedAt = Date.parse(node.metadata.creationTimestamp);
    const lease = {
      address: textAt(listAt(machine, 'status', 'addresses')[0], 'address'),
      prefix: 16,
      hostname,
      domain: null,
      nameServers: [CLOUD_RESOLVER],
      routers: [network?.gateway ?? ''],
      filename: null,
      nextServer: null,
    };
    const isMaster = labels['machine.openshift.io/cluster-api-machine-role'] === 'master';
    const kind = isMaster ? ('master' as const) : ('worker' as const);
    return [{ ...newMachine({ name }, joinedAt), stage: 'joined', lease, hostname, kind, joinedAt }];
  });
}
