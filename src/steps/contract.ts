import type { Design } from '../design/model.ts';
import type { Finding } from '../diagnosis/finding.ts';
import type { Clock } from '../ports/clock.ts';
import type { Hands } from '../ports/hands.ts';
import type { Reach } from '../ports/reach.ts';
import type { ActLog } from '../session/acts.ts';
import type { Secret } from '../text/secret.ts';
import type { StepMemory } from './facts.ts';
import type { Recollection } from './recollection.ts';

/** The steps that touch the world, in their order. (Welcome and the design pages come before them.) */
export const STEP_IDS = [
  'generate',
  'hosts',
  'prepare',
  'boot',
  'bootstrap',
  'bootstrap-removal',
  'certificates',
  'operators',
  'infra',
  'report',
] as const;
export type StepId = (typeof STEP_IDS)[number];

/** One value per step. */
export function eachStep<T>(make: (id: StepId) => T): Readonly<Record<StepId, T>> {
  // TypeScript does not keep the keys of entries.
  return Object.fromEntries(STEP_IDS.map((id) => [id, make(id)])) as Record<StepId, T>;
}

/**
 * What a person can have a step do. `apply-one`: to one part of it. `set-up`: to some parts, after a look at what that would change.
 * `override`: go past what blocks it, for a reason.
 */
export const STEP_ACTIONS = ['apply', 'apply-one', 'set-up', 'undo', 'override'] as const;
export type StepAction = (typeof STEP_ACTIONS)[number];

/** The actions before which the step says what they would do now. */
export type BriefedAction = Extract<StepAction, 'set-up' | 'undo'>;

export function isBriefed(action: StepAction): action is BriefedAction {
  return action === 'set-up' || action === 'undo';
}

/**
 * What a step finds when it looks at the world.
 * `done`: it is already so. `needed`: apply would change something. `waiting`: nothing to do here but wait (`summary`
 * says for what). `blocked`: something has to happen first, or is wrong; `findings` say what.
 */
export interface Probe<View> {
  readonly state: 'done' | 'needed' | 'waiting' | 'blocked';
  /** One line in the user's words. */
  readonly summary: string;
  /** What a person watches meanwhile (how long the ignition files last); null or left out: nothing. */
  readonly remark?: string | null;
  /** Failed checks that block it, which a person can go past by typing a reason; left out: none. */
  readonly overridable?: readonly Finding[];
  /** What the step's screen draws; plain data. */
  readonly view: View;
  /** What is wrong, most important first; a waiting step may carry findings that explain why it is slow. */
  readonly findings: readonly Finding[];
}

/** One change that apply would make. */
export interface Change {
  /** The changed thing: a path, an object, a host. */
  readonly object: string;
  /** It is a generated file, named from the directory of the files on; `hostFile` is what a person reads. */
  readonly isFile?: boolean;
  /** In words. */
  readonly what: string;
  /** Text before and after, for a diff; null where there is none. */
  readonly before: string | null;
  readonly after: string | null;
  /** Of something new that is made after the example of an object: that one, and its text, from which it differs. */
  readonly copyOf?: { readonly object: string; readonly text: string };
}

/** Something that a person asked to see: on the screen while they read it, and nowhere else. */
export interface Page {
  readonly title: string;
  readonly lines: readonly string[];
  /** Shown after the lines until the next key. */
  readonly secret?: { readonly label: string; readonly value: Secret };
  readonly after?: readonly string[];
  /** What `k` shows in its place. */
  readonly more?: { readonly label: string; readonly subject: string };
}

/** What a person reads before saying yes to what the step looks at first: setting up, or undoing, parts of it. */
export interface Brief {
  readonly question: string;
  readonly lines: readonly string[];
  /** Why yes is no answer now; left out: it is one. */
  readonly whyNot?: string;
  /** What may be asked instead: the same, and more. */
  readonly instead: readonly {
    readonly key: 'overwrite' | 'defaults' | 'sideBySide';
    readonly label: string;
    readonly subject: string;
  }[];
}

/** What apply would do; a person reads it before. */
export interface Plan {
  readonly changes: readonly Change[];
  /** Ask before applying: it overwrites, patches, approves, taints or removes. */
  readonly isDangerous: boolean;
  /** What the person does by hand, where apply cannot (host by host, in order). */
  readonly instructions: readonly string[];
  /** What may be lost, and the word that a person types for it after they agreed to the changes; left out: yes is enough. */
  readonly typed?: { readonly word: string; readonly why: string };
}

/** What all steps share. A step gets everything it touches the world with from here. */
export interface StepContext {
  readonly design: Design;
  /** The install directory. */
  readonly dir: string;
  readonly clock: Clock;
  readonly reach: Reach;
  readonly hands: Hands;
  /** Directories searched for openshift-install and oc, in order, before PATH. */
  readonly programPath: readonly string[];
  /** Where the RHCOS images lie. */
  readonly imagesDir: string;
  /** Where what is on simulated service hosts lies, a directory for each; null in life: the bastion is this machine. */
  readonly hostsDir: string | null;
  /** Absolute paths of the credential files, or null where none is named. */
  readonly credentials: {
    readonly pullSecretFile: string | null;
    readonly sshKeyFile: string | null;
    readonly trustBundleFile: string | null;
  };
  /** The program files of the jobs that outlive the wizard. */
  readonly programs: { readonly bootServer: string; readonly executable: string };
  /** Where a job finds the time line that it shares with the wizard; null for the machine's own clock. */
  readonly clockAnchorFile: string | null;
  /** Facts that steps remember between runs (when nodes were powered on, which stage is live): intent and evidence, never truth. */
  readonly memory: StepMemory;
  readonly recollection: Recollection;
  /** Where acts are written down before they begin. */
  readonly acts: ActLog;
  readonly signal: AbortSignal;
}

/** Which part of a step (one infra move) has just begun, or is done: its row says so before anybody looks again. */
export interface PartNews {
  readonly subject: string;
  readonly state: 'begun' | 'done';
  /** What is true of it now, in words; left out: nothing to say. */
  readonly said?: string;
}

/** Takes one line at a time of what a step is doing. */
export type Report = (line: string, part?: PartNews) => void;

/**
 * One thing that can be done, once. `probe` looks at the world; `plan` says what will change; `apply` does it and does
 * nothing the second time; `verify` asks the running thing; `undo` takes it back where that is possible. The wizard,
 * the plain front end and the commands all use it.
 */
export interface Step<View> {
  readonly id: StepId;
  probe(context: StepContext): Promise<Probe<View>>;
  /** Takes what this step saw itself; a property, so that no other step's view is taken for its own. */
  readonly plan: (context: StepContext, probe: Probe<View>) => Promise<Plan>;
  /**
   * @param shown the plan that a person, or whoever said yes for all, has agreed to; null: none was shown
   */
  apply(context: StepContext, report: Report, shown?: Plan | null): Promise<void>;
  /** Asks the running thing whether it is so. A step that takes long answers `waiting` until it is. */
  verify(context: StepContext): Promise<Probe<View>>;
  /** Takes back what apply did; `subject` names one part of it where the step has parts (one infra move). */
  undo?(context: StepContext, subject: string | null, report: Report): Promise<void>;
  /**
   * Goes past the checks that block it now (`Probe.overridable`), for a reason in a person's words; the next look finds it open.
   * @throws TroubleError `override-reason`
   */
  override?(context: StepContext, reason: string, report: (line: string) => void): Promise<void>;
  /** Sets up the parts that `subject` names, as a person was shown. */
  setUp?(context: StepContext, subject: string, report: (line: string) => void): Promise<void>;
  /** What undoing, or setting up, those parts would do now; a person reads it before. */
  brief?(context: StepContext, subject: string | null, action: BriefedAction): Promise<Brief>;
  /** Applies to one part only (one certificate request, one infra move). */
  applyOne?(context: StepContext, subject: string, report: Report): Promise<void>;
  /** Makes a page about one part of it when a person asks for it. */
  show?(context: StepContext, subject: string): Promise<Page>;
  /** How often to look again while a person watches, in milliseconds of the clock; null when one look is enough. */
  readonly lookEvery: number | null;
  /** After this long without `done`, a run without a person stops and says what is missing (milliseconds of the clock). */
  readonly patience: number;
}

/** What a step saw, and what it would do about it. */
export interface Seen<View = unknown> {
  readonly probe: Probe<View>;
  plan(): Promise<Plan>;
}

/** A step for callers that treat all steps alike and need not know its view. */
export interface AnyStep<View = unknown> extends Omit<Step<View>, 'probe' | 'plan'> {
  look(context: StepContext): Promise<Seen<View>>;
}

/** The step in the form for all callers: it plans from its own look. */
export function anyStep<View>({ probe, plan, ...step }: Step<View>): AnyStep<View> {
  return {
    ...step,
    async look(context) {
      const seen = await probe(context);
      return { probe: seen, plan: () => plan(context, seen) };
    },
  };
}
