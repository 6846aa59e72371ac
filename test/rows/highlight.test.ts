import { expect, test } from 'vitest';
import { highlightLine } from '../../src/rows/highlight.ts';

const formatSpans = (line: string) => highlightLine(line).map(({ text, tone }) => `${tone}:${text}`);

test.each([
  ['    bind 172.16.0.111:6443', ['text:    ', 'accent:bind', 'text: ', 'warn:172.16.0.111:6443']],
  ['  # made from the design', ['muted:  # made from the design']],
  ['; the zone', ['muted:; the zone']],
  ['  baseDomain: "example.org"', ['text:  ', 'accent:baseDomain', 'text:: ', 'ok:"example.org"']],
  ['  - cidr: 10.128.0.0/14', ['text:  - ', 'accent:cidr', 'text:: ', 'warn:10.128.0.0/14']],
  ['"hw-address": "00:50:56:96:11:c2",', ['accent:"hw-address"', 'text:: ', 'ok:"00:50:56:96:11:c2"', 'text:,']],
  ['hardware ethernet 00:50:56:96:11:c2;', ['accent:hardware', 'text: ethernet ', 'warn:00:50:56:96:11:c2', 'text:;']],
  ['m1 IN AAAA fd00:16::21', ['accent:m1', 'text: IN AAAA ', 'warn:fd00:16::21']],
  ['  cidr: fd00::/64', ['text:  ', 'accent:cidr', 'text:: ', 'warn:fd00::/64']],
  ['172.16.0.21 m1', ['warn:172.16.0.21', 'text: m1']],
  ['', []],
])('%s', (line, spans) => {
  expect(formatSpans(line)).toEqual(spans);
});

test('the spans joined are the line, whatever it is', () => {
  for (const line of [
    '"',
    "it's",
    '\t\tx',
    '::',
    'a:b:c',
    '日本語 "ノード" 1.2.3.4',
    '}{',
    '   ',
    'server m1 [fd00::21]:6443 check',
  ])
    expect(
      highlightLine(line)
        .map(({ text }) => text)
        .join(''),
    ).toBe(line);
});
