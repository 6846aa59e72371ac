import { type Design, type DesignNode, WORKER_ROLES } from '../../../design/model.ts';
import { nodeFqdn, nodesWithRole } from '../../../design/names.ts';
import type { StepContext } from '../../contract.ts';
import { hasReached } from '../hosts/live-stage.ts';
import { isDone } from '../installer/bootstrap-progress.ts';

/** The machines that join a running control plane. */
export function laterMachines(design: Design): DesignNode[] {
  return nodesWithRole(design, ...WORKER_ROLES);
}

/**
 * The cluster runs without its bootstrap: nothing of the installation is needed any more, and nodes only join. A single
 * node has no bootstrap to remove: its own part of the installation is over once we saw it complete.
 */
export function isInstalled(context: StepContext): boolean {
  if (hasReached(context, 'bootstrap-removed')) return true;
  const isSingle = nodesWithRole(context.design, 'bootstrap').length === 0;
  return isSingle && isDone(context, 'complete');
}

// Facts about single nodes, by their short names.
const POWERED = 'powered-on';
const READY = 'seen-ready';
const ANEW = 'installed-anew';
const DENIED = 'ignition-denied';
/** By full names: whose serving certificate we saw issued, and who presented it at the planned address. */
const OF_CERTIFICATES = ['served', 'proven'] as const;

/** When each machine was powered on (ms of the clock), as far as we know. */
export function poweredOn(context: Pick<StepContext, 'memory'>): Readonly<Record<string, number>> {
  return context.memory.get(POWERED) ?? {};
}

/** When the first machine was powered on, as far as we know: no request of a node is older. Null: not known. */
export function bootedSince(context: Pick<StepContext, 'memory' | 'clock'>): number | null {
  // A time in the future comes from a clock that was ahead and has been corrected since.
  const times = Object.values(poweredOn(context)).filter((time) => time <= context.clock.now());
  return times.length === 0 ? null : Math.min(...times);
}

/** Notes that a machine (its short name) was powered on now: what it did before does not belong to this boot. */
export function notePowerOn(context: StepContext, name: string): void {
  context.memory.set(POWERED, { ...poweredOn(context), [name]: context.clock.now() });
}

/** The machines that nobody has powered on yet, as far as we know. */
export function stillOff(context: StepContext, machines: readonly DesignNode[]): DesignNode[] {
  const powered = poweredOn(context);
  return machines.filter(({ name }) => powered[name] === undefined);
}

/** Since when a node is planned or installed anew (ms of the clock): what its machine did before does not count. */
export function anewSince(context: StepContext, name: string): number | null {
  return context.memory.get(ANEW)?.[name] ?? null;
}

/**
 * Notes which nodes were seen Ready: they need no ignition file any more.
 * @returns true when that was new
 */
export function noteReady(context: StepContext, names: readonly string[]): boolean {
  const known = context.memory.get(READY) ?? [];
  const fresh = names.filter((name) => !known.includes(name));
  if (fresh.length > 0) context.memory.set(READY, [...known, ...fresh]);
  return fresh.length > 0;
}

/** Whether we ever saw a node (its short name) Ready: it may be away now, but needs no ignition file. */
export function wasSeenReady(context: StepContext, name: string): boolean {
  return context.memory.get(READY)?.includes(name) ?? false;
}

/**
 * The nodes that may fetch their ignition file: those never seen Ready, the bootstrap until it is complete and, when the
 * cluster runs, only those that join it later; nobody whom a person shut out.
 */
export function mayFetchIgnition(context: StepContext): DesignNode[] {
  const isOver = isInstalled(context);
  const open = isOver ? laterMachines(context.design) : context.design.nodes;
  const hasBootstrapped = isDone(context, 'complete');
  return open.filter(
    ({ name, role }) =>
      !wasSeenReady(context, name) && !isDenied(context, name) && !(role === 'bootstrap' && hasBootstrapped),
  );
}

/** Whether a person shut a node out from its ignition file. */
export function isDenied({ memory }: Pick<StepContext, 'memory'>, name: string): boolean {
  return memory.get(DENIED)?.includes(name) ?? false;
}

/** Shuts nodes out from their ignition files, until they are let in again or installed anew. */
export function denyIgnition({ memory }: StepContext, names: readonly string[]): void {
  memory.set(DENIED, [...new Set([...(memory.get(DENIED) ?? []), ...names])]);
}

/** Takes back that nodes are shut out. */
export function allowIgnition({ memory }: StepContext, names: readonly string[]): void {
  memory.set(
    DENIED,
    (memory.get(DENIED) ?? []).filter((name) => !names.includes(name)),
  );
}

/**
 * Forgets a node, because its machine is installed anew (or is another one): it is powered on again, may
 * fetch its ignition file again, and joins again.
 */
export function expectAnew(context: StepContext, name: string): void {
  forget(context, [name]);
  context.memory.set(ANEW, { ...context.memory.get(ANEW), [name]: context.clock.now() });
}

/** Takes back that a machine is installed anew: the node is the old one. */
export function expectNoMore(context: StepContext, name: string): void {
  forget(context, [name]);
  noteReady(context, [name]);
}

const PLANNED = 'planned-nodes';

/**
 * Compares the nodes of the design with those of the last time. Forgets a name that is gone, or is now another machine
 * or address: what was done for the old one says nothing of the new one.
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
  allowIgnition(context, names);
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
