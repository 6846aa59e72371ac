// A form on a store, as the screens are built: the result is the same however the keys arrive.
import { useSyncExternalStore } from 'react';
import { expect, test } from 'vitest';
import { type Binding, resolveKey } from '../../src/rows/bindings.ts';
import { createFormRows } from '../../src/rows/form.ts';
import { createFrameRows } from '../../src/rows/frame.ts';
import type { Viewport } from '../../src/rows/page-rows.ts';
import { KeyDispatcher } from '../../src/ui/keys.tsx';
import { DrawnRows } from '../../src/ui/rows.tsx';
import { SizedTerminalStyleProvider } from '../../src/ui/terminal-style.tsx';
import { createTextField, editText, type KeyEvent, type TextFieldState } from '../../src/wizard/text-input.ts';
import { mount } from '../support/mount.tsx';

interface State {
  readonly values: readonly string[];
  readonly focus: number;
  readonly editor: TextFieldState;
}

const bindings: Binding<1 | -1>[] = [
  { keys: ['enter', 'tab', 'down'], label: 'next', intent: 1 },
  { keys: ['shift-tab', 'up'], label: 'back', intent: -1 },
];

function update(state: State, event: KeyEvent): State {
  const resolution = resolveKey(bindings, event);
  if (resolution.kind !== 'intent') return { ...state, editor: editText(state.editor, event) };
  const values = state.values.with(state.focus, state.editor.text);
  const focus = (state.focus + resolution.intent + values.length) % values.length;
  return { values, focus, editor: createTextField(values[focus] ?? '') };
}

class Store {
  state: State = { values: ['ocp', 'example.com', '4.18'], focus: 0, editor: createTextField('ocp') };
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly press = (event: KeyEvent) => {
    this.state = update(this.state, event);
    for (const listener of this.#listeners) listener();
  };
}

function Screen({ store }: { readonly store: Store }) {
  const { values, focus, editor } = useSyncExternalStore(store.subscribe, () => store.state);
  const fields = values.map((value, index) => ({
    id: `${index}`,
    label: `Field ${index}`,
    value,
    fact: `is ${value}`,
  }));
  const body = (viewport: Viewport) => createFormRows({ fields, focus, editor }, viewport);
  const frame = { cluster: '', version: '', breadcrumb: 'Form', position: '1/1', bindings, body };
  return <DrawnRows draw={(terminal) => createFrameRows(frame, terminal)} />;
}

async function play(...reads: readonly string[]) {
  const store = new Store();
  const mounted = await mount(
    <SizedTerminalStyleProvider fixedStyle={{ hasUnicode: true, hasColour: true, canAnimate: false }}>
      <KeyDispatcher onKey={store.press}>
        <Screen store={store} />
      </KeyDispatcher>
    </SizedTerminalStyleProvider>,
  );
  for (const read of reads) await mounted.press(read);
  const result = { state: store.state, screen: mounted.screen(), cursor: mounted.cursor() };
  await mounted.unmount();
  return result;
}

const scenario =
  '\u0015ocp45\r\u0015日本\u001b[Dx\u007f\tfoo bar\u0017baz\u001b[A\u001b[H\u001b[3~!\u001b[B\u0015\u001b[200~ pasted \r2\u001b[201~\r\u0005-1\u001b[Z';

test('a scenario in one write, in pieces and one byte at a time ends the same', async () => {
  const burst = await play(scenario);
  expect(burst.state.values).toEqual(['ocp45-1', '!本', 'pasted']);
  expect(burst.state.focus).toBe(2);
  expect(burst.screen).toContain('▸ Field 2  pasted');
  expect(await play(...scenario)).toEqual(burst);
  expect(await play(...(scenario.match(/[\s\S]{1,7}/g) ?? []))).toEqual(burst);
});
