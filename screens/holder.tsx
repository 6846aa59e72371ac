import { useSyncExternalStore } from 'react';
import { catalogue } from '../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../src/i18n/shortcuts.ts';
import { getDisplayWidth } from '../src/platform/text.ts';
import { type Binding, resolveKey } from '../src/rows/bindings.ts';
import { createTextFieldRow } from '../src/rows/form.ts';
import { createFrameRows } from '../src/rows/frame.ts';
import { createRow, EMPTY_ROW, type PageRow, type Viewport } from '../src/rows/page-rows.ts';
import { createSpinnerRow } from '../src/rows/progress.ts';
import { createSelectRows } from '../src/rows/select.ts';
import { createNoticeRows, createParagraphRows } from '../src/rows/text.ts';
import { DrawnRows } from '../src/ui/rows.tsx';
import type { HolderAnswer, HolderChoice, HolderPage } from '../src/wizard/front-end.ts';
import { createTextField, editText, type KeyEvent, type TextFieldState } from '../src/wizard/text-input.ts';
import { createListBindings } from './shared/bindings.ts';

const words = () => catalogue().holder.page;
const keys = () => catalogue().screens.keys;

/** The user's input on the page so far. */
export interface HolderState {
  readonly choice: number;
  readonly field: TextFieldState;
  readonly answer: HolderAnswer | null;
}

const INITIAL_HOLDER_STATE: HolderState = { choice: 0, field: createTextField(''), answer: null };

type HolderIntent = { readonly answer: HolderAnswer } | { readonly by: number };

/** Keys of each choice, in addition to Enter on the selected one. */
const CHOICE_KEYS: Readonly<Record<HolderChoice, readonly string[]>> = {
  view: [SHORTCUTS.view],
  'take-over': [SHORTCUTS.takeOver],
  open: [SHORTCUTS.open],
  others: [SHORTCUTS.goTo],
  quit: [SHORTCUTS.close],
};

function createHolderBindings({ prompt }: HolderPage, { choice, field }: HolderState): Binding<HolderIntent>[] {
  const interruptBinding: Binding<HolderIntent> = {
    keys: ['ctrl-c'],
    label: words().short.quit,
    intent: { answer: 'interrupt' },
  };
  switch (prompt.kind) {
    case 'nothing':
      return [interruptBinding];
    case 'word': {
      const isTyped = field.text.trim() === prompt.word;
      return [
        {
          keys: ['enter'],
          label: words().short['take-over'],
          intent: { answer: 'typed' },
          ...(isTyped ? {} : { disabledReason: words().typeWord(prompt.word) }),
        },
        { keys: ['escape'], label: words().short.quit, intent: { answer: 'quit' } },
        { ...interruptBinding, isHidden: true },
      ];
    }
    case 'choice': {
      const { choices } = prompt;
      return [
        { keys: ['enter'], label: keys().choose, intent: { answer: choices[choice] ?? 'quit' } },
        ...choices.map((option) => ({
          keys: CHOICE_KEYS[option],
          label: words().short[option],
          intent: { answer: option },
        })),
        { ...interruptBinding, isHidden: true },
        ...createListBindings({ label: keys().row, toIntent: (by): HolderIntent => ({ by }), hasTab: true }).map(
          (binding) => ({
            ...binding,
            isHidden: true,
          }),
        ),
      ];
    }
  }
}

/** Returns the state of the page after a key. */
function updateHolderState(page: HolderPage, state: HolderState, event: KeyEvent): HolderState {
  const resolution = resolveKey(createHolderBindings(page, state), event);
  if (resolution.kind === 'intent') {
    if ('answer' in resolution.intent) return { ...state, answer: resolution.intent.answer };
    const lastIndex = page.prompt.kind === 'choice' ? page.prompt.choices.length - 1 : 0;
    return { ...state, choice: Math.max(0, Math.min(state.choice + resolution.intent.by, lastIndex)) };
  }
  return page.prompt.kind === 'word' ? { ...state, field: editText(state.field, event) } : state;
}

/**
 * Starts the page that asks what to do about another session on the directory. `whenAnswered` resolves to the answer.
 */
export function startHolderPage(page: HolderPage) {
  let state = INITIAL_HOLDER_STATE;
  let resolveAnswer: (answer: HolderAnswer) => void = () => undefined;
  const whenAnswered = new Promise<HolderAnswer>((resolve) => {
    resolveAnswer = resolve;
  });
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const onKey = (event: KeyEvent) => {
    state = updateHolderState(page, state, event);
    if (state.answer !== null) resolveAnswer(state.answer);
    for (const listener of listeners) listener();
  };
  return { tree: <HolderView page={page} subscribe={subscribe} get={() => state} />, onKey, whenAnswered };
}

interface HolderViewProps {
  readonly page: HolderPage;
  readonly subscribe: (listener: () => void) => () => void;
  readonly get: () => HolderState;
}

function HolderView({ page, subscribe, get }: HolderViewProps) {
  const state = useSyncExternalStore(subscribe, get);
  const frame = {
    cluster: '',
    version: '',
    breadcrumb: words().place,
    position: '',
    bindings: createHolderBindings(page, state),
    body: (viewport: Viewport) => holderRows(page, state, viewport),
  };
  return <DrawnRows draw={(terminal) => createFrameRows(frame, terminal)} />;
}

function holderRows({ headline, lines, warning, dir, prompt }: HolderPage, state: HolderState, viewport: Viewport) {
  return [
    createRow(headline, 'text', true),
    EMPTY_ROW,
    ...createParagraphRows(dir, viewport, { tone: 'muted' }),
    ...lines.flatMap((line) => createParagraphRows(line, viewport, { height: 4 })),
    EMPTY_ROW,
    ...(warning === null
      ? []
      : [...createNoticeRows({ kind: 'warning', text: warning, height: 5 }, viewport), EMPTY_ROW]),
    ...promptRows(prompt, state, viewport),
  ];
}

function promptRows(prompt: HolderPage['prompt'], { choice, field }: HolderState, viewport: Viewport): PageRow[] {
  switch (prompt.kind) {
    case 'nothing':
      return [createSpinnerRow(prompt.waitReason, viewport)];
    case 'choice': {
      const { choices, hints } = words();
      const items = prompt.choices.map((option) => ({ value: option, label: choices[option], hint: hints[option] }));
      return createSelectRows(items, choice, { ...viewport, rows: items.length + 2 });
    }
    case 'word': {
      const width = Math.max(4, viewport.columns - getDisplayWidth(words().typeHere));
      return [
        ...createParagraphRows(prompt.question, viewport, { height: 4 }),
        EMPTY_ROW,
        createTextFieldRow({ text: words().typeHere, tone: 'accent' }, field, viewport, { width }),
      ];
    }
  }
}
