import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createScreenTextModel } from '../../screens/app/plain.ts';
import { holder as words } from '../../src/i18n/en/holder.ts';
import { createLineInput } from '../../src/plain/menu.ts';
import { showHolderPage, viewSession } from '../../src/plain/plain-front-end.ts';
import type { HolderPage } from '../../src/wizard/front-end.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { wizardState } from '../support/wizard-state.ts';

const PAGE: HolderPage = {
  dir: '/home/alice/cluster',
  headline: words.page.headline,
  lines: [words.page.inUse('alice on pts/3 since 14:02')],
  warning: words.page.killWarning(4711),
  prompt: { kind: 'choice', choices: ['view', 'take-over', 'quit'] },
};

function createTerminal() {
  const stream = new PassThrough();
  const printed: string[] = [];
  return { stream, input: createLineInput(stream), printed, print: (line: string) => void printed.push(line) };
}

test('in lines the choices are numbered, Enter takes the first, and the end of the input leaves', async () => {
  for (const [typed, answer] of [
    ['7\n2\n', 'take-over'],
    ['\n', 'view'],
    ['', 'quit'],
  ] as const) {
    const { stream, input, printed, print } = createTerminal();
    stream.end(typed);
    expect(await showHolderPage(PAGE, input, print)).toBe(answer);
    expect(printed).toContain('In use by alice on pts/3 since 14:02.');
    expect(printed).toContain('  2. Take over: the other session saves and ends');
  }
});

test('in lines a silent session is ended only by typing the word', async () => {
  const prompt = { kind: 'word', word: '4711', question: words.page.typeWord('4711') } as const;
  for (const [typed, answer] of [
    ['y\n', 'quit'],
    ['4711\n', 'typed'],
  ] as const) {
    const { stream, input, print } = createTerminal();
    stream.end(typed);
    expect(await showHolderPage({ ...PAGE, prompt }, input, print)).toBe(answer);
  }
});

test('in lines a viewer gets each change once, and t takes over', async () => {
  const { stream, input, printed, print } = createTerminal();
  let showState: (state: WizardState) => void = () => undefined;
  const exit = viewSession(
    { holder: 'alice', follow: (show) => new Promise(() => (showState = show)) },
    createScreenTextModel(79),
    input,
    print,
  );
  const state = wizardState({}, { screen: 'networks' });
  showState(state);
  showState({ ...state });
  expect(printed.filter((line) => line === '[3/17] Networks')).toHaveLength(1);
  stream.write('x\nt\n');
  expect(await exit).toBe('take-over');
});

test('in lines the end of the other session ends the watching', async () => {
  const { input, print } = createTerminal();
  expect(
    await viewSession({ holder: 'alice', follow: async () => undefined }, createScreenTextModel(79), input, print),
  ).toBe('ended');
});
