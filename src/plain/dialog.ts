import { importDesign, isImportFailure } from '../design/imports/index.ts';
import { catalogue } from '../i18n/catalogue.ts';
import type { Intent } from '../wizard/intents.ts';
import type { WizardState } from '../wizard/state.ts';
import type { WizardStore } from '../wizard/store.ts';
import type { LineInput, MenuItem, MenuPrompt, Prompt } from './menu.ts';
import { nameTypedInput, wrapOutput } from './output.ts';
import { createWaitingMenu, derivePrompt, resolveGoCommand } from './screen-prompt.ts';
import type { ScreenTextModel } from './screen-text-model.ts';
import { describeChanges, NOTHING_REPORTED } from './state-changes.ts';

const words = () => catalogue().plain;

/** Options of `runDialog`. */
export interface DialogOptions {
  readonly store: WizardStore;
  readonly model: ScreenTextModel;
  readonly input: LineInput;
  readonly write: (text: string) => void;
  /** Sentences are wrapped to this width; commands to copy are printed whole. */
  readonly columns: number;
  /** Resolves when the user has left. */
  readonly exit: Promise<unknown>;
  /** Registers a callback that prints the last line again after another program has used the terminal. */
  readonly onReturn?: (reprint: () => void) => void;
}

/**
 * Guides the user through the wizard line by line, for screen readers, serial lines and dumb terminals. It reports each
 * change once and asks with numbered choices. It never redraws and never moves the cursor. State and possible actions
 * are those of the screens. Ends with `exit` or at the end of the input.
 */
export async function runDialog({ store, model, input, write, columns, exit, onReturn }: DialogOptions): Promise<void> {
  const print = (text: string) => {
    for (const line of wrapOutput(nameTypedInput(text), columns)) write(`${line}\n`);
  };
  let reportedState = NOTHING_REPORTED;
  /** The prompt at the end of the output. */
  let pendingPrompt: string | null = null;
  /** The prompt that was printed since the last input; lines may follow it. */
  let unansweredPrompt: string | null = null;
  let lastIntro = '';
  /** The long menu whose choices are all printed. */
  let expandedMenu = '';
  let lastWaitMessage: string | null = null;
  /** A menu inside the current prompt: opened by Enter while something runs, or to select one of several. */
  let submenu: MenuPrompt | null = null;
  let hasExited = false;
  void exit.then(() => {
    hasExited = true;
  });
  const printLines = (lines: readonly string[]) => {
    if (lines.length === 0) return;
    if (pendingPrompt !== null) write('\n');
    pendingPrompt = null;
    lines.forEach(print);
  };
  const showPrompt = (prompt: Prompt, isRunning: boolean) => {
    if (prompt.kind === 'wait') {
      if (prompt.message !== null && prompt.message !== lastWaitMessage)
        printLines([words().progressLine(prompt.message)]);
      lastWaitMessage = prompt.message ?? lastWaitMessage;
      return;
    }
    lastWaitMessage = null;
    const intro = prompt.kind === 'menu' ? formatMenu(prompt) : [prompt.id, ...prompt.intro];
    const promptText = prompt.kind === 'menu' ? getMenuPromptText(prompt) : prompt.promptText;
    const key = intro.join('\n');
    if (key !== lastIntro) {
      printLines(prompt.kind === 'menu' ? intro : prompt.intro);
      lastIntro = key;
      unansweredPrompt = null;
    }
    // The lines of a step that runs do not repeat the prompt of an open list.
    if (pendingPrompt !== promptText && !(isRunning && unansweredPrompt === promptText)) {
      write(promptText);
      pendingPrompt = promptText;
    }
    unansweredPrompt = promptText;
  };
  const perform = (intents: readonly Intent[]) => {
    const { screen, nodes, overlay } = store.getState();
    for (const intent of intents) {
      store.dispatch(intent);
      const currentState = store.getState();
      // The remaining intents were meant for the previous place.
      if (
        currentState.screen !== screen ||
        (currentState.nodes.edit === null) !== (nodes.edit === null) ||
        currentState.overlay?.kind !== overlay?.kind
      )
        break;
    }
  };
  /** Performs a choice of a list derived from `state`. Reports a choice without effect if the state has changed. */
  const performChoice = (intents: readonly Intent[], state: WizardState) => {
    const currentState = store.getState();
    perform(intents);
    if (currentState !== state && store.getState() === currentState) printLines([words().listChanged]);
  };
  /** Begins an import with a line of a table that was pasted at the menu; the next lines follow in its prompt. */
  const beginPaste = (line: string) => {
    store.dispatch({ type: 'import/open', from: 'lines' });
    store.dispatch({ type: 'import/edit', event: { kind: 'paste', text: `${line}\n` } });
  };
  const selectItem = (menu: MenuPrompt, line: string, state: WizardState) => {
    const { items } = menu;
    const text = line.trim();
    const otherItems = listHiddenItems(menu);
    const menuText = numberItems(items).map(formatItem).join('\n');
    if (text === words().moreChoices && otherItems.length > 0) {
      expandedMenu = menuText;
      return printLines(otherItems.map(formatItem));
    }
    // A number that the user has not read may stand for anything.
    if (expandedMenu !== menuText && otherItems.some(({ number }) => number === Number(text)))
      return printLines([words().notListed(text)]);
    const item = menu.hasNoDefault && text === '' ? null : findItem(items, line);
    if (item === null) {
      // A list inside the prompt has no item that leaves.
      if (text === words().inputCommands.leave) return perform([{ type: 'session/quit' }]);
      if (isNodeRow(store.getState(), line)) return beginPaste(line);
      return printLines(text === words().inputCommands.help ? model.help(state) : [words().chooseByWord(items.length)]);
    }
    submenu = null;
    switch (item.action.kind) {
      case 'dispatch':
        lastIntro = '';
        return performChoice(item.action.intents, state);
      case 'print':
        return printLines(item.action.lines());
      case 'pick': {
        const backItem: MenuItem = {
          label: words().menu.back,
          letter: words().inputCommands.back,
          action: { kind: 'nothing' },
        };
        const { hasNoDefault = false } = item.action;
        const pickItems = [...item.action.items(), backItem];
        submenu = { kind: 'menu', title: [item.label], items: pickItems, isRequested: true, hasNoDefault };
        return;
      }
      case 'nothing':
        lastIntro = '';
    }
  };
  onReturn?.(() => {
    if (unansweredPrompt !== null) write(`\n${unansweredPrompt}`);
    else if (lastWaitMessage !== null) print(words().progressLine(lastWaitMessage));
  });
  while (!hasExited) {
    const state = store.getState();
    if (state.leaveReason !== null) {
      await Promise.race([waitForChange(store, state), exit]);
      continue;
    }
    const previousState = reportedState.state;
    const changes = describeChanges(reportedState, state, model);
    reportedState = changes.reportedState;
    printLines(changes.lines);
    if (submenu !== null && hasContextChanged(previousState, state)) {
      if (submenu.isRequested) printLines([words().listClosed]);
      submenu = null;
    }
    const statePrompt = derivePrompt(state, model);
    const prompt: Prompt = submenu ?? statePrompt;
    showPrompt(prompt, statePrompt.kind === 'wait');
    if (prompt.kind === 'wait' && prompt.message === null) {
      await Promise.race([waitForChange(store, state), exit]);
      continue;
    }
    const hasLine = await Promise.race([
      input.waitForLine().then(() => true),
      waitForChange(store, state).then(() => false),
      exit.then(() => false),
    ]);
    if (!hasLine) continue;
    const line = input.takeLine();
    if (line === null) return;
    pendingPrompt = null;
    unansweredPrompt = null;
    const navigation = resolveGoCommand(state, line);
    if (navigation !== null) {
      submenu = null;
      lastIntro = '';
      if ('lines' in navigation) printLines(navigation.lines);
      else perform(navigation.intents);
    } else if (prompt.kind === 'wait') {
      const menu = createWaitingMenu(state, model);
      // A letter or a word is obeyed at once; Enter, and a number of a list that is not printed yet, print the list.
      if (menu.items.some(({ letter }) => letter === line.trim())) selectItem(menu, line, state);
      else submenu = menu;
    } else if (prompt.kind === 'menu') selectItem(prompt, line, state);
    else {
      const promptResult = prompt.accept(line);
      if ('lines' in promptResult) printLines(promptResult.lines);
      else perform(promptResult.intents);
    }
  }
}

/** Whether the user is somewhere else now: an open submenu no longer applies. */
function hasContextChanged(previousState: WizardState | null, { screen, overlay, runs }: WizardState): boolean {
  if (previousState === null) return false;
  const getPhase = (state: Pick<WizardState, 'runs'>) =>
    screen in state.runs ? state.runs[screen as keyof typeof runs].phase : null;
  return (
    previousState.screen !== screen ||
    previousState.overlay?.kind !== overlay?.kind ||
    getPhase(previousState) !== getPhase({ runs })
  );
}

const getMenuPromptText = ({ hasNoDefault = false }: MenuPrompt) =>
  hasNoDefault ? words().chooseWithoutDefault : words().choose;

/** Longer menus print only their first choices and the last one (leave), because a screen reader reads each line. */
const MAX_PRINTED_ITEMS = 9;
const FIRST_ITEM_COUNT = 6;

interface NumberedItem {
  readonly item: MenuItem;
  readonly number: number;
}

const numberItems = (items: readonly MenuItem[]): NumberedItem[] =>
  items.map((item, index) => ({ item, number: index + 1 }));

/** Lists the choices that a long menu does not print. */
const listHiddenItems = ({ items, isRequested = false }: MenuPrompt): NumberedItem[] =>
  isRequested || items.length <= MAX_PRINTED_ITEMS ? [] : numberItems(items).slice(FIRST_ITEM_COUNT, -1);

const formatItem = ({ item: { label, letter }, number }: NumberedItem) =>
  words().numbered(number, letter === null ? label : words().lettered(label, letter));

function formatMenu(menu: MenuPrompt): string[] {
  const otherItems = listHiddenItems(menu);
  const lines = numberItems(menu.items)
    .filter(({ number }) => !otherItems.some((hiddenItem) => hiddenItem.number === number))
    .map(formatItem);
  const moreLines = otherItems.length === 0 ? [] : [`     ${words().otherChoices(otherItems.length)}`];
  return ['', ...menu.title, ...lines.slice(0, -1), ...moreLines, ...lines.slice(-1)];
}

/**
 * Finds an item by its number, its letter, its name or the first words of it. An empty line selects the first item.
 * The sign for the rest of a page selects the item that leads to the next page.
 */
function findItem(items: readonly MenuItem[], line: string): MenuItem | null {
  const text = line.trim();
  if (text === '') return items[0] ?? null;
  if (text === words().inputCommands.rest) return items.find(leadsToNextPage) ?? null;
  if (/^\d+$/.test(text)) return items[Number(text) - 1] ?? null;
  const matchingItems = items.filter(({ label }) => `${label} `.startsWith(`${text} `));
  const exactItem = items.find(({ letter }) => letter === text) ?? matchingItems.find(({ label }) => label === text);
  return exactItem ?? (matchingItems.length === 1 ? matchingItems[0] : null) ?? null;
}

const leadsToNextPage = ({ action }: MenuItem) =>
  action.kind === 'dispatch' && action.intents[0]?.type === 'screen/next';

/** Whether a line at the menu of the nodes is a row of a table. */
function isNodeRow({ screen, overlay }: WizardState, line: string): boolean {
  return screen === 'nodes' && overlay === null && /\S[\s,;]+\S/.test(line) && !isImportFailure(importDesign(line));
}

/** Resolves when the state changes. */
function waitForChange(store: WizardStore, state: WizardState): Promise<void> {
  return new Promise((resolve) => {
    if (store.getState() !== state) return resolve();
    const stop = store.subscribe(() => {
      stop();
      resolve();
    });
  });
}
