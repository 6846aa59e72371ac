import type { Finding } from '../checks/check.ts';
import type { Design } from '../design/model.ts';
import type { Clock } from '../platform/clock.ts';
import type { ManualActions, ResolveEndpoint } from '../platform/manual-actions.ts';
import type { Secret } from '../platform/secrets.ts';
import type { AuditLog } from '../session/audit-log.ts';
import type { ProbeCache } from './probe-cache.ts';
import type { StepState } from './step-state.ts';
import type { WaitPart } from './wait-progress.ts';

/** The steps that act on the site, in their order. (Welcome and the design pages come before them.) */
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

/** Maps every step id to a value. */
export function mapSteps<T>(create: (id: StepId) => T): Readonly<Record<StepId, T>> {
  // Object.fromEntries loses the type of the keys.
  return Object.fromEntries(STEP_IDS.map((id) => [id, create(id)])) as Record<StepId, T>;
}

/**
 * Types of the actions of a step, as the journal records them. `apply-one`: applies one part of the step. `set-up`:
 * sets up some parts, after a preview of the changes. `override`: overrides the failed checks that block the step, for
 * a reason.
 */
export const STEP_ACTION_TYPES = ['apply', 'apply-one', 'set-up', 'undo', 'override'] as const;
export type StepActionType = (typeof STEP_ACTION_TYPES)[number];

/** Actions with a preview of their changes before you confirm them. */
export type PreviewedAction = Extract<StepActionType, 'set-up' | 'undo'>;

/** Whether the action has a preview of its changes. */
export function needsPreview(action: StepActionType): action is PreviewedAction {
  return action === 'set-up' || action === 'undo';
}

export type StepAction =
  | { readonly type: 'apply' }
  | { readonly type: 'override'; readonly reason: string }
  /** `target`: null for the whole step. */
  | { readonly type: 'undo'; readonly target: ActionTarget | null }
  | { readonly type: 'apply-one' | 'set-up'; readonly target: ActionTarget };

/**
 * Option of an action on service hosts. `overwrite`: the user consents to overwrite files that were edited there.
 * `side-by-side`: on all hosts at the same time.
 */
export type HostOption = 'overwrite' | 'side-by-side';

/** The parts of a step that an action is about. */
export type ActionTarget =
  /**
   * An infra move. `consent`: undo also overwrites changes made by others, or resets to the defaults of the operators.
   */
  | {
      readonly kind: 'move';
      readonly name: string;
      readonly consent: 'overwrite' | 'defaults' | null;
      /** The moves that are undone before this one, in their order; missing: none. */
      readonly dependents?: readonly string[];
    }
  | { readonly kind: 'hosts'; readonly names: readonly string[]; readonly options: readonly HostOption[] }
  /** A CSR. `node`: the node name that the user typed, because the design cannot decide; null: none. */
  | { readonly kind: 'request'; readonly name: string; readonly node: string | null }
  | { readonly kind: 'expected-requests' }
  /** A machine that was reinstalled, by its short name. */
  | { readonly kind: 'machine'; readonly name: string }
  /** The access of a machine to its ignition file. */
  | { readonly kind: 'ignition'; readonly node: string }
  /** The mode of the machines: the action toggles whether they install, or boot only to test the network. */
  | { readonly kind: 'network-test' }
  /** The job that approves expected CSRs. */
  | { readonly kind: 'approval-job'; readonly change: 'start' | 'stop' }
  /** A part of a step with only one kind of parts, as its screen names it. */
  | { readonly kind: 'part'; readonly name: string };

/**
 * Result of a step's probe of the system. `done`: nothing to change. `needed`: apply would change something. `waiting`:
 * nothing to do but wait (`summary` says for what). `blocked`: something is wrong or has to happen first; `findings`
 * say what.
 */
export interface Probe<View> {
  readonly state: 'done' | 'needed' | 'waiting' | 'blocked';
  /** One line in the user's words. */
  readonly summary: string;
  /** Status line to show during the step (remaining validity of the ignition files); null or missing: none. */
  readonly remark?: string | null;
  /** The observed parts of the wait; missing: neither progress nor remaining time can be derived. */
  readonly progress?: readonly WaitPart[];
  /** Nothing has changed for longer than usual. Missing: the step progresses, or does not wait. */
  readonly isStuck?: boolean;
  /** A part of the wait takes longer than usual: no time can be estimated. Missing: none does, or it is unknown. */
  readonly isLate?: boolean;
  /** A lost node has to be repaired or replaced before the installation goes on; missing: nothing is lost. */
  readonly awaitsRepair?: boolean;
  /** The step is done, but a part of it is not as designed; missing: all parts are. */
  readonly hasWarning?: boolean;
  /** The id of the row to select until the user moves the cursor; missing: the page selects one. */
  readonly selectedRowId?: string;
  /**
   * The rows that need nothing from the user any more: an untouched cursor leaves them. Missing: the cursor stays on
   * its row.
   */
  readonly settledRowIds?: readonly string[];
  /** Failed checks that block the step and that you can override with a reason; missing: none. */
  readonly overridableChecks?: readonly Finding[];
  /**
   * The next step that may have something to do, if the steps before it are over for good; missing: the step after this
   * one.
   */
  readonly nextStep?: StepId;
  /** Plain data for the step's screen. */
  readonly view: View;
  /** Problems, the most important first. A waiting step may have findings that explain a delay. */
  readonly findings: readonly Finding[];
  /**
   * The action that a job of the step is carrying out, or that has ended and was not shown yet; missing: none.
   * `isAsking`: the job waits for an answer to the plan of this probe.
   */
  readonly job?: {
    readonly action: StepActionType;
    readonly subject: string | null;
    /** Milliseconds of the clock. */
    readonly startedAt: number;
    readonly isAsking: boolean;
    /** The parts of the step that the action is about, in their order. */
    readonly parts: readonly string[];
  };
}

/** One change that apply would make. */
export interface PlannedChange {
  /** The path, object or host that changes. */
  readonly object: string;
  /**
   * `object` is a generated file, named relative to the directory of the generated files; `formatHostFile` formats it
   * for display.
   */
  readonly isFile?: boolean;
  /** Description of the change. Further lines name what it restarts or interrupts. */
  readonly what: string;
  /** Text before and after, for a diff; null where there is none. */
  readonly before: string | null;
  readonly after: string | null;
  /**
   * For a new object that is a modified copy: the name of the original, and its text for the diff. Missing: no copy.
   */
  readonly copyOf?: { readonly object: string; readonly text: string };
}

/** A value with its label, in a column of values. */
export interface Fact {
  readonly label: string;
  readonly value: string;
}

/** A page on request. It exists only on the screen, while you read it. */
export interface Page {
  readonly title: string;
  readonly lines: readonly string[];
  /** Shown after the lines; missing: none. */
  readonly facts?: readonly Fact[];
  /** Shown after the lines once the user reveals it, until the page is closed; missing: none. */
  readonly secret?: { readonly label: string; readonly value: Secret };
  /** Shown at the end, and with a secret only once that is revealed; missing: none. */
  readonly linesBelow?: readonly string[];
  /** The fault of a rehearsal whose repair a key simulates; missing: the page is about none. */
  readonly simulatedRepair?: string;
  /** The number of the finding that this repairs; missing: the first one. */
  readonly repairedFinding?: number;
  /** The page that the key `k` shows instead of this one; missing: none. */
  readonly alternativePage?: { readonly label: string; readonly subject: string };
}

/** Preview that you confirm before parts of a step are set up or undone. */
export interface Confirmation {
  readonly question: string;
  /** The most important facts about all changes together, above the lines; missing: none. */
  readonly summary?: Plan['summary'];
  /** Texts, lines of a unified diff, and changes. */
  readonly lines: readonly (string | { readonly diffLine: string } | { readonly change: PlannedChange })[];
  /** The target of a yes, if it is more than the requested target; missing: the requested one. */
  readonly target?: ActionTarget;
  /** Reason why you cannot confirm now; missing: you can. */
  readonly blockedReason?: string;
  /** The label of the key for yes; missing: yes. */
  readonly yesLabel?: string;
  /** A sentence that replaces the question, because the action would change nothing; missing: it would. */
  readonly nothingToDo?: string;
  /** Alternatives to a plain yes: the same action with another target. */
  readonly alternatives: readonly {
    readonly key: 'overwrite' | 'defaults' | 'sideBySide';
    readonly label: string;
    readonly target: ActionTarget;
  }[];
}

/** The changes that apply would make, for your review before it runs. */
export interface Plan {
  readonly changes: readonly PlannedChange[];
  /** Needs a confirmation: apply overwrites, patches, approves, taints or removes something. */
  readonly isDangerous: boolean;
  /** Manual steps that apply cannot do, host by host, in order. */
  readonly instructions: readonly string[];
  /** The most important facts about all changes together, one line each; missing: none. */
  readonly summary?: readonly { readonly label: string; readonly text: string }[];
  /**
   * One line for each part, below the summary; on a narrow screen, `text` is cut. Each part has the next `changeCount`
   * of the changes, and all parts together have all of them. Missing: none.
   */
  readonly parts?: readonly {
    readonly label: string;
    readonly text: string;
    readonly end: string;
    readonly changeCount: number;
  }[];
  /** The question about the changes; missing: that of the action. */
  readonly question?: string;
  /** The label of Enter and the sentence about it; missing: those of the step. */
  readonly enter?: { readonly key: string; readonly sentence: string };
  /** Possible loss, and the word that you type to accept it after you agreed to the changes; missing: yes is enough. */
  readonly typedConfirmation?: { readonly word: string; readonly reason: string };
}

/** Context that all steps share: their only access to the site. */
export interface StepContext {
  readonly design: Design;
  /** The install directory. */
  readonly dir: string;
  readonly clock: Clock;
  readonly resolveEndpoint: ResolveEndpoint;
  readonly manualActions: ManualActions;
  /** Directories searched for openshift-install and oc, in order, before PATH. */
  readonly programDirectories: readonly string[];
  /** Directory of the RHCOS images. */
  readonly imagesDir: string;
  /**
   * Parent of one directory per simulated service host, with the files of that host; null on a real site, where the
   * bastion is this machine.
   */
  readonly hostsDir: string | null;
  /** Absolute paths of the credential files, or null where none is named. */
  readonly credentials: {
    readonly pullSecretFile: string | null;
    readonly sshKeyFile: string | null;
    readonly trustBundleFile: string | null;
    readonly fencingFile: string | null;
  };
  /** The program files of the jobs that outlive the wizard. */
  readonly programs: {
    readonly bootServer: string;
    readonly executable: string;
    /** The version of this program; missing or null: unknown. */
    readonly version?: string | null;
  };
  /** File with the clock anchor that a job shares with the wizard; null for the system clock. */
  readonly clockAnchorFile: string | null;
  /**
   * Facts that steps keep between runs (when nodes were powered on, which stage is live): intent and evidence, never
   * proof of the current state.
   */
  readonly stepState: StepState;
  readonly probeCache: ProbeCache;
  /** Log of the actions, written before they begin. */
  readonly auditLog: AuditLog;
  readonly signal: AbortSignal;
}

/** Progress of one part of a step (one infra move): shown in the row of the part before the next probe. */
export interface ItemProgress {
  readonly subject: string;
  readonly state: 'begun' | 'done';
  /** The current status of the part as text; missing: none. */
  readonly detail?: string;
}

/** The reason of an aborted signal when the user stops an action; any other reason means that this program ends. */
export class StopRequest extends Error {
  constructor() {
    super('stopped by the user');
  }
}

/** Receives the progress of a step, one line at a time. */
export interface ProgressReporter {
  (line: string, item?: ItemProgress): void;
  /** Receives the progress of a part that needs no new line; missing: the receiver shows lines only. */
  readonly updateItem?: (item: ItemProgress) => void;
}

/**
 * One unit of work. `probe` reads the system; `plan` says what will change; `apply` changes it and is idempotent;
 * `verify` probes the running system; `undo` reverts the changes where possible. The wizard, the plain front end and
 * the commands all use it.
 */
export interface Step<View> {
  readonly id: StepId;
  probe(context: StepContext): Promise<Probe<View>>;
  /** Takes a probe of this step. A property and not a method, so that TypeScript rejects the view of another step. */
  readonly plan: (context: StepContext, probe: Probe<View>) => Promise<Plan>;
  /** @param confirmedPlan the plan that the user agreed to, interactively or by an option; null: none was shown */
  apply(context: StepContext, report: ProgressReporter, confirmedPlan?: Plan | null): Promise<void>;
  /** Probes whether the running system is as planned. A step that takes long returns `waiting` until it is. */
  verify(context: StepContext): Promise<Probe<View>>;
  /**
   * The step's actions run in a job, which outlives this program and records them in the journal itself. Missing: they
   * run in this program.
   */
  readonly job?: {
    /** Follows the job until it has ended or has a question. Throws the failure of the job. */
    readonly follow: (context: StepContext, report: ProgressReporter) => Promise<void>;
    /** Answers no to the question of the job. */
    readonly decline: (context: StepContext) => void;
    /** A sentence about the job for a user who leaves; null if none runs. */
    readonly describe: (context: Pick<StepContext, 'dir'>) => string | null;
  };
  /** Reverts what apply did. `target`: one part, where the step has parts (one infra move); null: the whole step. */
  undo?(context: StepContext, target: ActionTarget | null, report: ProgressReporter): Promise<void>;
  /**
   * Overrides the checks that block the step (`Probe.overridableChecks`), with the user's reason; they do not block the
   * next probe.
   * @throws UserErrorException `override-reason`
   */
  override?(context: StepContext, reason: string, report: (line: string) => void): Promise<void>;
  /** Sets up the parts of `target`, as previewed. */
  setUp?(context: StepContext, target: ActionTarget, report: (line: string) => void): Promise<void>;
  /** Previews what undoing or setting up the parts of `target` would change now; null: the whole step. */
  previewAction?(context: StepContext, target: ActionTarget | null, action: PreviewedAction): Promise<Confirmation>;
  /** Applies one part only (one CSR, one infra move). */
  applyOne?(context: StepContext, target: ActionTarget, report: ProgressReporter): Promise<void>;
  /** Builds a page about one part of the step, on request. */
  buildPage?(context: StepContext, subject: string): Promise<Page>;
  /** Interval between probes while the step is on the screen, in ms of the clock; null if one probe is enough. */
  readonly probeIntervalMs: number | null;
  /** Time without `done` after which an unattended run stops and says what is missing, in ms of the clock. */
  readonly timeoutMs: number;
}

/** A step's probe of the system, and the plan that follows from it. */
export interface StepProbe<View = unknown> {
  readonly probe: Probe<View>;
  plan(): Promise<Plan>;
}

/** A step for callers that treat all steps alike and need not know its view. */
export interface AnyStep<View = unknown> extends Omit<Step<View>, 'probe' | 'plan'> {
  probe(context: StepContext): Promise<StepProbe<View>>;
}

/** Converts a step to the form for all callers: it plans from its own probe. */
export function toAnyStep<View>({ probe, plan, ...step }: Step<View>): AnyStep<View> {
  return {
    ...step,
    async probe(context) {
      const result = await probe(context);
      return { probe: result, plan: () => plan(context, result) };
    },
  };
}
