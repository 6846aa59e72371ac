import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { faceOf } from '../../screens/app/plain.tsx';
import { askInLines, watchInLines } from '../../src/plain/holder.ts';
import { lineInput } from '../../src/plain/line-input.ts';
import { holder as words } from '../../src/text/en/session/holder.ts';
import type { HolderPage } from '../../src/wizard/front-end.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { wizardState } from '../support/wizard-state.ts';

const PAGE: HolderPage = {
  dir: '/home/alice/cluster',
  headline: words.page.headline,
  lines: [words.page.inUse('alice on pts/3 since 14:02')],
  warning: words.page.kill(4711),
  asks: { kind: 'choice', choices: ['view', 'take-over', 'quit'] },
};

function terminal() {
  const stream = new PassThrough();
  const printed: string[] = [];
  return { stream, input: lineInput(stream), printed, print: (line: string) => void printed.push(line) };
}

test('in lines the choices are numbered, Enter takes the first, and the end of the input leaves', async () => {
  for (const [typed, answer] of [
    ['7\n2\n', 'take-over'],
    ['\n', 'view'],
    ['', 'quit'],
  ] as const) {
    const { stream, input, printed, print } = terminal();
    stream.end(typed);
    expect(await askInLines(PAGE, input, print)).toBe(answer);
    expect(printed).toContain('In use by alice on pts/3 since 14:02.');
    expect(printed).toContain('  2. Take over: the other session saves and ends');
  }
});

test('in lines a silent session is ended only by the word', async () => {
  const asks = { kind: 'word', word: '4711', question: words.page.typeWord('4711') } as const;
  for (const [typed, answer] of [
    ['y\n', 'quit'],
    ['4711\n', 'typed'],
  ] as const) {
    const { stream, input, print } = terminal();
    stream.end(typed);
    expect(await askInLines({ ...PAGE, asks }, input, print)).toBe(answer);
  }
});

test('in lines a viewer is told what is new, once, and t takes over', async () => {
  const { stream, input, printed, print } = terminal();
  let tell: (state: WizardState) => void = () => undefined;
  const watching = watchInLines(
    { who: 'alice', follow: (show) => new Promise(() => (tell = show)) },
    faceOf(79),
    input,
    print,
  );
  const state = wizardState({}, { screen: 'networks' });
  tell(state);
  tell({ ...state });
  expect(printed.filter((line) => line === '[3/17] Networks')).toHaveLength(1);
  stream.write('x\nt\n');
  expect(await watching).toBe('take-over');
});

test('in lines the end of the other session ends the watching', async () => {
  const { input, print } = terminal();
  expect(await watchInLines({ who: 'alice', follow: async () => undefined }, faceOf(79), input, print)).toBe('ended');
});
