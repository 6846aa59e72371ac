import { expect, test } from 'vitest';
import { formatBarTitle, formatBootBar, getBarScale } from '../../screens/shared/boot-bars.ts';
import { formatTimeOfDay, MINUTE } from '../../src/platform/clock.ts';
import type { BootView } from '../../src/steps/shared/machines/boot-progress.ts';
import { bootView } from './views.ts';

const AT = Date.UTC(2026, 10, 22, 12);
type Signs = BootView['nodes'][number]['timeline']['signs'];
const [first] = bootView.nodes;
if (first === undefined) throw new Error('no machine');
const machine = (signs: Signs, poweredOnAt: number | null = AT) => ({
  ...first,
  poweredOnAt,
  lastSeenAt: null,
  timeline: { signs, next: null },
});
const at = (sign: Signs[number]['sign'], minutes: number | null) => ({
  sign,
  at: minutes === null ? null : AT + minutes * MINUTE,
});
const scale = { startAt: AT, endAt: AT + 20 * MINUTE, columns: 41 };
const unicode = { hasUnicode: true };

test('a bar ends now, and a letter stands where each sign was seen', () => {
  const booting = machine([at('power', 0), at('lease', 1), at('tftp', 2), at('script', 2), at('ignition', 5)]);
  expect(formatBootBar(booting, AT + 8 * MINUTE, scale, unicode)).toBe('━━D━F━━━━━I━━━━━━');
  expect(formatBootBar(booting, AT + 8 * MINUTE, scale, { hasUnicode: false })).toBe('==D=F=====I======');
});

test('the bar of a Ready machine ends with its last sign, and signs without a time keep their order', () => {
  const ready = machine([at('power', 0), at('arp', null), at('ignition', 5), at('node', 9), at('ready', null)]);
  expect(formatBootBar(ready, AT + 18 * MINUTE, scale, unicode)).toBe('D━━━━━━━━━I━━━━━━━JR');
  const quick = machine([at('lease', 0), at('script', 0), at('ignition', 0)]);
  expect(formatBootBar(quick, AT, scale, unicode)).toBe('DFI');
});

test('a machine that was powered on later begins later, and one that is off has no bar', () => {
  expect(formatBootBar(machine([at('power', 4)], AT + 4 * MINUTE), AT + 6 * MINUTE, scale, unicode)).toBe(
    `${' '.repeat(8)}━━━━━`,
  );
  expect(formatBootBar(machine([], null), AT, scale, unicode)).toBe('');
});

test('there are bars only where there is room, and their scale grows in steps', () => {
  const nodes = [machine([at('power', 0)]), machine([], null)];
  const wide = { terminalColumns: 120, columns: 114 };
  expect(getBarScale(nodes, AT + 3 * MINUTE, wide, 52)).toEqual({ startAt: AT, endAt: AT + 10 * MINUTE, columns: 60 });
  expect(getBarScale(nodes, AT + 11 * MINUTE, wide, 52)?.endAt).toBe(AT + 20 * MINUTE);
  expect(getBarScale(nodes, AT, { terminalColumns: 109, columns: 105 }, 52)).toBeNull();
  expect(getBarScale(nodes, AT, { terminalColumns: 120, columns: 70 }, 52)).toBeNull();
  expect(getBarScale([machine([], null)], AT, wide, 52)).toBeNull();
  expect(formatBarTitle(scale)).toBe(`${formatTimeOfDay(AT)}${' '.repeat(31)}${formatTimeOfDay(AT + 20 * MINUTE)}`);
});
