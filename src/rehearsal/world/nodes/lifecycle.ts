import { MINUTE, SECOND } from '../../../ports/clock.ts';
import { at, isRecord, type KubeObject, listAt, textAt, timestamp } from '../../api/objects.ts';
import type { MachineState } from '../saved.ts';
import type { World } from '../world.ts';
import { READY_CONDITIONS } from './object.ts';

/** A kubelet that is silent for so long is not believed any more (node-monitor-grace-period). */
const GRACE = 40 * SECOND;

/** Nodes whose machine lost power become unknown, and ready again when it is back. */
export function watchNodes(world: World): void {
  const now = world.clock.now();
  for (const node of world.store.list('nodes')) taintCordoned(world, node);
  for (const machine of Object.values(world.saved.machines)) {
    if (machine.joinedAt === null || machine.hostname === null) continue;
    const node = world.store.get('nodes', null, machine.hostname);
    const ready = listAt(node, 'status', 'conditions').find((each) => textAt(each, 'type') === 'Ready');
    const isSilent = machine.stage !== 'joined' && now >= machine.since + GRACE;
    if (isSilent && textAt(ready, 'status') === 'True') setConditions(world, machine.hostname, 'Unknown');
    if (machine.stage === 'joined' && textAt(ready, 'status') === 'Unknown')
      setConditions(world, machine.hostname, 'Ready');
    if (textAt(ready, 'status') === 'True' && isDiskFull(world, machine, now)) reportPressure(world, machine.hostname);
  }
}

const CORDONED = 'node.kubernetes.io/unschedulable';

/** The node controller keeps new pods away from a node that is cordoned, until it is not any more. */
function taintCordoned(world: World, node: KubeObject): void {
  const taints = listAt(node, 'spec', 'taints');
  const others = taints.filter((each) => textAt(each, 'key') !== CORDONED);
  const isTainted = others.length < taints.length;
  const isCordoned = at(node, 'spec', 'unschedulable') === true;
  if (isCordoned === isTainted) return;
  const taint = { key: CORDONED, effect: 'NoSchedule', timeAdded: timestamp(world.clock.now()) };
  world.store.mutate('nodes', null, node.metadata.name, (change) => {
    change.spec = { ...(isRecord(change.spec) ? change.spec : {}), taints: isCordoned ? [...others, taint] : others };
  });
}

/** How much the images of the platform take on a node, and how fast they come; GiB, and GiB a minute. */
const SYSTEM = 14;
const IMAGES = 3;
/** The kubelet's own limit: imagefs.available<15%. */
const FULL = 0.85;

function isDiskFull(world: World, { name, joinedAt }: MachineState, now: number): boolean {
  const size = world.hardware.get(name)?.diskGiB;
  if (size === undefined || joinedAt === null) return false;
  return SYSTEM + (IMAGES * (now - joinedAt)) / MINUTE > FULL * size;
}

/** The kubelet says that its disk is full, and keeps new pods away. */
function reportPressure(world: World, name: string): void {
  const known = listAt(world.store.get('nodes', null, name), 'status', 'conditions');
  if (known.some((each) => textAt(each, 'type') === 'DiskPressure' && textAt(each, 'status') === 'True')) return;
  const at = timestamp(world.clock.now());
  world.store.mutate('nodes', null, name, (node) => {
    const conditions = known.map((each) =>
      textAt(each, 'type') === 'DiskPressure'
        ? {
            type: 'DiskPressure',
            status: 'True',
            reason: 'KubeletHasDiskPressure',
            message: 'kubelet has disk pressure',
            lastHeartbeatTime: at,
            lastTransitionTime: at,
          }
        : each,
    );
    node.status = { ...(isRecord(node.status) ? node.status : {}), conditions };
    const taint = { key: 'node.kubernetes.io/disk-pressure', effect: 'NoSchedule', timeAdded: at };
    node.spec = { ...(isRecord(node.spec) ? node.spec : {}), taints: [...listAt(node, 'spec', 'taints'), taint] };
  });
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
