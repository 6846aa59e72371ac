import { CLOUD_RESOLVER } from '../../../design/example.ts';
import { getList, getString } from '../../api/objects.ts';
import { createMachineState, type MachineState } from '../saved.ts';
import type { World } from '../world.ts';
import { MACHINE_API_NAMESPACE, MACHINES } from './machines.ts';

/** Lists the machines of the world: the simulated hardware, and cloud instances that have joined as nodes. */
export function listMachines(world: World): MachineState[] {
  return [...Object.values(world.saved.machines), ...(world.cloud === null ? [] : listInstances(world))];
}

function listInstances({ store, design }: World): MachineState[] {
  const [network] = design.networks.machine;
  return store.list(MACHINES, MACHINE_API_NAMESPACE).flatMap((machine): MachineState[] => {
    const hostname = getString(machine, 'status', 'nodeRef', 'name');
    const node = store.get('nodes', null, hostname);
    if (node === undefined) return [];
    const { name, labels = {} } = machine.metadata;
    const joinedAt = Date.parse(node.metadata.creationTimestamp);
    const lease = {
      address: getString(getList(machine, 'status', 'addresses')[0], 'address'),
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
    return [{ ...createMachineState({ name }, joinedAt), stage: 'joined', lease, hostname, kind, joinedAt }];
  });
}
