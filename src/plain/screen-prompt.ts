import { isValidReason } from '../checks/prepare/overrides.ts';
import { catalogue, isNoAnswer, isYesAnswer } from '../i18n/catalogue.ts';
import { SHORTCUTS } from '../i18n/shortcuts.ts';
import { splitGraphemes } from '../platform/text.ts';
import { formatTarget } from '../steps/step-action.ts';
import { describeFollowUpOffer } from '../wizard/design/follow-up.ts';
import type { Intent } from '../wizard/intents.ts';
import { type ConfirmationPrompt, canStop, getOpenPrompt, type StepRun } from '../wizard/live/step-run.ts';
import { filterPaletteEntries, listPaletteEntries } from '../wizard/overlays/palette.ts';
import { getPageRules, isStep, type WizardState } from '../wizard/state.ts';
import type { KeyEvent } from '../wizard/text-input.ts';
import type { MenuItem, MenuPrompt, Prompt, PromptResult } from './menu.ts';
import { listMenuItems } from './menu.ts';
import { createFieldPrompt } from './questions.ts';
import type { ScreenTextModel } from './screen-text-model.ts';

const words = () => catalogue().plain;

/** Derives what to ask the user in this state. */
export function derivePrompt(state: WizardState, model: ScreenTextModel): Prompt {
  if (state.overlay !== null) return createOverlayPrompt(state, model);
  // The facts about this machine add choices. Wait for them: a menu must keep its numbers once the user has read it.
  if (getPageRules(state.screen).probesHost && state.welcome.overview === null) return { kind: 'wait', message: null };
  if (isStep(state.screen)) return createStepPrompt(state, state.runs[state.screen], model);
  return createFieldPrompt(state) ?? createMenu(state, model);
}

/** Creates the menu that Enter opens while something runs. */
export function createWaitingMenu(state: WizardState, model: ScreenTextModel): MenuPrompt {
  const { items } = createMenu(state, model);
  const isStoppable = isStep(state.screen) && canStop(state.runs[state.screen]);
  const continueItem: MenuItem = { label: words().menu.wait, letter: null, action: { kind: 'nothing' } };
  const stopItems = isStoppable ? [createStopItem()] : [];
  return {
    kind: 'menu',
    // The reason on the screens names the key that stops; here a choice does.
    title: isStoppable ? [words().stillWorking] : [],
    items: [continueItem, ...stopItems, ...items.filter(({ action }) => !isStopAction(action))],
  };
}

const createStopItem = (): MenuItem => ({
  label: words().menu.stop,
  letter: null,
  action: { kind: 'dispatch', intents: [STOP_INTENT] },
});
const STOP_INTENT: Intent = { type: 'step/cancel' };
const isStopAction = (action: MenuItem['action']) =>
  action.kind === 'dispatch' && action.intents[0]?.type === STOP_INTENT.type;

function createMenu(state: WizardState, model: ScreenTextModel): MenuPrompt {
  // If Enter has no effect now, the title gives the reason, as on the screens.
  const [firstChoice] = model.choices(state);
  return {
    kind: 'menu',
    title: firstChoice?.disabledReason === undefined ? [] : [firstChoice.disabledReason],
    items: listMenuItems(state, model),
  };
}

function createStepPrompt(state: WizardState, run: StepRun, model: ScreenTextModel): Prompt {
  switch (run.phase) {
    case 'asking':
      return createConfirmationPrompt(state, run.prompt, model);
    case 'unknown':
    case 'probing':
      return { kind: 'wait', message: null };
    case 'watching':
    case 'applying':
      return { kind: 'wait', message: words().waiting };
    case 'failed':
      // A failed probe is repeated automatically.
      return run.failure.during === 'probe' ? { kind: 'wait', message: words().waiting } : createMenu(state, model);
    case 'ready':
    case 'done':
      return createMenu(state, model);
  }
}

function createConfirmationPrompt(state: WizardState, prompt: ConfirmationPrompt, model: ScreenTextModel): Prompt {
  const declineResult: PromptResult = { intents: [{ type: 'step/answer', isYes: false }] };
  const yesIntent: Intent = { type: 'step/answer', isYes: true };
  const { action, input, confirmation } = prompt;
  if (confirmation === 'reading') return { kind: 'wait', message: null };
  const findAlternative = (text: string) =>
    confirmation?.alternatives.find(({ key }) => SHORTCUTS[key].toLowerCase() === text);
  const text = model.text(state);
  return {
    kind: 'text',
    id: `question ${state.screen} ${prompt.action} ${prompt.subject ?? ''}`,
    intro: [
      '',
      ...text,
      ...repeatHead(text),
      ...(confirmation?.alternatives ?? []).map(({ key, label }) => `${SHORTCUTS[key]}  ${label}`),
    ],
    promptText: formatConfirmation(input),
    accept(line) {
      const text = line.trim().toLowerCase();
      if (isDeclined(text)) return declineResult;
      if (text === words().inputCommands.leave) return { intents: [{ type: 'session/quit' }] };
      if (text === words().inputCommands.help) return { lines: [words().confirmHelp(input?.words[0] ?? 'y')] };
      const alternative = findAlternative(text);
      if (alternative) return { intents: [{ type: 'step/ask', action, subject: formatTarget(alternative.target) }] };
      if (input === null && isYesAnswer(text) && confirmation?.blockedReason !== undefined)
        return { lines: [confirmation.blockedReason] };
      if (input === null) return isYesAnswer(text) ? { intents: [yesIntent] } : { lines: [words().yesOrNo] };
      const [expectedWord] = input.words;
      if (expectedWord === undefined) {
        const event: KeyEvent = { kind: 'paste', text: line.trim() };
        const isEnough = isValidReason(line.trim());
        return isEnough ? { intents: [{ type: 'step/type', event }, yesIntent] } : { lines: [words().noReason] };
      }
      if (!input.words.some((word) => word.toLowerCase() === text)) return { lines: [words().wrongWord(expectedWord)] };
      const createTypeIntent = (letter: string): Intent => ({
        type: 'step/type',
        event: { kind: 'char', text: letter },
      });
      return { intents: [...splitGraphemes(text).map(createTypeIntent), yesIntent] };
    },
  };
}

/** A terminal has 24 lines or more: a longer text scrolls its beginning off. */
const MAX_LINES_WITHOUT_REPEAT = 20;

/** Repeats the question of a long text, with the summary below it: changes that may need many screens separate them. */
function repeatHead(text: readonly string[]): readonly string[] {
  if (text.length <= MAX_LINES_WITHOUT_REPEAT) return [];
  const summaryEnd = text.indexOf('', text.indexOf('') + 1);
  return text.slice(0, summaryEnd > MAX_LINES_WITHOUT_REPEAT ? 1 : Math.max(1, summaryEnd));
}

/** Whether a typed answer is a no: nothing, `n`, `no`, `<` or `back`. */
const isDeclined = (text: string) =>
  isNoAnswer(text) || text === words().inputCommands.back || text === words().menu.back;

function formatConfirmation(input: ConfirmationPrompt['input']): string {
  if (input === null) return words().confirm;
  const [word] = input.words;
  return word === undefined ? words().typeReason : words().typeWord(word);
}

function createOverlayPrompt(state: WizardState, model: ScreenTextModel): Prompt {
  const { overlay } = state;
  if (overlay?.kind === 'page') {
    return overlay.page === null || overlay.isPending
      ? { kind: 'wait', message: null }
      : { ...createMenu(state, model), title: model.text(state) };
  }
  if (overlay?.kind === 'follow') return createFollowUpPrompt(state, overlay);
  if (overlay?.kind === 'install') return createInstallPrompt(overlay, model.text(state));
  if (overlay?.kind !== 'import') return { ...createMenu(state, model), title: model.text(state) };
  const { importState } = overlay;
  switch (importState.phase) {
    case 'reading':
      return { kind: 'wait', message: null };
    case 'offered':
      return { ...createMenu(state, model), title: model.text(state) };
    case 'file':
      return {
        kind: 'text',
        id: `import ${importState.refusal ?? ''}`,
        intro: ['', ...model.text(state)],
        promptText: words().importFile,
        accept: (line) =>
          line.trim() === '' || line.trim() === words().inputCommands.back
            ? { intents: [{ type: 'import/close' }] }
            : {
                intents: [
                  { type: 'import/edit', event: { kind: 'key', name: 'ctrl-u' } },
                  { type: 'import/edit', event: { kind: 'paste', text: line.trim() } },
                  { type: 'import/enter' },
                ],
              },
      };
    case 'lines':
      return {
        kind: 'text',
        id: `lines ${importState.refusal ?? ''}`,
        intro: [
          '',
          catalogue().imports.screen.lines,
          ...(importState.refusal === null ? [] : [importState.refusal]),
          ...(importState.refusal !== null && importState.lines === '' ? [words().importLinesDropped] : []),
          words().importLines,
        ],
        promptText: '',
        accept(line) {
          const text = line.trim();
          // Lines of plain text cannot be edited, so a refused paste starts again.
          if (text === '.') return { intents: [{ type: 'import/finish', onError: 'discard' }] };
          if (text === words().inputCommands.back || text === words().menu.back)
            return { intents: [{ type: 'import/close' }] };
          if (text === words().inputCommands.leave) return { intents: [{ type: 'session/quit' }] };
          return { intents: [{ type: 'import/edit', event: { kind: 'paste', text: `${line}\n` } }] };
        },
      };
  }
}

/** Asks for the directory of the real installation after a rehearsal; an empty line accepts the proposed one. */
function createInstallPrompt(
  { editor, refusal }: Extract<WizardState['overlay'], { kind: 'install' }>,
  intro: readonly string[],
): Prompt {
  return {
    kind: 'text',
    id: `install ${refusal ?? ''}`,
    intro: ['', ...intro],
    promptText: words().prompt(catalogue().rehearsal.install.directory, editor.text, false),
    accept(line) {
      const text = line.trim();
      if (text === words().inputCommands.back) return { intents: [{ type: 'overlay/close' }] };
      const createEditIntent = (event: KeyEvent): Intent => ({ type: 'install/edit', event });
      const replaceIntents =
        text === ''
          ? []
          : [
              createEditIntent({ kind: 'key', name: 'ctrl-e' }),
              createEditIntent({ kind: 'key', name: 'ctrl-u' }),
              createEditIntent({ kind: 'paste', text }),
            ];
      return { intents: [...replaceIntents, { type: 'install/enter' }] };
    },
  };
}

/**
 * Resolves `go networks`: to a page, step, question or node by a part of its name, as on the screens; null for any
 * other line.
 */
export function resolveGoCommand(state: WizardState, line: string): PromptResult | null {
  const name = words().goTo.exec(line.trim())?.[1];
  if (name === undefined || hasOpenQuestion(state) || state.overlay?.kind === 'import') return null;
  const [entry] = filterPaletteEntries(listPaletteEntries(state), name);
  if (entry === undefined) return { lines: [words().noSuchPage(name)] };
  if (entry.unavailableReason !== undefined)
    return { lines: [words().pageUnavailable(entry.label, entry.unavailableReason)] };
  return { intents: [{ type: 'palette/select', intent: entry.intent }] };
}

/** Offers to change the answers that depend on the changed answer. */
function createFollowUpPrompt(
  { document }: WizardState,
  { change }: Extract<WizardState['overlay'], { kind: 'follow' }>,
): Prompt {
  const { question, lines } = describeFollowUpOffer(document, change);
  return {
    kind: 'text',
    id: `follow ${question}`,
    intro: ['', question, catalogue().followUp.explanation, ...lines.map((line) => `  ${line}`)],
    promptText: words().followUpPrompt,
    accept(line) {
      const text = line.trim();
      if (isDeclined(text)) return { intents: [{ type: 'follow/decline' }] };
      if (text === words().inputCommands.leave) return { intents: [{ type: 'session/quit' }] };
      if (text === words().inputCommands.help)
        return { lines: [catalogue().followUp.explanation, words().followUpHelp] };
      return isYesAnswer(text) ? { intents: [{ type: 'follow/accept' }] } : { lines: [words().yesOrNo] };
    },
  };
}

/** Whether the question of a step is open. */
function hasOpenQuestion(state: WizardState): boolean {
  return isStep(state.screen) && getOpenPrompt(state.runs[state.screen]) !== null;
}
