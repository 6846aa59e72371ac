import { expect, test } from 'vitest';
import { formatStyledLine, type Span } from '../../../src/cli/shared/colours.ts';
import {
  createHeadingCells,
  createStatusSpan,
  formatLabelledLine,
  formatTableLines,
  stylePlanText,
} from '../../../src/cli/shared/table.ts';

const UNICODE = { hasUnicode: true };
const rows = (style?: typeof UNICODE): Span[][] => [
  createHeadingCells(['move', 'state', 'why']),
  [{ text: 'router' }, createStatusSpan('ok', 'done', style), { text: 'three routers run on the infra nodes now' }],
  [{ text: 'taint' }, createStatusSpan('failed', 'failed', style), { text: 'short' }],
];
const print = (lines: ReturnType<typeof formatTableLines>) => lines.map((line) => formatStyledLine(line, null));

test('on a terminal states have their sign, and the last column wraps under itself', () => {
  expect(print(formatTableLines(rows(UNICODE), 44, UNICODE))).toEqual([
    'move    state     why',
    'router  ✔ done    three routers run on the',
    '                  infra nodes now',
    'taint   ✖ failed  short',
  ]);
});

test('in a pipe a row is one line of words, truncated at the end', () => {
  expect(print(formatTableLines(rows(), 30, undefined))).toEqual([
    'move    state   why',
    'router  done    three routers…',
    'taint   failed  short',
  ]);
});

test('a table counts cells: wide letters take two, and the next column stays aligned', () => {
  const wide = [
    ['ノード', 'state'],
    ['w1', '準備完了'],
  ].map((row) => row.map((text) => ({ text })));
  expect(print(formatTableLines(wide, 80, undefined))).toEqual(['ノード  state', 'w1      準備完了']);
  expect(print(formatTableLines(wide, 12, undefined))).toEqual(['ノード  sta…', 'w1      準…']);
});

test('in a narrow terminal nothing is wrapped into a few columns', () => {
  const lines = print(formatTableLines(rows(UNICODE), 30, UNICODE));
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(30);
});

test('the tokens are those of the screens', () => {
  expect([
    createStatusSpan('ok', 'a', UNICODE),
    createStatusSpan('failed', 'b', UNICODE),
    createStatusSpan('pending', 'c', UNICODE),
  ]).toEqual([
    { text: '✔ a', token: 'ok' },
    { text: '✖ b', token: 'error' },
    { text: expect.stringContaining('c'), token: 'muted' },
  ]);
  expect(formatLabelledLine('Nodes        3 of 6', 'warn')).toEqual([
    { text: 'Nodes        ', token: 'muted' },
    { text: '3 of 6', token: 'warn' },
  ]);
});

test('a plan keeps its text, and colours its headings and its diff', () => {
  const plan = '\n== router: Move\n~~~ IngressController x\n+   replicas: 3\n- old\n  same\n';
  expect(print(stylePlanText(plan))).toEqual(plan.replace(/\n$/, '').split('\n'));
  expect(stylePlanText(plan).map(([span]) => span?.token)).toEqual([
    undefined,
    'accent',
    'accent',
    'ok',
    'error',
    undefined,
  ]);
});
