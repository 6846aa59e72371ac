import { MINUTE, SECOND } from '../../../platform/clock.ts';
import { formatTimestamp, getField, getList, getString, isRecord, type KubeObject } from '../../api/objects.ts';
import type { MachineState } from '../saved.ts';
import type { World } from '../world.ts';
import { READY_CONDITIONS } from './kubelet.ts';

/** A node counts as unknown after its kubelet has been silent for this long (node-monitor-grace-period). */
const NODE_MONITOR_GRACE_PERIOD = 40 * SECOND;

/**
 * Marks nodes Unknown when their machine loses power, and Ready when it is back. Also updates the taints of cordoned
 * nodes and reports full disks.
 */
export function reconcileNodes(world: World): void {
  const now = world.clock.now();
  for (const node of world.store.list('nodes')) reconcileCordonTaint(world, node);
  for (const machine of Object.values(world.saved.machines)) {
    if (machine.joinedAt === null || machine.hostname === null) continue;
    const node = world.store.get('nodes', null, machine.hostname);
    const ready = getList(node, 'status', 'conditions').find((each) => getString(each, 'type') === 'Ready');
    const isSilent = machine.stage !== 'joined' && now >= machine.since + NODE_MONITOR_GRACE_PERIOD;
    if (isSilent && getString(ready, 'status') === 'True') setReadiness(world, machine.hostname, 'Unknown');
    if (machine.stage === 'joined' && getString(ready, 'status') === 'Unknown')
      setReadiness(world, machine.hostname, 'Ready');
    if (getString(ready, 'status') === 'True' && isDiskFull(world, machine, now))
      reportDiskPressure(world, machine.hostname);
  }
}

const CORDON_TAINT = 'node.kubernetes.io/unschedulable';

/**
 * The node controller taints a cordoned node, so that it gets no new pods, and removes the taint after the uncordon.
 */
function reconcileCordonTaint(world: World, node: KubeObject): void {
  const taints = getList(node, 'spec', 'taints');
  const others = taints.filter((each) => getString(each, 'key') !== CORDON_TAINT);
  const isTainted = others.length < taints.length;
  const isCordoned = getField(node, 'spec', 'unschedulable') === true;
  if (isCordoned === isTainted) return;
  const taint = { key: CORDON_TAINT, effect: 'NoSchedule', timeAdded: formatTimestamp(world.clock.now()) };
  world.store.mutate('nodes', null, node.metadata.name, (change) => {
    change.spec = { ...(isRecord(change.spec) ? change.spec : {}), taints: isCordoned ? [...others, taint] : others };
  });
}

/** Disk space of the system, and the growth by the platform's images; GiB, and GiB per minute. */
const SYSTEM_GIB = 14;
const IMAGE_GIB_PER_MINUTE = 3;
/** The kubelet's own limit: imagefs.available<15%. */
const DISK_PRESSURE_RATIO = 0.85;

function isDiskFull(world: World, { name, joinedAt }: MachineState, now: number): boolean {
  const size = world.hardware.get(name)?.diskGiB;
  if (size === undefined || joinedAt === null) return false;
  return SYSTEM_GIB + (IMAGE_GIB_PER_MINUTE * (now - joinedAt)) / MINUTE > DISK_PRESSURE_RATIO * size;
}

/** Reports DiskPressure as the kubelet does, with the taint that keeps new pods away. */
function reportDiskPressure(world: World, name: string): void {
  const known = getList(world.store.get('nodes', null, name), 'status', 'conditions');
  if (known.some((each) => getString(each, 'type') === 'DiskPressure' && getString(each, 'status') === 'True')) return;
  const time = formatTimestamp(world.clock.now());
  world.store.mutate('nodes', null, name, (node) => {
    const conditions = known.map((each) =>
      getString(each, 'type') === 'DiskPressure'
        ? {
            type: 'DiskPressure',
            status: 'True',
            reason: 'KubeletHasDiskPressure',
            message: 'kubelet has disk pressure',
            lastHeartbeatTime: time,
            lastTransitionTime: time,
          }
        : each,
    );
    node.status = { ...(isRecord(node.status) ? node.status : {}), conditions };
    const taint = { key: 'node.kubernetes.io/disk-pressure', effect: 'NoSchedule', timeAdded: time };
    node.spec = { ...(isRecord(node.spec) ? node.spec : {}), taints: [...getList(node, 'spec', 'taints'), taint] };
  });
}

function setReadiness(world: World, name: string, state: 'Ready' | 'Unknown'): void {
  const time = formatTimestamp(world.clock.now());
  const conditions = READY_CONDITIONS.map((condition) => ({
    ...condition,
    ...(state === 'Unknown'
      ? { status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' }
      : {}),
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  }));
  world.store.mutate('nodes', null, name, (node) => {
    node.status = { ...(isRecord(node.status) ? node.status : {}), conditions };
  });
}
