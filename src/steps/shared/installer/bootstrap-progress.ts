import { createHash } from 'node:crypto';
import type { BootstrapStage } from '../../../diagnosis/bootstrap/evidence.ts';
import type { StepContext } from '../../contract.ts';

/** When a stage began and ended, in milliseconds of the clock. Null: not observed. */
export interface StageTimes {
  readonly startedAt: number | null;
  readonly doneAt: number | null;
}

/** What we remember of a bootstrap between looks, and between sessions. */
export interface BootstrapProgress {
  readonly stages: Readonly<Partial<Record<BootstrapStage, StageTimes>>>;
  /** When anything changed last. */
  readonly changedAt: number;
  /** A digest of what we saw then. */
  readonly signature: string;
}

const MEMORY = 'bootstrap-progress';

/**
 * Notes what is new in this look: when stages began and ended (the first time counts), and that something changed.
 * @param order the stages in their order
 * @param startedAt when the first stage began, where known
 */
export function noteProgress(
  context: Pick<StepContext, 'memory' | 'clock'>,
  seen: {
    readonly order: readonly BootstrapStage[];
    readonly done: ReadonlySet<BootstrapStage>;
    readonly signature: string;
    readonly startedAt: number | null;
    /** When stages were done, where something other than our own looks reports it. */
    readonly told: Readonly<Partial<Record<BootstrapStage, number>>>;
  },
): BootstrapProgress {
  const { memory, clock } = context;
  const known = memory.get(MEMORY) ?? null;
  const now = clock.now();
  const signature = createHash('sha256').update(seen.signature).digest('hex').slice(0, 16);
  const running = seen.order.find((id) => !seen.done.has(id));
  const stages: Partial<Record<BootstrapStage, StageTimes>> = { ...known?.stages };
  let previous: number | null = seen.startedAt;
  for (const id of seen.order) {
    const before = stages[id];
    const told = seen.told[id] ?? null;
    if (seen.done.has(id)) {
      // A stage done before our first look has a duration only where something reports its times.
      const startedAt = before?.startedAt ?? (told === null ? null : previous);
      stages[id] = { startedAt, doneAt: before?.doneAt ?? Math.max(told ?? now, startedAt ?? 0) };
    } else if (id === running && before === undefined) stages[id] = { startedAt: previous ?? now, doneAt: null };
    previous = stages[id]?.doneAt ?? null;
  }
  const isSame = known?.signature === signature && Object.keys(stages).every((id) => isEqual(known, stages, id));
  if (known && isSame) return known;
  const next = { stages, signature, changedAt: known?.signature === signature ? known.changedAt : now };
  memory.set(MEMORY, next);
  return next;
}

/** Have we ever seen this stage done? */
export function isDone({ memory }: Pick<StepContext, 'memory'>, stage: BootstrapStage): boolean {
  return (memory.get(MEMORY)?.stages[stage]?.doneAt ?? null) !== null;
}

/** A bootstrap that begins anew has done nothing yet. */
export function forgetProgress({ memory }: Pick<StepContext, 'memory'>): void {
  memory.set(MEMORY, null);
}

function isEqual(known: BootstrapProgress, stages: BootstrapProgress['stages'], id: string): boolean {
  const [a, b] = [known.stages[id as BootstrapStage], stages[id as BootstrapStage]];
  return a?.startedAt === b?.startedAt && a?.doneAt === b?.doneAt;
}
