import { STAGES } from '../design/model.ts';
import { BOOTSTRAP_STAGES } from '../diagnosis/bootstrap/evidence.ts';
import * as z from '../ports/zod.ts';
import { catalogue } from '../text/catalogue.ts';
import type { Trouble } from '../text/trouble.ts';

const names = z.array(z.string()).readonly();
/** By host or node, ms of the clock. */
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
    /** Service host -> when a run of its install.sh began, whose end we have not seen yet. */
    'host-runs': times,
    /** Short name of a node -> its machine and addresses when the files were generated last. */
    'planned-nodes': texts,
    'powered-on': times,
    'installed-anew': times,
    /** Short names of the nodes that a person shut out from their ignition files. */
    'ignition-denied': names,
    /** Short names of the nodes that were Ready at any look. */
    'seen-ready': names,
    /** Full names of the nodes whose issued serving certificate we saw, and of those that we saw present it. */
    served: names,
    proven: names,
    /** Certificates were being followed when the session was saved last. */
    following: z.boolean(),
    /** Infra move -> how users' requests went while it was made. */
    traffic: z
      .record(z.string(), z.object({ requests: z.number(), failed: z.number(), failure: z.string().nullable() }))
      .readonly(),
    /** Infra move -> the pods that left a node or became Ready on one while it was made last, and taken back since. */
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
    /** Blocking checks that somebody went past: which, why, who and when (ISO 8601). */
    'check-overrides': z
      .array(z.object({ checks: names, reason: z.string(), by: z.string(), at: z.string() }).readonly())
      .readonly(),
    'bootstrap-progress': z
      .object({
        stages: z.partialRecord(z.enum(BOOTSTRAP_STAGES), z.object({ startedAt: time, doneAt: time })),
        changedAt: z.number(),
        signature: z.string(),
      })
      .nullable(),
  })
  .partial();

/** Everything that steps remember between runs, by name. A fact that is not here cannot be remembered. */
export type Facts = z.infer<typeof schema>;
export type FactName = keyof Facts;

/** @returns the saved facts, and the names of those that we dropped: unknown, or of another shape */
export function parseFacts(saved: Readonly<Record<string, unknown>>): {
  readonly facts: Facts;
  readonly dropped: readonly string[];
} {
  const { success, data, error } = schema.safeParse(saved);
  if (success) return { facts: data, dropped: [] };
  const dropped = error.issues.flatMap(({ path, ...issue }) =>
    issue.code === 'unrecognized_keys' && path.length === 0 ? issue.keys : [String(path[0])],
  );
  const rest = parseFacts(Object.fromEntries(Object.entries(saved).filter(([name]) => !dropped.includes(name))));
  return { facts: rest.facts, dropped: [...new Set([...dropped, ...rest.dropped])] };
}

/** What to tell a person about dropped facts; empty where there are none. */
export function droppedFacts(dropped: readonly string[]): Trouble[] {
  const { title, cause, whatToDo } = catalogue().session.factsDropped;
  return dropped.length === 0 ? [] : [{ code: 'facts-dropped', title, cause: cause(dropped.join(', ')), whatToDo }];
}

/** Small facts kept in the session, by name. */
export interface StepMemory {
  get<Name extends FactName>(name: Name): Facts[Name];
  set<Name extends FactName>(name: Name, value: Facts[Name]): void;
}

/** A memory over these facts, which it changes; `save` is called after every change. */
export function memoryOver(facts: Facts, save: () => void = () => undefined): StepMemory {
  return {
    get: (name) => facts[name],
    set(name, value) {
      facts[name] = value;
      save();
    },
  };
}

/** A memory that reads what is known and keeps new facts to itself, in `facts`. */
export function memoryBeside(known: StepMemory, facts: Facts = {}): StepMemory {
  const own = memoryOver(facts);
  return { ...own, get: (name) => own.get(name) ?? known.get(name) };
}
