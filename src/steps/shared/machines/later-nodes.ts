import type { Design, DesignNode, NodeRole } from '../../../design/model.ts';
import { nodeFqdn, nodesWithRole } from '../../../design/names.ts';
import type { StepContext } from '../../contract.ts';
import { hasReached } from '../hosts/live-stage.ts';
import { isDone } from '../installer/bootstrap-progress.ts';

/** What a node is that joins a control plane which stands. */
export const LATER_ROLES = ['compute', 'infra', 'storage'] as const satisfies readonly NodeRole[];

/** Those that join when the control plane stands. */
export function laterMachines(design: Design): DesignNode[] {
  return nodesWithRole(design, ...LATER_ROLES);
}

/**
 * The cluster runs without its bootstrap: what the installation needed is used up, and nodes only join. A single node has no
 * bootstrap to take away: its own part of the installation is over when it was seen complete.
 */
export function isInstalled(context: StepContext): boolean {
  if (hasReached(context, 'bootstrap-removed')) return true;
  const isSingle = nodesWithRole(context.design, 'bootstrap').length === 0;
  return isSingle && isDone(context, 'complete');
}

// What is known of single nodes, by their short names.
const POWERED = 'powered-on';
const READY = 'seen-ready';
const ANEW = 'installed-anew';
/** By full names: whose serving certificate was seen issued, and who was seen to show it at the planned address. */
const OF_CERTIFICATES = ['served', 'proven'] as const;

/** When each machine was powered on (ms of the clock), as far as we know. */
export function poweredOn(context: Pick<StepContext, 'memory'>): Readonly<Record<string, number>> {
  return context.memory.get(POWERED) ?? {};
}

/** When the first machine was powered on, as far as we know: no request of a node is older. Null: not known. */
export function bootedSince(context: Pick<StepContext, 'memory' | 'clock'>): number | null {
  // A time to come was noted by a clock that was ahead and has been put right since.
  const times = Object.values(poweredOn(context)).filter((time) => time <= context.clock.now());
  return times.length === 0 ? null : Math.min(...times);
}

/** Writes down that a machine (its short name) was powered on now: what it did before is not of this boot. */
export function notePowerOn(context: StepContext, name: string): void {
  context.memory.set(POWERED, { ...poweredOn(context), [name]: context.clock.now() });
}

/** The machines that nobody has powered on yet, as far as we know. */
export function stillOff(context: StepContext, machines: readonly DesignNode[]): DesignNode[] {
  const powered = poweredOn(context);
  return machines.filter(({ name }) => powered[name] === undefined);
}

/** Since when a node is planned anew or installed anew (ms of the clock): what its machine did before is not about it. */
export function anewSince(context: StepContext, name: string): number | null {
  return context.memory.get(ANEW)?.[name] ?? null;
}

/**
 * Writes down which nodes were seen Ready: they need no ignition file any more.
 * @returns true when it was news
 */
export function noteReady(context: StepContext, names: readonly string[]): boolean {
  const known = context.memory.get(READY) ?? [];
  const fresh = names.filter((name) => !known.includes(name));
  if (fresh.length > 0) context.memory.set(READY, [...known, ...fresh]);
  return fresh.length > 0;
}

/** Whether a node (its short name) was Ready at any look: it may be away now, and needs no ignition file. */
export function wasSeenReady(context: StepContext, name: string): boolean {
  return context.memory.get(READY)?.includes(name) ?? false;
}

/**
 * The nodes that may fetch their ignition file: those that were not seen Ready, and when the cluster runs only those that
 * join it later.
 */
export function mayFetchIgnition(context: StepContext): DesignNode[] {
  const isOver = isInstalled(context);
  const open = isOver ? laterMachines(context.design) : context.design.nodes;
  return open.filter(({ name }) => !wasSeenReady(context, name));
}

/**
 * Forgets what is known of a node, because its machine is installed anew (or is another one): it is powered on again, may
 * fetch its ignition file again, and joins again.
 */
export function expectAnew(context: StepContext, name: string): void {
  forget(context, [name]);
  context.memory.set(ANEW, { ...context.memory.get(ANEW), [name]: context.clock.now() });
}

/** Takes back that a machine is installed anew: the node is the one that it was. */
export function expectNoMore(context: StepContext, name: string): void {
  forget(context, [name]);
  noteReady(context, [name]);
}

const PLANNED = 'planned-nodes';

/**
 * Compares the nodes of the design with those of the last time. A name that is gone, or is now another machine or another
 * address, is forgotten: what was done for the old one says nothing of the new one.
 */
export function noteDesign(context: StepContext): void {
  const before = context.memory.get(PLANNED);
  const now = Object.fromEntries(context.design.nodes.map((node) => [node.name, `${node.mac} ${node.ip.join(' ')}`]));
  if (JSON.stringify(before) === JSON.stringify(now)) return;
  context.memory.set(PLANNED, now);
  if (before === undefined) return;
  forget(
    context,
    Object.keys(before).filter((name) => before[name] !== now[name]),
  );
  if (!isInstalled(context)) return;
  for (const [name, machine] of Object.entries(now)) if (before[name] !== machine) expectAnew(context, name);
}

function forget(context: StepContext, names: readonly string[]): void {
  const { memory, design } = context;
  const without = <T>(facts: Readonly<Record<string, T>> | undefined) =>
    Object.fromEntries(Object.entries(facts ?? {}).filter(([name]) => !names.includes(name)));
  const gone = names.map((name) => nodeFqdn(design, { name }));
  memory.set(POWERED, without(poweredOn(context)));
  memory.set(ANEW, without(memory.get(ANEW)));
  memory.set(
    READY,
    (memory.get(READY) ?? []).filter((name) => !names.includes(name)),
  );
  for (const fact of OF_CERTIFICATES)
    memory.set(
      fact,
      (memory.get(fact) ?? []).filter((name) => !gone.includes(name)),
    );
}
