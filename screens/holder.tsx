import { Box } from 'ink';
import { useSyncExternalStore } from 'react';
import { catalogue } from '../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../src/i18n/shortcuts.ts';
import { displayWidth } from '../src/platform/text.ts';
import { AppFrame } from '../src/ui/components/app-frame.tsx';
import { Notice, Spinner } from '../src/ui/components/notices.tsx';
import { Gap, Label, Row, Select } from '../src/ui/components/select.tsx';
import { TextField } from '../src/ui/components/text-field.tsx';
import { type Binding, resolveKey } from '../src/ui/keys.tsx';
import { useArea } from '../src/ui/terminal-style.tsx';
import type { HolderAnswer, HolderChoice, HolderPage } from '../src/wizard/front-end.ts';
import { createTextField, editText, type KeyEvent, type TextFieldState } from '../src/wizard/typing.ts';
import { listBindings } from './shared/bindings.ts';
import { Paragraph } from './shared/text.tsx';

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
  quit: [SHORTCUTS.close],
};

function holderBindings({ prompt }: HolderPage, { choice, field }: HolderState): Binding<HolderIntent>[] {
  const interrupt: Binding<HolderIntent> = {
    keys: ['ctrl-c'],
    label: words().short.quit,
    intent: { answer: 'interrupt' },
  };
  switch (prompt.kind) {
    case 'nothing':
      return [interrupt];
    case 'word': {
      const isTyped = field.text.trim() === prompt.word;
      return [
        {
          keys: ['enter'],
          label: words().short['take-over'],
          intent: { answer: 'typed' },
          ...(isTyped ? {} : { disabled: words().typeWord(prompt.word) }),
        },
        { keys: ['escape'], label: words().short.quit, intent: { answer: 'quit' } },
        { ...interrupt, hidden: true },
      ];
    }
    case 'choice': {
      const { choices } = prompt;
      return [
        { keys: ['enter'], label: keys().choose, intent: { answer: choices[choice] ?? 'quit' } },
        ...choices.map((each) => ({ keys: CHOICE_KEYS[each], label: words().short[each], intent: { answer: each } })),
        { ...interrupt, hidden: true },
        ...listBindings({ label: keys().row, toIntent: (by): HolderIntent => ({ by }), hasTab: true }).map(
          (binding) => ({
            ...binding,
            hidden: true,
          }),
        ),
      ];
    }
  }
}

/** Returns the state of the page after a key. */
function updateHolderState(page: HolderPage, state: HolderState, event: KeyEvent): HolderState {
  const resolution = resolveKey(holderBindings(page, state), event);
  if (resolution.kind === 'intent') {
    if ('answer' in resolution.intent) return { ...state, answer: resolution.intent.answer };
    const last = page.prompt.kind === 'choice' ? page.prompt.choices.length - 1 : 0;
    return { ...state, choice: Math.max(0, Math.min(state.choice + resolution.intent.by, last)) };
  }
  return page.prompt.kind === 'word' ? { ...state, field: editText(state.field, event) } : state;
}

/** Starts a page about another session on the directory. `answered` resolves to the user's answer. */
export function startHolderPage(page: HolderPage) {
  let state = INITIAL_HOLDER_STATE;
  let resolveAnswer: (answer: HolderAnswer) => void = () => undefined;
  const answered = new Promise<HolderAnswer>((resolve) => {
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
  return { tree: <HolderView page={page} subscribe={subscribe} get={() => state} />, onKey, answered };
}

interface HolderViewProps {
  readonly page: HolderPage;
  readonly subscribe: (listener: () => void) => () => void;
  readonly get: () => HolderState;
}

function HolderView({ page, subscribe, get }: HolderViewProps) {
  const state = useSyncExternalStore(subscribe, get);
  return (
    <AppFrame
      cluster=""
      version=""
      place={words().place}
      position=""
      sidebar={[]}
      bindings={holderBindings(page, state)}
    >
      <HolderBody page={page} state={state} />
    </AppFrame>
  );
}

function HolderBody({ page, state }: { readonly page: HolderPage; readonly state: HolderState }) {
  const area = useArea();
  const { headline, lines, warning, dir, prompt } = page;
  return (
    <>
      <Row>
        <Label isBold>{headline}</Label>
      </Row>
      <Gap />
      <Paragraph text={dir} tone="dim" />
      {lines.map((line) => (
        <Paragraph key={line} text={line} height={4} />
      ))}
      <Gap />
      {warning !== null && (
        <>
          <Notice kind="warning" text={warning} height={5} />
          <Gap />
        </>
      )}
      {prompt.kind === 'choice' && (
        <Select
          items={prompt.choices.map((each) => ({
            value: each,
            label: words().choices[each],
            hint: words().hints[each],
          }))}
          index={state.choice}
          rows={4}
        />
      )}
      {prompt.kind === 'nothing' && (
        <Row>
          <Spinner label={prompt.waitReason} />
        </Row>
      )}
      {prompt.kind === 'word' && (
        <>
          <Paragraph text={prompt.question} height={4} />
          <Gap />
          <Box height={1} flexShrink={0}>
            <Label tone="accent">{words().typeHere}</Label>
            <TextField
              state={state.field}
              width={Math.max(4, area.columns - displayWidth(words().typeHere))}
              isFocused
            />
          </Box>
        </>
      )}
    </>
  );
}
