import { SECOND } from '../../../ports/clock.ts';
import { isRecord, listAt, textAt, timestamp } from '../../api/objects.ts';
import type { World } from '../world.ts';
import { READY_CONDITIONS } from './object.ts';

/** A kubelet that is silent for so long is not believed any more (node-monitor-grace-period). */
const GRACE = 40 * SECOND;

/** Nodes whose machine lost power become unknown, and ready again when it is back. */
export function watchNodes(world: World): void {
  const now = world.clock.now();
  for (const machine of Object.values(world.saved.machines)) {
    if (machine.joinedAt === null || machine.hostname === null) continue;
    const node = world.store.get('nodes', null, machine.hostname);
    const ready = listAt(node, 'status', 'conditions').find((each) => textAt(each, 'type') === 'Ready');
    const isSilent = machine.stage !== 'joined' && now >= machine.since + GRACE;
    if (isSilent && textAt(ready, 'status') === 'True') setConditions(world, machine.hostname, 'Unknown');
    if (machine.stage === 'joined' && textAt(ready, 'status') === 'Unknown')
      setConditions(world, machine.hostname, 'Ready');
  }
}

function setConditions(world: World, name: string, state: 'Ready' | 'Unknown'): void {
  const at = timestamp(world.clock.now());
  const conditions = READY_CONDITIONS.map((condition) => ({
    ...condition,
    ...(state === 'Unknown'
      ? { status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' }
      : {}),
    lastHeartbeatTime: at,
    lastTransitionTime: at,
  }));
  world.store.mutate('nodes', null, name, (node) => {
    node.status = { ...(isRecord(node.status) ? node.status : {}), conditions };
  });
}
