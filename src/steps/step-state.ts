import { BOOTSTRAP_STAGES } from '../checks/bootstrap/evidence.ts';
import { STAGES } from '../design/choices.ts';
import { catalogue } from '../i18n/catalogue.ts';
import type { UserError } from '../i18n/user-error.ts';
import * as z from '../platform/zod.ts';

const names = z.array(z.string()).readonly();
/** Times in ms of the clock, by host, node, infra move or certificate. */
const times = z.record(z.string(), z.number()).readonly();
const texts = z.record(z.string(), z.string()).readonly();
const time = z.number().nullable();

const schema = z
  .strictObject({
    /** The stage that was generated last. */
    stage: z.enum(STAGES),
    /** Service host -> a digest of the files that were copied there, and of those that were put in place. */
    'copied-files': texts,
    'put-files': texts,
    'put-at': times,
    /** Service host -> start of a run of its install.sh whose end is not observed yet. */
    'host-runs': times,
    /**
     * `--mirror`: absolute path of the directory from which Prepare takes its downloads; null: the internet; missing:
     * as the design defines.
     */
    mirror: z.string().nullable(),
    /** Short name of a node -> its machine and addresses when the files were generated last. */
    'planned-nodes': texts,
    'powered-on': times,
    'installed-anew': times,
    /** Short names of the nodes that the user denied access to their ignition files. */
    'ignition-denied': names,
    /** Short names of the control plane nodes and arbiters whose etcd member and Node object were deleted. */
    'deleted-members': names,
    /** The wizard turned off the quorum guard of etcd, to replace a member. */
    'is-quorum-guard-off': z.boolean(),
    /** Short names of the nodes that were Ready at any probe. */
    'seen-ready': names,
    /** Short name of a node -> when it was Ready for the first time, as far as observed. */
    'ready-at': times,
    /**
     * Full names of the nodes whose issued serving certificate was observed, and of those that were observed to present
     * it.
     */
    served: names,
    proven: names,
    /** Kind of a certificate and full name of its node -> when the newest issued one was requested. */
    'issued-requests': times,
    /** Steps whose last probe did not find them done: the user skipped those that come before the current one. */
    unfinished: names,
    /** When the wizard was left last, ms of the clock; null or missing: it was cut off, or never left. */
    'left-at': time,
    /** The wizard was approving expected CSRs when the session was saved last. */
    following: z.boolean(),
    /** Infra move -> when it was undone last. */
    'undone-at': times,
    /** Infra move -> results of the simulated users' requests while the move was applied. */
    traffic: z
      .record(z.string(), z.object({ requests: z.number(), failed: z.number(), failure: z.string().nullable() }))
      .readonly(),
    /**
     * Infra move -> the pods that left a node or became Ready on one while it was last applied, and while it was undone
     * since.
     */
    'moved-pods': z
      .record(
        z.string(),
        z
          .array(
            z.object({
              doing: z.enum(['apply', 'undo']),
              did: z.enum(['left', 'ready']),
              pod: z.string(),
              node: z.string(),
              at: z.number(),
            }),
          )
          .readonly(),
      )
      .readonly(),
    /** Overrides of blocking checks: which, why, by whom and when (ISO 8601). */
    'check-overrides': z
      .array(z.object({ checks: names, reason: z.string(), by: z.string(), at: z.string() }).readonly())
      .readonly(),
    /** Checks of the site that the last run before the first power-on could not decide: their titles, and why. */
    'unknown-checks': z.array(z.object({ title: z.string(), why: z.string() }).readonly()).readonly(),
    /** The run of infra moves whose facts were merged into these, and how many of them. */
    'moves-run': z.object({ id: z.string(), facts: z.number() }).readonly(),
    'bootstrap-progress': z
      .object({
        stages: z.partialRecord(z.enum(BOOTSTRAP_STAGES), z.object({ startedAt: time, doneAt: time })),
        changedAt: z.number(),
        signature: z.string(),
      })
      .nullable(),
  })
  .partial();

/** All facts that steps keep between runs, by name. Facts that are not in the schema cannot be kept. */
export type StepFacts = z.infer<typeof schema>;
type FactName = keyof StepFacts;

/**
 * Validates saved facts.
 * @returns the valid facts, and the names of those that were dropped: unknown, or of another shape
 */
export function parseFacts(savedFacts: Readonly<Record<string, unknown>>): {
  readonly facts: StepFacts;
  readonly droppedKeys: readonly string[];
} {
  const { success, data, error } = schema.safeParse(savedFacts);
  if (success) return { facts: data, droppedKeys: [] };
  const droppedKeys = error.issues.flatMap(({ path, ...issue }) =>
    issue.code === 'unrecognized_keys' && path.length === 0 ? issue.keys : [String(path[0])],
  );
  const rest = parseFacts(
    Object.fromEntries(Object.entries(savedFacts).filter(([name]) => !droppedKeys.includes(name))),
  );
  return { facts: rest.facts, droppedKeys: [...new Set([...droppedKeys, ...rest.droppedKeys])] };
}

/** Explains dropped facts to the user; empty if there are none. */
export function describeDroppedFacts(droppedKeys: readonly string[]): UserError[] {
  const { title, cause, remedy } = catalogue().session.factsDropped;
  return droppedKeys.length === 0
    ? []
    : [{ code: 'facts-dropped', title, cause: cause(droppedKeys.join(', ')), remedy }];
}

/** Access to the facts of a session, by name. */
export interface StepState {
  get<Name extends FactName>(name: Name): StepFacts[Name];
  set<Name extends FactName>(name: Name, value: StepFacts[Name]): void;
  /** Sets several facts, and saves once. */
  setAll(changes: StepFacts): void;
}

/** Records whether the last probe found a step done. */
export function recordStepCompletion(stepState: StepState, id: string, isDone: boolean): void {
  const unfinishedIds = stepState.get('unfinished') ?? [];
  if (unfinishedIds.includes(id) === !isDone) return;
  stepState.set(
    'unfinished',
    isDone ? unfinishedIds.filter((unfinishedId) => unfinishedId !== id) : [...unfinishedIds, id],
  );
}

/** Creates a state over these facts, which it changes; `save` is called after every change. */
export function createStepState(facts: StepFacts, save: () => void = () => undefined): StepState {
  return {
    get: (name) => facts[name],
    set(name, value) {
      facts[name] = value;
      save();
    },
    setAll(changes) {
      Object.assign(facts, changes);
      save();
    },
  };
}

/** Overlays a state: reads fall back to `base`, writes go to `facts` only. */
export function withOverlay(base: StepState, facts: StepFacts = {}): StepState {
  const overlay = createStepState(facts);
  return { ...overlay, get: (name) => overlay.get(name) ?? base.get(name) };
}
