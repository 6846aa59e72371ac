import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { catalogue } from '../i18n/catalogue.ts';
import type { Binding } from '../rows/bindings.ts';
import { getItemText, type PageRow } from '../rows/page-rows.ts';
import type { StepId } from '../steps/contract.ts';
import { readNodeDrafts } from '../wizard/design/node-table.ts';
import { listReviewProblems } from '../wizard/design/review.ts';
import { getIntentRules, type Intent } from '../wizard/intents.ts';
import { isQuestionOverlay, isWelcomeBackPage } from '../wizard/overlays/overlay.ts';
import { isStep, type WizardState } from '../wizard/state.ts';
import type { ScreenTextModel } from './screen-text-model.ts';

const words = () => catalogue().plain;

const createAction = (...intents: readonly Intent[]) => ({ kind: 'dispatch', intents }) as const;

/** Lists everything that the user can do on this screen, the usual next action first. */
export function listMenuItems(state: WizardState, model: ScreenTextModel): MenuItem[] {
  const usableChoices = selectUsableChoices(model.choices(state));
  const entries = model.entries(state).map(({ label, intents }): MenuItem => {
    // The texts of the page may mention the key of an entry, so its letter selects the entry as well.
    const choice = usableChoices.find(({ intent }) => intents.length === 1 && isDeepStrictEqual(intent, intents[0]));
    return { label, letter: choice === undefined ? null : findLetter(choice.keys), action: createAction(...intents) };
  });
  const choices = entries.length > 0 ? [] : usableChoices;
  const rowItems = isStep(state.screen) && state.overlay === null ? createRowItems(state, model) : [];
  const isRowItem = ({ keys, label }: Binding<Intent>) =>
    rowItems.some((item) =>
      item.letter === null ? `${item.label}: `.startsWith(`${label}: `) : item.letter === findLetter(keys),
    );
  const otherChoices = choices.filter((choice) => !isRowItem(choice));
  // The time of a rehearsal comes last: a long menu prints only its first items.
  const isTimeChoice = ({ intent }: Binding<Intent>) => intent?.type.startsWith('rehearsal/') === true;
  const choiceItems = otherChoices
    .filter((choice) => !isTimeChoice(choice))
    .flatMap((choice) => createChoiceItems(choice, state));
  const timeItems = otherChoices.filter(isTimeChoice).flatMap((choice) => createChoiceItems(choice, state));
  const textItems = state.overlay === null ? createTextItems(state, model) : [];
  // A page that is a text to read offers its text first, after the usual next action.
  const textIndex = choices[0]?.keys.includes('enter') ? 1 : 0;
  const isText = model.doneText(state).length > 0;
  return [
    ...entries,
    ...(isText
      ? [...choiceItems.slice(0, textIndex), ...textItems, ...choiceItems.slice(textIndex), ...rowItems]
      : [...choiceItems, ...rowItems, ...textItems]),
    ...timeItems,
    ...(state.overlay === null && entries.length === 0
      ? [
          {
            label: words().menu.back,
            letter: words().inputCommands.back,
            action: createAction({ type: 'screen/back' }),
          },
        ]
      : []),
    ...(state.overlay === null ? [] : createCloseItems(state)),
    { label: words().menu.leave, letter: words().inputCommands.leave, action: createAction({ type: 'session/quit' }) },
  ];
}

/** Creates the item that closes the overlay, unless the overlay is a question, which has its own choices. */
function createCloseItems({ overlay }: WizardState): MenuItem[] {
  if (isQuestionOverlay(overlay)) return [];
  const closeIntent: Intent = overlay?.kind === 'import' ? { type: 'import/close' } : { type: 'overlay/close' };
  const label = isWelcomeBackPage({ overlay }) ? words().menu.goOn : words().menu.back;
  return [{ label, letter: words().inputCommands.back, action: createAction(closeIntent) }];
}

function selectUsableChoices(choices: readonly Binding<Intent>[]): Binding<Intent>[] {
  return choices.filter(({ keys, intent, disabledReason }) => {
    if (disabledReason !== undefined || intent === null || getIntentRules(intent).offeredIn !== undefined) return false;
    // The last entry always leaves the wizard. Only if Enter leaves too, leaving is the usual next action.
    return intent.type !== 'session/quit' || keys.includes('enter');
  });
}

function createChoiceItems(choice: Binding<Intent>, state: WizardState): MenuItem[] {
  const { intent, label } = choice;
  if (intent === null) return [];
  const item = { label, letter: findLetter(choice.keys) };
  const { target } = getIntentRules(intent);
  if (target === 'problem') return [{ ...item, action: { kind: 'pick', items: () => createProblemItems(state) } }];
  if (target === 'node') {
    const hasNoDefault = intent.type === 'node/delete';
    return [{ ...item, action: { kind: 'pick', items: () => createNodeItems(state, intent), hasNoDefault } }];
  }
  if (intent.type === 'overlay/close' && state.overlay?.kind === 'page') return [];
  // A choice by its number is deliberate: one press is enough.
  return [{ ...item, action: createAction(intent.type === 'screen/next' ? { type: intent.type } : intent) }];
}

/** Finds the letter that texts on the screens use for a key. */
function findLetter(keys: readonly string[]): string | null {
  return keys.find((key) => /^[a-zA-Z!]$/.test(key)) ?? null;
}

function createProblemItems(state: WizardState): MenuItem[] {
  return listReviewProblems(state).map(({ subject, message }, row) => ({
    label: [...subject, message].join(': '),
    letter: null,
    action: createAction({ type: 'review/move', by: row - state.reviewRow }, { type: 'review/jump' }),
  }));
}

function createNodeItems(state: WizardState, intent: Intent): MenuItem[] {
  return readNodeDrafts(state.document).map(({ name, role, ip }, row) => ({
    label: [name, role, ip]
      .flat()
      .map((part) => String(part ?? ''))
      .join('  '),
    letter: null,
    action: createAction({ type: 'node/move', by: row - state.nodes.row }, intent),
  }));
}

/**
 * Creates the items for actions on a part of a step. The screens offer these for the selected row; here for all rows.
 */
function createRowItems(state: WizardState, model: ScreenTextModel): MenuItem[] {
  const { screen } = state;
  if (!isStep(screen)) return [];
  const rowCount = Math.max(1, countRows(model.choices(state)));
  const groups = new Map<string, { letter: string | null; rows: number; intents: Map<string, Intent> }>();
  for (let row = 0; row < rowCount; row += 1) {
    for (const { keys, label, intent } of selectUsableChoices(model.choices(selectRow(state, screen, row)))) {
      if (intent === null || !('subject' in intent) || intent.subject === undefined) continue;
      const group = groups.get(label) ?? { letter: findLetter(keys), rows: 0, intents: new Map<string, Intent>() };
      group.rows += 1;
      group.intents.set(intent.subject, intent);
      groups.set(label, group);
    }
  }
  return [...groups].map(([label, group]) => {
    const { letter, intents } = group;
    const createSubjectItems = () => {
      const pageRows = model.rows(state);
      return [...intents].map(([subject, intent]): MenuItem => {
        return { label: findSubjectText(subject, pageRows), letter: null, action: createAction(intent) };
      });
    };
    // Enter selects no row for an action, which the user would take for the usual one; it does select a text to read.
    const hasNoDefault = [...intents.values()].some(({ type }) => type === 'step/ask');
    if (intents.size > 1) return { label, letter, action: { kind: 'pick', items: createSubjectItems, hasNoDefault } };
    // An action that only some rows offer is about a row, so its label names the row.
    const isSubjectInLabel = [...intents.keys()].some((subject) =>
      subject.split('/').some((part) => label.includes(part)),
    );
    const name = group.rows < rowCount && !isSubjectInLabel ? `: ${createSubjectItems()[0]?.label ?? ''}` : '';
    return { label: `${label}${name}`, letter, action: createAction(...intents.values()) };
  });
}

function selectRow(state: WizardState, screen: StepId, row: number): WizardState {
  return { ...state, runs: { ...state.runs, [screen]: { ...state.runs[screen], row, rowId: null, top: 0 } } };
}

function countRows(choices: readonly Binding<Intent>[]): number {
  const counts = choices.map(({ intent }) => (intent?.type === 'row/move' ? intent.count : 0));
  return Math.max(0, ...counts);
}

/** Returns the text of the row about a part of the step; the name of the part if no row shows its whole name. */
function findSubjectText(subject: string, rows: readonly PageRow[]): string {
  const parts = subject.split('/').filter((part) => part !== '');
  const row = rows.find(({ item }) => item !== undefined && parts.includes(item.id));
  const name = row?.item?.id ?? parts.find((part) => !/^(?:events|missing)$/.test(part)) ?? subject;
  return row !== undefined && getItemText(row).includes(name) ? formatTableRow(row) : name;
}

/** Formats a row of a table, in which cells are two or more blanks apart: its name and state, then the other cells. */
function formatTableRow(row: PageRow): string {
  const [name = '', ...cells] = getItemText(row)
    .trim()
    .split(/\s{2,}/);
  return `${name} ${cells.join(' - ')}`.trim();
}

/**
 * Creates the items that print a text: the screen, one row, the planned changes, the log, the explanation of the step.
 */
function createTextItems(state: WizardState, model: ScreenTextModel): MenuItem[] {
  const { menu, inputCommands } = words();
  const createTextItem = (label: string, lines: () => readonly string[], letter: string | null = null): MenuItem => ({
    label,
    letter,
    action: { kind: 'print', lines },
  });
  const changes = isStep(state.screen) && state.runs[state.screen].phase === 'ready' ? model.changes(state) : [];
  const rowCount = isStep(state.screen) ? countRows(model.choices(state)) : 0;
  const log = model.log(state);
  return [
    ...(changes.length > 0 ? [createTextItem(menu.changes, () => changes)] : []),
    // A screen that is a list of ways to continue shows nothing but its entries.
    ...(model.entries(state).length > 0 ? [] : [createTextItem(menu.everything, () => model.text(state))]),
    ...(rowCount > 1 ? [createRowPicker(state, model, rowCount)] : []),
    ...(log === null ? [] : [createTextItem(menu.log, log)]),
    createTextItem(menu.explain, () => model.help(state), inputCommands.help),
  ];
}

/** Creates the item that prints the text of one row as if it were selected; the selection does not change. */
function createRowPicker(state: WizardState, model: ScreenTextModel, rowCount: number): MenuItem {
  const { screen } = state;
  const createItems = () =>
    Array.from({ length: rowCount }, (_, row): MenuItem => {
      const rowState = isStep(screen) ? selectRow(state, screen, row) : state;
      return {
        label: getSelectedText(rowState, model),
        letter: null,
        action: { kind: 'print', lines: () => model.text(rowState) },
      };
    });
  return { label: words().menu.oneRow, letter: null, action: { kind: 'pick', items: createItems } };
}

/** Returns the text of the selected row. */
function getSelectedText(state: WizardState, model: ScreenTextModel): string {
  const row = model.rows(state).find(({ item }) => item?.isSelected);
  return row === undefined ? '' : formatTableRow(row);
}

/** The effect of selecting a menu item. */
type MenuAction =
  | { readonly kind: 'dispatch'; readonly intents: readonly Intent[] }
  | { readonly kind: 'print'; readonly lines: () => readonly string[] }
  /** Opens another menu to select from. */
  | { readonly kind: 'pick'; readonly items: () => readonly MenuItem[]; readonly hasNoDefault?: boolean }
  /** Continues as before. */
  | { readonly kind: 'nothing' };

/** An entry of a menu. */
export interface MenuItem {
  readonly label: string;
  /** The key of this action on the full screens; null if it has none. */
  readonly letter: string | null;
  readonly action: MenuAction;
}

/** A menu to choose from. */
export interface MenuPrompt {
  readonly kind: 'menu';
  readonly title: readonly string[];
  readonly items: readonly MenuItem[];
  /** The user asked for this list: all of it is printed, however long it is. */
  readonly isRequested?: boolean;
  /** Enter selects nothing: each choice removes or changes something. */
  readonly hasNoDefault?: boolean;
}

/** The next request for input. */
export type Prompt =
  /** Something runs: no input is needed. Enter opens the menu. */
  | { readonly kind: 'wait'; readonly message: string | null }
  | MenuPrompt
  /** A text to type; `accept` turns it into intents. */
  | {
      readonly kind: 'text';
      /** Identifies the question. A new one has its introduction printed. */
      readonly id: string;
      readonly intro: readonly string[];
      readonly promptText: string;
      readonly accept: (text: string) => PromptResult;
    };

/** The result of an input: intents, or lines to print before the same question is asked again. */
export type PromptResult = { readonly intents: readonly Intent[] } | { readonly lines: readonly string[] };

/**
 * Lines of the input, in order. They are queued until they are taken: a whole scenario may come in one write, most of
 * which readline's own question() would lose.
 */
export interface LineInput {
  /** Resolves when a line is available or the input has ended. */
  readonly waitForLine: () => Promise<void>;
  /** Takes the next line from the queue; null if none is available. */
  readonly takeLine: () => string | null;
  /** Empties the queue; whether it had lines. */
  readonly discardLines: () => boolean;
  /** Whether the input has ended and every line was taken. */
  readonly hasEnded: () => boolean;
  readonly close: () => void;
}

/** Reads lines without editing them: screen readers and serial consoles rely on the terminal's own line editing. */
export function createLineInput(input: Readable): LineInput {
  const lines: string[] = [];
  const waiters = new Set<() => void>();
  let hasEnded = false;
  const wake = () => {
    for (const notify of waiters) notify();
    waiters.clear();
  };
  const reader = createInterface({ input, terminal: false });
  reader.on('line', (line) => {
    lines.push(line);
    wake();
  });
  reader.on('close', () => {
    hasEnded = true;
    wake();
  });
  return {
    waitForLine: () =>
      lines.length > 0 || hasEnded ? Promise.resolve() : new Promise<void>((resolve) => void waiters.add(resolve)),
    takeLine: () => lines.shift() ?? null,
    discardLines: () => lines.splice(0).length > 0,
    hasEnded: () => hasEnded && lines.length === 0,
    close: () => reader.close(),
  };
}
