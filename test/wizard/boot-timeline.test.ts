import { expect, test } from 'vitest';
import { renderBootTimeline } from '../../screens/boot.ts';
import type { BootView } from '../../src/steps/shared/machines/boot-progress.ts';

const AT = Date.UTC(2026, 10, 22, 12);
const machine = (role: 'bootstrap' | 'control-plane'): BootView['nodes'][number] => ({
  name: 'm2',
  role,
  address: '172.16.0.22',
  mac: '00:50:56:96:ec:a7',
  stage: 'ignition',
  poweredOnAt: AT,
  lastSeenAt: AT,
  isMarkedReinstalled: false,
  isLost: false,
  isDenied: false,
  detail: '',
  timeline: { signs: [{ sign: 'ignition', at: AT }], next: { sign: 'node', since: AT, isSlow: true, isLate: true } },
  report: [],
  problems: [],
  conflictingMac: null,
  likelyCause: 'requests-wait',
});

test('a node that fetched all and does not join is reported as missing, with the time waited or the time of the last sign', () => {
  const whileProbing = renderBootTimeline(machine('control-plane'), AT + 30 * 60_000, 200);
  expect(whileProbing[1]).toMatch(/^Next: .+, usually within 3 min; waited 30 min$/);
  expect(whileProbing[2]).toMatch(/^Likely: .+ \(! checks it\)$/);
  const afterwards = renderBootTimeline(machine('control-plane'), null, 200);
  expect(afterwards[1]).toMatch(/^Watched here until \d\d:\d\d; next would be: \S/);
  expect(afterwards).toHaveLength(2);
  expect(renderBootTimeline(machine('bootstrap'), null, 200)).toHaveLength(1);
});

test('once the step is done, the history of a machine has the time that it took', () => {
  const signs = [
    { sign: 'power' as const, at: AT },
    { sign: 'ignition' as const, at: AT + 13 * 60_000 },
    { sign: 'ready' as const, at: null },
  ];
  const joined = { ...machine('control-plane'), timeline: { signs, next: null } };
  expect(renderBootTimeline(joined, null, 200)).toEqual([expect.stringMatching(/^m2: on .+ \(after 13 min\), Ready$/)]);
  expect(renderBootTimeline(joined, AT + 30 * 60_000, 200)[0]).not.toContain('after');
});

test('a machine that is stopped has its report and no next sign', () => {
  const stopped = { report: ['Its iPXE reports: BIOS', 'Not as planned: BIOS'], problems: ['BIOS'], likelyCause: null };
  expect(renderBootTimeline({ ...machine('control-plane'), ...stopped }, AT, 200).slice(1)).toEqual(stopped.report);
});

test('the history of a lost node ends with the time since which it is not Ready', () => {
  const lost = { ...machine('control-plane'), isLost: true, notReadySince: AT + 60_000, likelyCause: null };
  const lines = renderBootTimeline(lost, AT + 120_000, 200);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^m2: ignition \d\d:\d\d, not Ready since \d\d:\d\d$/);
});
