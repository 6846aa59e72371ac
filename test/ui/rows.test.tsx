import { useSyncExternalStore } from 'react';
import { afterEach, expect, test } from 'vitest';
import { createRow, type PageRow } from '../../src/rows/page-rows.ts';
import { DrawnRows } from '../../src/ui/rows.tsx';
import { type TerminalStyle, TerminalStyleProvider } from '../../src/ui/terminal-style.tsx';
import { type MountedApp, mount } from '../support/mount.tsx';

const style: TerminalStyle = { hasUnicode: true, hasColour: true, canAnimate: false, columns: 40, rows: 3 };

let mounted: MountedApp | undefined;
afterEach(async () => {
  await mounted?.unmount();
  mounted = undefined;
});

interface Drawn {
  readonly text: string;
  readonly tone?: PageRow['segments'][number]['tone'];
  readonly cursor?: number;
}

interface ViewProps {
  readonly subscribe: (listener: () => void) => () => void;
  readonly get: () => Drawn;
  readonly onDraw: () => void;
}

function View({ subscribe, get, onDraw }: ViewProps) {
  const { text, tone, cursor } = useSyncExternalStore(subscribe, get);
  const draw = () => {
    onDraw();
    return [{ ...createRow(text, tone), ...(cursor === undefined ? {} : { cursor }) }];
  };
  return <DrawnRows draw={draw} />;
}

/** Draws one row of a state that changes outside of React, as the wizard's does. */
async function show(initial: Drawn) {
  let state = initial;
  let draws = 0;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const countDraw = () => {
    draws += 1;
  };
  const app = await mount(
    <TerminalStyleProvider style={style}>
      <View subscribe={subscribe} get={() => state} onDraw={countDraw} />
    </TerminalStyleProvider>,
    { cols: style.columns, rows: style.rows },
  );
  mounted = app;
  return {
    app,
    /** Changes the state and returns how often its rows were computed, and the screen was composed. */
    async set(next: Drawn) {
      const before = { draws, frames: app.frames() };
      state = next;
      for (const listener of listeners) listener();
      await app.waitUntilDrawn();
      return { draws: draws - before.draws, frames: app.frames() - before.frames };
    },
  };
}

test('a new state with the same rows composes no frame', async () => {
  const { app, set } = await show({ text: 'waiting', cursor: 2 });
  expect(await set({ text: 'waiting', cursor: 2 })).toEqual({ draws: 1, frames: 0 });
  expect(app.lines()[0]).toBe('waiting');
  expect(app.cursor()).toEqual({ x: 2, y: 0 });
});

test.each([
  ['text', { text: 'done' }],
  ['tone', { text: 'waiting', tone: 'ok' }],
] as const)('a row with another %s composes one', async (_, next) => {
  const { app, set } = await show({ text: 'waiting' });
  expect(await set(next)).toEqual({ draws: 1, frames: 1 });
  expect(app.lines()[0]).toBe(next.text);
});

test('a cursor that moves in equal rows is placed again', async () => {
  const { app, set } = await show({ text: 'waiting', cursor: 2 });
  expect((await set({ text: 'waiting', cursor: 3 })).draws).toBe(1);
  expect(app.cursor()).toEqual({ x: 3, y: 0 });
  await set({ text: 'waiting' });
  expect(app.cursor()).toBeNull();
});
