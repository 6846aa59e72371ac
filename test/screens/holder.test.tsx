import { deserialize, serialize } from 'node:v8';
import type { ReactNode } from 'react';
import { afterEach, expect, test } from 'vitest';
import { startViewer } from '../../screens/app/start.tsx';
import { startHolderPage } from '../../screens/holder.tsx';
import { applyDifference, compareStates } from '../../src/design/differences.ts';
import { holder as words } from '../../src/i18n/en/holder.ts';
import { KeyDispatcher } from '../../src/ui/keys.tsx';
import { SizedTerminalStyleProvider } from '../../src/ui/terminal-style.tsx';
import type { HolderPage } from '../../src/wizard/front-end.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import type { KeyEvent } from '../../src/wizard/text-input.ts';
import { type MountedApp, mount } from '../support/mount.tsx';
import { wizardState } from '../support/wizard-state.ts';
import { STATES } from './views.ts';

let mounted: MountedApp;
afterEach(() => mounted.unmount());

async function show(
  { tree, onKey }: { readonly tree: ReactNode; readonly onKey: (event: KeyEvent) => void },
  look: { readonly hasUnicode?: boolean; readonly hasColour?: boolean } = {},
): Promise<void> {
  mounted = await mount(
    <KeyDispatcher onKey={onKey}>
      <SizedTerminalStyleProvider fixedStyle={{ hasUnicode: true, hasColour: true, canAnimate: false, ...look }}>
        {tree}
      </SizedTerminalStyleProvider>
    </KeyDispatcher>,
  );
}

const PAGE: HolderPage = {
  dir: `/home/alice/${'long/'.repeat(30)}cluster`,
  headline: words.page.headline,
  lines: [words.page.inUse('alice from 10.0.0.9 on pts/3 since 14:02 (upi-wizard, process 4711)')],
  warning: null,
  prompt: { kind: 'choice', choices: ['view', 'take-over', 'quit'] },
};

test('the page names the holder of the directory, and a key or Enter on a choice answers', async () => {
  for (const [keys, answer] of [
    ['t', 'take-over'],
    ['\r', 'view'],
    ['\u001b[B\u001b[B\u001b[B\r', 'quit'],
    ['\u0003', 'interrupt'],
  ] as const) {
    const page = startHolderPage(PAGE);
    await show(page);
    expect(mounted.screen()).toContain('In use by alice from 10.0.0.9 on pts/3 since 14:02');
    expect(mounted.screen()).toMatch(/▸ Watch +the same screens, read-only/);
    await mounted.press(keys);
    expect(await page.whenAnswered).toBe(answer);
    if (answer !== 'quit') await mounted.unmount();
  }
});

test('a session that may still write is ended only by typing the confirmation', async () => {
  const page = startHolderPage({
    ...PAGE,
    warning: words.page.killWarning(4711),
    prompt: { kind: 'word', word: '4711', question: words.page.typeWord('4711') },
  });
  await show(page, { hasUnicode: false, hasColour: false });
  expect(mounted.screen()).toContain('To take over, type 4711:');
  let answer = '';
  void page.whenAnswered.then((value) => {
    answer = value;
  });
  await mounted.press('q\r471\r');
  expect(answer).toBe('');
  await mounted.press('\u0015 4711 \r');
  expect(await page.whenAnswered).toBe('typed');
});

test('the page shows that it waits for the other session', async () => {
  await show(startHolderPage({ ...PAGE, prompt: { kind: 'nothing', waitReason: words.page.waitingForExit } }));
  expect(mounted.screen()).toContain(words.page.waitingForExit);
});

test('a viewer shows the screens of the other session at its own size, and sends it no keys', async () => {
  let sendState: (state: WizardState) => void = () => undefined;
  const viewer = startViewer({
    holder: 'alice on pts/3',
    follow(onState, signal) {
      sendState = onState;
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    },
  });
  await show(viewer);
  const state = wizardState({}, { screen: 'networks' });
  sendState(state);
  await mounted.waitUntilDrawn();
  expect(mounted.screen()).toContain('Machine network');
  expect(mounted.lines().at(-1)).toMatch(/^ q stop watching {2}t take over +read-only: alice on pts\/3/);
  const before = mounted.screen();
  await mounted.press('abc\r\t');
  expect(mounted.screen()).toBe(before);
  await mounted.resize(100, 30);
  expect(mounted.lines()).toHaveLength(30);
  sendState({ ...state, screen: 'report' });
  await mounted.waitUntilDrawn();
  expect(mounted.screen()).toContain('Report');
  await mounted.press('t');
  expect(await viewer.waitForExit()).toBe('take-over');
});

test('every state of the wizard reaches a viewer unchanged', async () => {
  await show(startHolderPage(PAGE));
  let previous: unknown = null;
  let received: unknown = null;
  for (const [name, make] of Object.entries(STATES)) {
    const state = make();
    const difference = compareStates(previous, state);
    if (difference !== null) received = applyDifference(received, deserialize(serialize(difference)));
    expect(received, name).toEqual(state);
    previous = state;
  }
});
