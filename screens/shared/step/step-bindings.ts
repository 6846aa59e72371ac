import type { StepId } from '../../../src/steps/contract.ts';
import type { StepWith } from '../../../src/steps/registry.ts';
import { asStarted, catalogue } from '../../../src/text/catalogue.ts';
import { LETTERS } from '../../../src/text/letters.ts';
import type { Binding } from '../../../src/ui/keys/keymap.ts';
import { documentNodes } from '../../../src/wizard/design/update-nodes.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import { type Failure, isPassable, isTyped, type Question, type StepRun } from '../../../src/wizard/live/step-run.ts';
import { SCREEN_IDS, type WizardState } from '../../../src/wizard/state.ts';
import { commonBindings, linesAbout, moveBindings, readBindings, scrollBindings } from '../bindings.ts';
import { answersTo } from './briefed.ts';
import { changeLines } from './changes.ts';
import { onwardBindings } from './onward.ts';
import { repairBindings } from './repairs.ts';

const words = () => catalogue().screens.step;
const keys = () => catalogue().screens.keys;

/** What the keys of a step depend on. */
export interface StepKeys<View> {
  /** The compiler accepts only a step with this view. */
  readonly id: StepWith<View>;
  /** How many rows its list has, for the selection. */
  readonly rowCount?: (view: View) => number;
  /** Keys of its own; `row` is the selected one. */
  readonly bindings?: (view: View, row: number, run: StepRun) => readonly Binding<Intent>[];
  /** What a person types for the selected row; without it, the commands of the plan. */
  readonly commands?: (view: View, row: number, run: StepRun) => readonly string[];
  /** All that a person types on this page, indented under the hosts; without it, the instructions of the plan. */
  readonly script?: (view: View) => readonly string[];
  /** The text of the selected row that is worth copying; null where there is none. */
  readonly cell?: (view: View, row: number) => string | null;
  /** The question before one part is applied; `Approve it?` otherwise. */
  readonly questionOf?: (
    view: View,
    subject: string,
  ) => { readonly question: string; readonly details: readonly string[] };
  /** While a person types text on it: the only keys there are; null otherwise. */
  readonly typing?: (view: View, run: StepRun) => readonly Binding<Intent>[] | null;
}

/** The view that the last look of this page's step found; null before the first look. */
export function viewOf<View>(_page: StepKeys<View>, { probe }: StepRun): View | null {
  // A run does not have the type of its view; the type of the page's id ensures that it is this one.
  return probe === null ? null : (probe.view as View);
}

/** The current keys of a step's screen: Enter first, then its own, then those that every screen has. */
export function stepBindings<View>(page: StepKeys<View>, state: WizardState): Binding<Intent>[] {
  const run = state.runs[page.id];
  if (run.phase === 'asking') {
    if (run.question.typed) return typedAnswer(run.question);
    return [
      ...answersTo(run.question),
      { keys: ['n', 'escape'], label: keys().no, intent: { type: 'step/answer', isYes: false } },
      ...detailBindings(page, run),
      ...commonBindings({ isTyping: false }).filter(({ keys: names }) => !names.includes('escape')),
    ];
  }
  const view = viewOf(page, run);
  const typing = view === null ? null : (page.typing?.(view, run) ?? null);
  if (typing !== null) {
    const common = commonBindings({ isTyping: true }).filter(({ keys: names }) => !names.includes('escape'));
    return [...typing, ...common];
  }
  const count = view === null ? 0 : (page.rowCount?.(view) ?? 0);
  const own = view === null ? [] : (page.bindings?.(view, run.row, run) ?? []);
  return [
    enterBinding(page.id, run, state.isJustOver),
    ...(canStop(run) ? [stop()] : []),
    ...(isUneasy(run) ? whatIsWrong(page.id) : []),
    ...(isPassable(run) ? [{ keys: [LETTERS.goPast], label: keys().override, intent: OVERRIDE }] : []),
    // Keys that repair or pass a problem come before those that only show: a narrow footer has no room for all.
    ...repairBindings(page.id, run, documentNodes(state)),
    ...own.map((binding) => notYet(binding, run)),
    ...copyBindings(page, view, run),
    ...(run.phase === 'done' ? onwardBindings(state) : []),
    ...(count > 0 ? moveBindings(keys().row, (by) => ({ type: 'row/move', by, count }), 10) : []),
    // Esc goes back only when nothing is left to stop.
    ...commonBindings({ isTyping: false }).filter(({ keys: names }) => isFree(names, run)),
    ...(isUneasy(run) ? [] : whatIsWrong(page.id)),
    { keys: [LETTERS.again], label: keys().again, intent: { type: 'step/look' } },
    { keys: [LETTERS.view], label: keys().design, intent: { type: 'screen/go', screen: 'review' } },
  ];
}

/** The steps that watch what runs elsewhere. */
export const LIVE: ReadonlySet<StepId> = new Set([
  ...(['hosts', 'boot', 'bootstrap', 'bootstrap-removal', 'certificates', 'operators', 'infra'] as const),
]);

function whatIsWrong(id: StepId): Binding<Intent>[] {
  return LIVE.has(id) ? [{ keys: [LETTERS.diagnose], label: keys().diagnose, intent: { type: 'diagnosis/open' } }] : [];
}

/** Something failed, or a wait has findings: then the question comes before all that only shows. */
function isUneasy({ phase, probe }: StepRun): boolean {
  return phase === 'failed' || (probe?.findings.some(({ state }) => state === 'failed') ?? false);
}

/** `y` copies what a person has to type, else what the selected row is about; `w` writes all commands of the page. */
function copyBindings<View>(page: StepKeys<View>, view: View | null, run: StepRun): Binding<Intent>[] {
  const instructions = run.plan?.instructions ?? [];
  const script = view === null ? instructions : (page.script?.(view) ?? instructions);
  const planned = instructions.filter(isCommand).map((line) => line.trim());
  const commands = (view === null ? undefined : page.commands?.(view, run.row, run).map(asStarted)) ?? planned;
  const cell = view === null ? null : (page.cell?.(view, run.row) ?? null);
  return [
    ...(commands.length > 0
      ? [{ keys: [LETTERS.copy], label: keys().copyCommands, intent: { type: 'commands/copy', commands } as const }]
      : cell === null
        ? []
        : [
            {
              keys: [LETTERS.copy],
              label: keys().copyCell,
              intent: { type: 'cell/copy', text: cell } as const,
              hidden: true,
            },
          ]),
    ...(script.some(isCommand)
      ? [
          {
            keys: [LETTERS.write],
            label: keys().writeCommands,
            intent: { type: 'commands/write', lines: script } as const,
          },
        ]
      : []),
  ];
}

/** Commands are indented in a plan. */
const isCommand = (line: string) => line.startsWith('  ');

type Asking = Extract<StepRun, { phase: 'asking' }>;

/** A plan may be longer than the screen: a person reads it before answering. */
function detailBindings<View>(page: StepKeys<View>, run: Asking): Binding<Intent>[] {
  const { question, plan } = run;
  const { action, subject, brief } = question;
  const view = viewOf(page, run);
  const changes = action === 'apply' ? linesAbout(changeLines(plan?.changes ?? []).map(({ text }) => text)) + 1 : 0;
  const asked = subject !== null && view !== null ? page.questionOf?.(view, subject) : undefined;
  const read = brief === undefined || brief === 'reading' ? null : linesAbout(brief.lines) + 1;
  const count = read ?? (asked === undefined ? changes : linesAbout(asked.details));
  if (count <= 1) return [];
  const scroll = (by: number): Intent => ({ type: 'row/scroll', by, count });
  return [...scrollBindings(count), ...readBindings(scroll)].map((binding) => ({ ...binding, hidden: true }));
}

/** Where the answer is a word, letter keys type it. */
function typedAnswer(question: Question): Binding<Intent>[] {
  const yes: Binding<Intent> = { keys: ['enter'], label: keys().yes, intent: { type: 'step/answer', isYes: true } };
  return [
    isTyped(question) ? yes : { ...yes, disabled: typeFirst(question) },
    { keys: ['escape'], label: keys().no, intent: { type: 'step/answer', isYes: false } },
    ...commonBindings({ isTyping: true }).filter(({ keys: names }) => !names.includes('escape')),
  ];
}

function typeFirst({ typed }: Question): string {
  const [word] = typed?.words ?? [];
  return word === undefined ? words().reasonFirst : words().typeFirst(word);
}

/** Asks for the reason to go past the checks that block. */
const OVERRIDE: Intent = { type: 'step/ask', action: 'override', words: [] };

/** Esc stops what runs; pressed again, it goes back while that comes to its end. */
const stop = (): Binding<Intent> => ({ keys: ['escape'], label: keys().stop, intent: { type: 'step/cancel' } });

function canStop(run: StepRun): boolean {
  return run.phase === 'applying' && !run.isStopping;
}

function isFree(names: Binding<Intent>['keys'], run: StepRun): boolean {
  return !(canStop(run) && names.includes('escape'));
}

/** What would be asked while something runs, or before it is known how things are, says that it waits. */
function notYet(binding: Binding<Intent>, { phase }: StepRun): Binding<Intent> {
  if (binding.intent?.type !== 'step/ask') return binding;
  if (phase === 'applying') return { ...binding, disabled: words().stillRunning };
  return phase === 'looking' || phase === 'unknown' ? { ...binding, disabled: words().stillLooking } : binding;
}

/** Enter does the next thing or, where there is none, says why. */
function enterBinding(id: StepId, run: StepRun, isJustOver: boolean): Binding<Intent> {
  const apply: Binding<Intent> = {
    keys: ['enter'],
    label: actionOf(id, run).key,
    intent: { type: 'step/ask', action: 'apply' },
  };
  switch (run.phase) {
    case 'done':
      return id === SCREEN_IDS.at(-1)
        ? {
            keys: ['enter'],
            label: keys().done,
            intent: { type: 'session/quit' },
            ...(isJustOver ? { disabled: words().justOver } : {}),
          }
        : { keys: ['enter'], label: keys().next, intent: { type: 'screen/next' } };
    case 'ready':
      return run.probe.state === 'blocked' ? { ...apply, disabled: run.probe.summary } : apply;
    case 'failed':
      return { ...apply, label: keys().retry, intent: tryAgain(run.failure) };
    case 'watching':
      return { ...apply, label: keys().next, disabled: words().stillWaiting };
    case 'applying':
      return { ...apply, disabled: run.isStopping ? words().stops.asked : words().stillRunning };
    case 'unknown':
    case 'looking':
    case 'asking':
      return { ...apply, disabled: words().stillLooking };
  }
}

/** Tries again what failed, and nothing else: after a failed look nothing is known that could be done. */
function tryAgain(failure: Failure): Intent {
  if (failure.during === 'look') return { type: 'step/look' };
  const { tried } = failure;
  if (tried.action === 'override') return OVERRIDE;
  if (tried.subject === null) return { type: 'step/ask', action: tried.action };
  const again = { type: 'step/ask', action: tried.action, subject: tried.subject } as const;
  return tried.typed ? { ...again, words: tried.typed.words } : again;
}

/** What Enter does: where the work is a person's, it only confirms that it is done. */
export function actionOf(id: StepId, { plan }: StepRun): { readonly key: string; readonly sentence: string } {
  const { actions, actionsByHand } = catalogue().steps;
  const byHand: Partial<typeof actions> = actionsByHand;
  return (plan?.instructions ?? []).length > 0 ? (byHand[id] ?? actions[id]) : actions[id];
}
