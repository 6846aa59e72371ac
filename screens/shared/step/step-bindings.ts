import { convertErrorToFinding, formatFindings } from '../../../src/checks/check.ts';
import type { DesignDocument } from '../../../src/design/paths.ts';
import { findRejectedAnswer } from '../../../src/design/rejected-answer.ts';
import { catalogue, replaceProgramName } from '../../../src/i18n/catalogue.ts';
import { markCommand } from '../../../src/i18n/prose.ts';
import { SHORTCUTS } from '../../../src/i18n/shortcuts.ts';
import type { Binding } from '../../../src/rows/bindings.ts';
import type { PageRow } from '../../../src/rows/page-rows.ts';
import type { Plan, Probe, StepId } from '../../../src/steps/contract.ts';
import type { StepIdWithView } from '../../../src/steps/registry.ts';
import { formatTarget } from '../../../src/steps/step-action.ts';
import { readNodeDrafts } from '../../../src/wizard/design/node-table.ts';
import { describePath, findPageForPath } from '../../../src/wizard/design/review.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { LogWindow } from '../../../src/wizard/live/log-position.ts';
import {
  type ConfirmationPrompt,
  canOverride,
  canStop,
  type Failure,
  getStepError,
  hasRequiredInput,
  isBlockedForNow,
  type PlanFold,
  type StepRun,
} from '../../../src/wizard/live/step-run.ts';
import { getContinueTarget } from '../../../src/wizard/navigation.ts';
import { SCREEN_IDS, type WizardState } from '../../../src/wizard/state.ts';
import {
  createCommonBindings,
  createMoveBindings,
  createQuitBindings,
  createScrollBindings,
  createTextScrollBindings,
  getPageRows,
  skipExcess,
} from '../bindings.ts';
import { createFilterBindings, createFilterTypingBindings } from '../list-filter.ts';

/**
 * Creates the key for yes, which is disabled while the preview loads or forbids the action, and a key for each
 * alternative question.
 */
function createConfirmationBindings({ action, confirmation }: ConfirmationPrompt): Binding<Intent>[] {
  const yes: Binding<Intent> = {
    keys: ['y'],
    label: catalogue().screens.keys.yes,
    intent: { type: 'step/answer', isYes: true },
  };
  if (confirmation === undefined) return [yes];
  if (confirmation === 'reading') return [{ ...yes, disabledReason: catalogue().screens.step.stillLooking }];
  return [
    confirmation.blockedReason === undefined
      ? { ...yes, label: confirmation.yesLabel ?? yes.label }
      : { ...yes, disabledReason: confirmation.blockedReason, isHidden: true },
    ...confirmation.alternatives.map(
      ({ key, label, target }): Binding<Intent> => ({
        keys: [SHORTCUTS[key]],
        label,
        intent: { type: 'step/ask', action, subject: formatTarget(target) },
      }),
    ),
  ];
}

/** Creates the key that returns to the screen where the user was before, if that is beyond the next step. */
export function createContinueBindings(state: WizardState): Binding<Intent>[] {
  const continueTarget = getContinueTarget(state);
  return continueTarget === null
    ? []
    : [
        {
          keys: [SHORTCUTS.resume],
          label: catalogue().screens.keys.continueTo(catalogue().screens.sidebar[continueTarget]),
          intent: { type: 'screen/onward' },
        },
      ];
}

/** Creates the keys for findings: one opens the answer to correct, the other leaves a step that may stay incomplete. */
function createRepairBindings<View>(
  { mayStayIncomplete }: StepKeys<View>,
  run: StepRun,
  document: DesignDocument,
): Binding<Intent>[] {
  const { probe, phase } = run;
  const nodes = readNodeDrafts(document);
  const fatalFindings = probe?.findings.filter(({ severity }) => severity === 'fatal') ?? [];
  const nodeFinding = fatalFindings.find(
    ({ subject }) => subject !== null && nodes.some(({ name }) => name === subject),
  );
  const index = nodes.findIndex(({ name }) => name === nodeFinding?.subject);
  const bindings: Binding<Intent>[] = [];
  if (nodeFinding && index >= 0) {
    bindings.push({
      keys: [SHORTCUTS.edit],
      label: keys().toNode(nodeFinding.subject ?? ''),
      intent: {
        type: 'screen/go',
        screen: 'nodes',
        field: `nodes.${index}.mac`,
        ...(nodeFinding.detectedMac === undefined ? {} : { text: nodeFinding.detectedMac }),
        notice: {
          kind: 'warning',
          text: nodeFinding.detectedMac === undefined ? nodeFinding.title : words().offersMac(nodeFinding.title),
        },
      },
    });
  }
  const userError = getStepError(run);
  const rejectedAnswer = userError && findRejectedAnswer(userError);
  if (userError && rejectedAnswer) {
    const screen = findPageForPath(rejectedAnswer);
    bindings.push({
      keys: [SHORTCUTS.edit],
      label: keys().toNode(describePath(document, rejectedAnswer)),
      shortLabel: keys().toAnswer,
      intent: { type: 'screen/go', screen, field: rejectedAnswer, notice: { kind: 'error', text: userError.cause } },
    });
  }
  if (mayStayIncomplete && fatalFindings.length > 0 && phase !== 'done') {
    bindings.push(createSkipBinding());
  }
  return bindings;
}

/** Creates the key that leaves a step that is not finished. */
export const createSkipBinding = (): Binding<Intent> => ({
  keys: [SHORTCUTS.nextScreen],
  label: keys().continueAnyway,
  shortLabel: keys().continueShort,
  staysVisible: true,
  intent: { type: 'screen/next', needsSecondPress: true },
});

const words = () => catalogue().screens.step;
const keys = () => catalogue().screens.keys;

/** The rows of a step's screen, and the parts of it that its keys scroll. */
export interface DrawnBody {
  readonly rows: readonly PageRow[];
  /** The text that the keys scroll: its number of lines, and the first line of its last page. */
  readonly scroll?: { readonly lineCount: number; readonly lastTop: number; readonly page?: number };
  /**
   * The folded parts of a plan: for each, its line in the scrolled text, and its height in lines when it is open.
   * `isBeside`: the scrolled text is the changes of the selected part, beside them.
   */
  readonly parts?: {
    readonly isBeside?: boolean;
    readonly fold: PlanFold;
    readonly positions: readonly { readonly line: number; readonly height: number }[];
  };
  /** Visible lines of the log. */
  readonly logRows?: number;
  /** The text that the keys search, with its visible lines. On a page with a list: the details that fill the page. */
  readonly text?: LogWindow;
  /**
   * The texts and ids of all rows of a list that can be filtered. `selectedRow`: the row that the user selected.
   * `visibleRow`: the row that is shown as selected; -1 if the filter hides all rows.
   */
  readonly list?: {
    readonly texts: readonly string[];
    readonly ids: readonly string[];
    readonly selectedRow: number;
    readonly visibleRow: number;
  };
}

/** The parts of a step page that determine its keys. */
export interface StepKeys<View> {
  /** The type accepts only a step that has this view. */
  readonly id: StepIdWithView<View>;
  /**
   * The step watches hosts or the cluster: what is wrong there can be diagnosed. `afterwards`: it awaits nothing, so
   * the key is shown only when something failed.
   */
  readonly watchesSite?: boolean | 'afterwards';
  /** Its actions run in a job, which continues when the user leaves. */
  readonly runsInJob?: boolean;
  /** The step may stay incomplete: a cluster works without one node, or with a degraded Operator. */
  readonly mayStayIncomplete?: boolean;
  /** Number of rows in the list, for the selection. */
  readonly rowCount?: (view: View, drawnBody: DrawnBody) => number;
  /** Keys of this step only; `row` is the selected row. */
  readonly bindings?: (view: View, row: number, run: StepRun, drawnBody: DrawnBody) => readonly Binding<Intent>[];
  /** The commands for the selected row; by default, the commands of the plan. */
  readonly commands?: (view: View, row: number, run: StepRun) => readonly string[];
  /** All commands of the page, indented under their hosts; by default, the instructions of the plan. */
  readonly script?: (view: View) => readonly string[];
  /** The text of the selected row that is worth copying; null: there is none. */
  readonly textToCopy?: (view: View, row: number) => string | null;
  /** The question before one part is applied; by default, `Approve it?`. */
  readonly getQuestion?: (
    view: View,
    subject: string,
  ) => {
    readonly question: string;
    readonly details: readonly string[];
    /** The changes of this part, shown like those of the whole step. */
    readonly plan?: Plan;
  };
  /** The only keys while text is typed on the page; null otherwise. */
  readonly typingBindings?: (view: View, run: StepRun, drawnBody: DrawnBody) => readonly Binding<Intent>[] | null;
}

/** Returns the view from the last probe of this page's step; null before the first probe. */
export function getView<View>(_page: StepKeys<View>, { probe }: StepRun): View | null {
  // The type of a run does not include the type of its view; the page's id guarantees that the view has this type.
  return probe === null ? null : (probe.view as View);
}

/** Returns the current keys of a step's screen: Enter first, then the keys of the step, then the general keys. */
export function createStepBindings<View>(
  page: StepKeys<View>,
  state: WizardState,
  drawnBody: DrawnBody,
): Binding<Intent>[] {
  const run = state.runs[page.id];
  if (run.phase === 'asking') {
    if (run.prompt.input) return createTypedAnswerBindings(run.prompt);
    const foldClosing = createFoldClosing(run, drawnBody);
    return [
      ...createConfirmationBindings(run.prompt),
      {
        // Esc first hides the changes that are shown.
        keys: foldClosing.length > 0 ? ['n'] : ['n', 'escape'],
        label: keys().no,
        intent: { type: 'step/answer', isYes: false },
      },
      ...foldClosing,
      ...createFoldBindings(run, drawnBody),
      ...createQuestionScrollBindings(run, drawnBody),
      ...createCommonBindings({ isTyping: false }).filter(({ keys: names }) => !names.includes('escape')),
    ];
  }
  const view = getView(page, run);
  const typingBindings = view === null ? null : (page.typingBindings?.(view, run, drawnBody) ?? null);
  if (typingBindings !== null) {
    const generalBindings = createCommonBindings({ isTyping: true }).filter(
      ({ keys: names }) => !names.includes('escape'),
    );
    return [...typingBindings, ...generalBindings];
  }
  const { texts = null, ids = [], selectedRow = Math.max(0, run.row), visibleRow = selectedRow } = drawnBody.list ?? {};
  const toIntent = (by: number): Intent => {
    const id = ids[Math.max(0, Math.min(selectedRow + by, count - 1))];
    return { type: 'row/move', from: selectedRow, by, count, ...(id === undefined ? {} : { id }) };
  };
  const count = view === null ? 0 : (page.rowCount?.(view, drawnBody) ?? 0);
  const list = texts && { filter: run.filter, row: selectedRow, texts, toIntent };
  if (list !== null && run.filter.field !== null) return [...createFilterTypingBindings(list), ...createQuitBindings()];
  const pageBindings = view === null ? [] : (page.bindings?.(view, visibleRow, run, drawnBody) ?? []);
  const isFiltered = list !== null && run.filter.query !== '';
  const usesEscape = ({ keys: names }: Binding<Intent>) => names.includes('escape');
  // Esc first ends a filter or a search.
  const isEscapeFree = !isFiltered && !pageBindings.some(usesEscape);
  const mayUseKeys = (binding: Binding<Intent>) => isEscapeFree || !usesEscape(binding);
  return [
    createEnterBinding(page.id, run, state.isEndJustReached),
    ...(canStop(run) && isEscapeFree ? [createStopBinding(page)] : []),
    ...(canOverride(run) ? [{ keys: [SHORTCUTS.override], label: keys().override, intent: OVERRIDE_INTENT }] : []),
    // Keys that repair or override a problem come first, because a narrow footer drops the last keys.
    ...createRepairBindings(page, run, state.document),
    ...(needsAttention(run) ? createDiagnoseBindings(page, run) : []),
    ...pageBindings.map((binding) => disableWhileBusy(binding, run)),
    ...(drawnBody.list === undefined
      ? []
      : [
          ...createDetailScrollBindings(run.top, drawnBody.scroll, drawnBody.scroll?.page),
          ...createDetailPageBinding(pageBindings, drawnBody),
        ]),
    ...createCopyBindings(page, view, { ...run, row: visibleRow }),
    ...(run.phase === 'done' ? createContinueBindings(state) : []),
    ...(list !== null ? createFilterBindings(list) : count > 0 ? createMoveBindings(keys().row, toIntent, 10) : []),
    // Esc goes back only when nothing is left to stop.
    ...createCommonBindings({ isTyping: false }).filter(
      (binding) => mayUseKeys(binding) && isAvailable(binding.keys, run),
    ),
    ...(needsAttention(run) ? [] : createDiagnoseBindings(page, run)),
    { keys: [SHORTCUTS.recheck], label: keys().again, intent: { type: 'step/probe' } },
    { keys: [SHORTCUTS.view], label: keys().design, intent: { type: 'screen/go', screen: 'review' }, isHidden: true },
  ];
}

/**
 * Creates the key that diagnoses. On a page that watches nothing, it lists the error of its action, whole, and what the
 * checks of the page found; with neither it is disabled, with a reason.
 */
function createDiagnoseBindings<View>({ watchesSite }: StepKeys<View>, run: StepRun): Binding<Intent>[] {
  const binding = {
    keys: [SHORTCUTS.diagnose],
    label: keys().diagnose,
    shortLabel: keys().diagnoseShort,
    intent: { type: 'diagnosis/open' },
  } as const;
  if (watchesSite === 'afterwards' && !needsAttention(run)) return [{ ...binding, isHidden: true }];
  if (watchesSite) return [{ ...binding, staysVisible: true }];
  const userError = getStepError(run);
  const failedFindings = (run.probe?.findings ?? [])
    .filter((finding) => finding.state === 'failed' && !isBlockedForNow(finding, run))
    .toSorted((a, b) => Number(b.severity === 'fatal') - Number(a.severity === 'fatal'));
  const findings = [...(userError === null ? [] : [convertErrorToFinding(userError)]), ...failedFindings];
  if (findings.length === 0) {
    const disabledReason = run.probe === null ? words().stillLooking : words().nothingFailed;
    return [{ ...binding, isHidden: true, disabledReason }];
  }
  const page = { title: catalogue().diagnose.title(findings.length), lines: formatFindings(findings, false) };
  return [{ ...binding, intent: { type: 'overlay/show', subject: 'findings', page }, staysVisible: true }];
}

/**
 * Whether something failed, a node is lost, or a wait has failed findings: the diagnose key then comes before keys that
 * only show something.
 */
function needsAttention({ phase, probe }: StepRun): boolean {
  const { isStuck = false, awaitsRepair = false, findings = [] } = probe ?? {};
  return phase === 'failed' || isStuck || awaitsRepair || findings.some(({ state }) => state === 'failed');
}

/**
 * Creates the keys that copy and write. `y` copies the commands to run, or else the text of the selected row. `w`
 * writes all commands of the page to a file.
 */
function createCopyBindings<View>(page: StepKeys<View>, view: View | null, run: StepRun): Binding<Intent>[] {
  const instructions = run.plan?.instructions ?? [];
  const script = view === null ? instructions : (page.script?.(view) ?? instructions);
  const plannedCommands = instructions.filter(isCommand).map((line) => line.trim());
  const commands =
    (view === null ? undefined : page.commands?.(view, run.row, run).map(replaceProgramName)) ?? plannedCommands;
  const cell = view === null ? null : (page.textToCopy?.(view, run.row) ?? null);
  return [
    ...(commands.length > 0
      ? [{ keys: [SHORTCUTS.copy], label: keys().copyCommands, intent: { type: 'commands/copy', commands } as const }]
      : cell === null
        ? []
        : [
            {
              keys: [SHORTCUTS.copy],
              label: keys().copyCell,
              intent: { type: 'cell/copy', text: cell } as const,
              isHidden: true,
            },
          ]),
    ...(script.some(isCommand)
      ? [
          {
            keys: [SHORTCUTS.write],
            label: keys().writeCommands,
            intent: { type: 'commands/write', lines: script } as const,
          },
        ]
      : []),
  ];
}

/** Commands are indented in a plan. */
const isCommand = (line: string) => line.startsWith('  ');

/**
 * Creates the keys for the folded parts of a plan: the arrows select another part. Below the selected one, Enter shows
 * or hides its changes; at the first and the last part, the arrows then scroll the lines around them.
 */
function createFoldBindings({ top }: StepRun, { scroll, parts }: DrawnBody): Binding<Intent>[] {
  if (scroll === undefined || parts === undefined) return [];
  const { fold, positions, isBeside = false } = parts;
  const { selectedPart, openParts } = fold;
  const firstLine = Math.min(top, scroll.lastTop);
  const visibleRows = scroll.lineCount - scroll.lastTop;
  const isOpen = openParts.includes(selectedPart);
  const selectedPosition = positions[selectedPart] ?? { line: 0, height: 1 };
  const toggledParts = isOpen ? openParts.filter((part) => part !== selectedPart) : [...openParts, selectedPart];
  const isPartVisible =
    selectedPosition.line >= firstLine && selectedPosition.line + selectedPosition.height <= firstLine + visibleRows;
  const createSelectIntent = (part: number): Intent => {
    if (isBeside) {
      const shownPart = Math.max(0, Math.min(part, positions.length - 1));
      return {
        type: 'step/fold',
        fold: { ...fold, selectedPart: shownPart },
        top: shownPart === selectedPart ? top : 0,
      };
    }
    const line = positions[part]?.line;
    if (line === undefined)
      return {
        type: 'row/scroll',
        by: skipExcess(part < 0 ? -1 : 1, { top, lastTop: scroll.lastTop }),
        count: scroll.lineCount,
      };
    // The summary stands above the first part.
    const highestTop = part === 0 ? 0 : line;
    const newTop = Math.max(Math.min(firstLine, highestTop), line - visibleRows + 1);
    return { type: 'step/fold', fold: { ...fold, selectedPart: part }, top: newTop };
  };
  const toggleBinding: Binding<Intent> = {
    keys: ['enter'],
    label: isOpen ? keys().hideChanges : keys().showChanges,
    intent: {
      type: 'step/fold',
      fold: { ...fold, openParts: toggledParts },
      top: isOpen ? Math.min(firstLine, selectedPosition.line) : isPartVisible ? firstLine : selectedPosition.line,
    },
  };
  return [
    ...(isBeside ? [] : [toggleBinding]),
    { keys: ['down'], label: keys().row, intent: createSelectIntent(selectedPart + 1), isHidden: true },
    { keys: ['up'], label: keys().row, intent: createSelectIntent(selectedPart - 1), isUpAndDown: true },
  ];
}

/** Creates the key that hides the changes of one part: of the selected one, else of the last opened. */
function createFoldClosing({ top }: StepRun, { scroll, parts }: DrawnBody): Binding<Intent>[] {
  if (scroll === undefined || parts === undefined) return [];
  const { selectedPart, openParts } = parts.fold;
  const part = openParts.includes(selectedPart) ? selectedPart : openParts.at(-1);
  if (part === undefined) return [];
  const fold = { selectedPart, openParts: openParts.filter((openPart) => openPart !== part) };
  const firstLine = Math.min(top, scroll.lastTop);
  const newTop = Math.min(firstLine, parts.positions[part]?.line ?? firstLine);
  return [{ keys: ['escape'], label: keys().closeChanges, intent: { type: 'step/fold', fold, top: newTop } }];
}

/**
 * Creates the keys that scroll the details of a question: a plan may be longer than the screen. The footer shows the
 * first one, except beside a folded plan, which has other keys.
 */
function createQuestionScrollBindings({ top }: StepRun, { scroll, parts }: DrawnBody): Binding<Intent>[] {
  if (scroll === undefined || scroll.lineCount <= 1) return [];
  const { lineCount: count, lastTop } = scroll;
  const toIntent = (by: number): Intent => ({ type: 'row/scroll', by: skipExcess(by, { top, lastTop }), count });
  const visibleRows = count - lastTop;
  return [
    ...createDetailScrollBindings(top, scroll, getPageRows(visibleRows)),
    ...createTextScrollBindings(toIntent, visibleRows),
  ].map((binding, index) => ({
    ...binding,
    isHidden: index > 0 || lastTop === 0 || (parts !== undefined && parts.isBeside !== true),
  }));
}

/** Creates the keys Right and Left, which scroll the text of the page; none without a text. */
export function createDetailScrollBindings(top: number, scroll: DrawnBody['scroll'], page?: number): Binding<Intent>[] {
  return scroll === undefined ? [] : createScrollBindings(scroll.lineCount, { top, lastTop: scroll.lastTop }, page);
}

/**
 * Creates the key that shows the details of the selected row on the whole page; none if the page has details of its
 * own. The footer shows it if the details do not fit beside or below the list.
 */
function createDetailPageBinding(
  pageBindings: readonly Binding<Intent>[],
  { scroll }: DrawnBody,
): readonly Binding<Intent>[] {
  const hasOwnDetails = pageBindings.some(({ keys: names }) => names.includes(SHORTCUTS.details));
  return hasOwnDetails || scroll === undefined
    ? []
    : [
        {
          keys: [SHORTCUTS.details],
          label: keys().details,
          intent: { type: 'log/details' },
          isHidden: scroll.lastTop === 0,
        },
      ];
}

/** Creates the keys of a question that needs a typed word: letters are text. */
function createTypedAnswerBindings(question: ConfirmationPrompt): Binding<Intent>[] {
  const yes: Binding<Intent> = { keys: ['enter'], label: keys().yes, intent: { type: 'step/answer', isYes: true } };
  return [
    hasRequiredInput(question) ? yes : { ...yes, disabledReason: explainMissingInput(question) },
    { keys: ['escape'], label: keys().no, intent: { type: 'step/answer', isYes: false } },
    ...createCommonBindings({ isTyping: true }).filter(({ keys: names }) => !names.includes('escape')),
  ];
}

function explainMissingInput({ input }: ConfirmationPrompt): string {
  const [word] = input?.words ?? [];
  return word === undefined ? words().reasonFirst : words().typeFirst(word);
}

/** Asks for the reason to override the checks that block the step. */
const OVERRIDE_INTENT: Intent = { type: 'step/ask', action: 'override', words: [] };

/**
 * Esc stops the running action; pressed again, it goes back while the action ends. A job that would continue without
 * the wizard is stopped by a second Esc only.
 */
const createStopBinding = <View>({ runsInJob = false }: StepKeys<View>): Binding<Intent> => ({
  keys: ['escape'],
  label: keys().stop,
  intent: runsInJob ? { type: 'step/cancel', needsSecondPress: true } : { type: 'step/cancel' },
});

function isAvailable(names: Binding<Intent>['keys'], run: StepRun): boolean {
  return !(canStop(run) && names.includes('escape'));
}

/** Disables questions while an action runs, or before the state is known. */
function disableWhileBusy(binding: Binding<Intent>, { phase }: StepRun): Binding<Intent> {
  if (binding.intent?.type !== 'step/ask') return binding;
  if (phase === 'applying') return { ...binding, disabledReason: words().stillRunning };
  return phase === 'probing' || phase === 'unknown' ? { ...binding, disabledReason: words().stillLooking } : binding;
}

/** Enter does the next action or, if there is none, shows the reason. */
function createEnterBinding(id: StepId, run: StepRun, isEndJustReached: boolean): Binding<Intent> {
  const apply: Binding<Intent> = {
    keys: ['enter'],
    label: describeAction(id, run).key,
    intent: { type: 'step/ask', action: 'apply' },
  };
  switch (run.phase) {
    case 'done':
      return id === SCREEN_IDS.at(-1)
        ? {
            keys: ['enter'],
            label: keys().done,
            intent: { type: 'session/quit' },
            ...(isEndJustReached ? { disabledReason: words().allDone } : {}),
          }
        : { keys: ['enter'], label: keys().next, intent: { type: 'screen/next' } };
    case 'ready':
      return run.probe.state === 'blocked' ? { ...apply, disabledReason: explainBlocked(run.probe) } : apply;
    case 'failed':
      return { ...apply, label: keys().retry, intent: createRetryIntent(run.failure) };
    case 'watching':
      return { ...apply, label: keys().next, disabledReason: words().stillWaiting };
    case 'applying':
      return { ...apply, disabledReason: run.isStopping ? words().stops.requested : words().stillRunning };
    case 'unknown':
    case 'probing':
    case 'asking':
      return { ...apply, disabledReason: words().stillLooking };
  }
}

/**
 * Explains what lets a blocked step continue: the remedy of its first finding, up to the first command, and the key
 * that checks again.
 */
function explainBlocked({ summary, findings }: Probe<unknown>): string {
  const finding = findings.find(({ severity }) => severity === 'fatal') ?? findings[0];
  if (finding === undefined) return summary;
  const { title, cause, remedy, command } = finding;
  const [, sentence = remedy, firstCommand = ''] = /^([^`]*)(`[^`]+`)?/.exec(remedy) ?? [];
  const otherCommand = command === undefined ? (/`[^`]+`/.exec(cause)?.[0] ?? '') : markCommand(command);
  return words().blockedEnter(sentence.trim() || title, firstCommand || otherCommand);
}

/** Repeats only what failed. After a failed probe this is the probe, because the possible actions are unknown. */
function createRetryIntent(failure: Failure): Intent {
  if (failure.during === 'probe') return { type: 'step/probe' };
  const { attempt } = failure;
  if (attempt.action === 'override') return OVERRIDE_INTENT;
  if (attempt.subject === null) return { type: 'step/ask', action: attempt.action };
  const retryIntent = { type: 'step/ask', action: attempt.action, subject: attempt.subject } as const;
  return attempt.input ? { ...retryIntent, words: attempt.input.words } : retryIntent;
}

/** Returns the label and the sentence for Enter. For manual work, Enter only confirms that it is done. */
export function describeAction(id: StepId, { plan }: StepRun): { readonly key: string; readonly sentence: string } {
  // The job of the step waits for an answer.
  if (plan?.question !== undefined) return { key: keys().answer, sentence: words().answerJob };
  if (plan?.enter !== undefined) return plan.enter;
  const { actions, manualActions } = catalogue().steps;
  const manualWords: Partial<typeof actions> = manualActions;
  return (plan?.instructions ?? []).length > 0 ? (manualWords[id] ?? actions[id]) : actions[id];
}
