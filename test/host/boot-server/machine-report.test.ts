import { expect, test } from 'vitest';
import {
  checkMachineReport,
  describeMachineProblem,
  type MachinePlan,
  type MachineReport,
  parseMachineReport,
} from '../../../src/host/boot-server/machine-report.ts';
import { HOUR, MINUTE } from '../../../src/platform/clock.ts';

const MAC = '00:50:56:96:6b:da';
const W2 = '00:50:56:96:4d:03';
const plan: MachinePlan = {
  name: 'w1',
  mac: MAC,
  cpu: 'v2',
  memoryMiB: 8192,
  firmware: 'uefi',
  addresses: ['172.16.0.31'],
  clients: [],
  questions: [],
};
const plans = [plan, { ...plan, name: 'w2', mac: W2, addresses: ['172.16.0.32'] }];
const NOW = 1_790_000_000_000;

const parse = (query: string) => parseMachineReport(`/machine?mac=${MAC.replaceAll(':', '-')}&${query}`);

test('a report of the iPXE of Debian is read', () => {
  // As QEMU with `-cpu Nehalem -m 1536` sends it.
  expect(
    parseMachineReport(
      '/machine?mac=52-54-00-12-34-56&cpu=v2&memory=0006.00000000,&platform=pcbios&time=0x6b0a8340&ip=10.0.2.15&macs=52-54-00-12-34-56,,,&why=it%20is%20%28fine%29',
    ),
  ).toEqual({
    mac: '52:54:00:12:34:56',
    cpu: 'v2',
    memoryMiB: 1536,
    firmware: 'bios',
    time: 0x6b0a8340 * 1000,
    address: '10.0.2.15',
    macs: ['52:54:00:12:34:56'],
    override: 'it is (fine)',
  });
});

test('what iPXE cannot read, and what is not of its form, is not known', () => {
  const unknown = { cpu: null, memoryMiB: null, firmware: null, time: null, address: null, macs: [], override: null };
  const nothing = { mac: MAC, ...unknown };
  expect(parse('cpu=&memory=&platform=&time=&ip=&macs=,,,&why=')).toEqual(nothing);
  expect(parse('')).toEqual(nothing);
  expect(parse('cpu=v9&memory=x.y,12&platform=%1b[31m&time=-1&ip=$(id)&macs=a,b&why=%00%0a')).toMatchObject({
    ...unknown,
    override: expect.not.stringMatching(/[\0\n]/),
  });
  expect(parse('why=%1b]52;c;x%07hello')?.override).not.toContain('\u001b');
  expect(parseMachineReport('/machine?mac=x')).toBeNull();
  expect(parseMachineReport('/machine')).toBeNull();
  expect(parseMachineReport(`/images/x?mac=${MAC}`)).toBeNull();
  expect(parse(`why=${'a'.repeat(2000)}`)).toBeNull();
});

test.each([
  ['two modules of 16 GiB', '0040.00000000,0040.00000000,', 32_768],
  ['one of 64 GiB with its extended size', 'ff7f.00000100,', 65_536],
  ['an empty slot counts 0', '0000.00000000,0020.,', 8192],
  ['sizes in KiB', '0082.00000000,', 0.5],
  ['a module of unknown size', '0040.00000000,ffff.00000000,', null],
  ['no slot has a module', '0000.00000000,', null],
])('memory: %s', (_name, memory, expected) => {
  expect(parse(`memory=${memory}`)?.memoryMiB).toBe(expected);
});

test.each<[string, Partial<MachineReport>, string[]]>([
  ['everything is as planned', {}, []],
  ['nothing is known', { cpu: null, memoryMiB: null, firmware: null, time: null, address: null, macs: [] }, []],
  ['a newer processor', { cpu: 'v3' }, []],
  ['an older processor', { cpu: 'v1' }, ['CPU level x86-64-v1, needs x86-64-v2']],
  ['too little memory', { memoryMiB: 4096 }, ['Memory 4 GiB, needs 8 GiB']],
  ['memory that the firmware keeps a part of', { memoryMiB: 7936 }, []],
  ['BIOS', { firmware: 'bios' }, ['It boots with BIOS, but UEFI is planned']],
  ['a clock that is ahead', { time: NOW + 49 * HOUR }, ['Its clock is 2 days ahead of the boot server']],
  ['a clock in local time, ahead', { time: NOW + 8 * HOUR }, []],
  ['a clock that is behind', { time: NOW - 5 * HOUR }, ['Its clock is 5 h behind the boot server']],
  ['a clock that is a little behind', { time: NOW - 10 * MINUTE }, []],
  ['another network', { address: '10.9.0.5' }, ['Its address is 10.9.0.5, but 172.16.0.31 is planned']],
  ['the network card of another node', { macs: [MAC, W2] }, [`It also has the MAC address ${W2} of w2`]],
])('reviewed: %s', (_name, changes, expected) => {
  const report: MachineReport = {
    mac: MAC,
    cpu: 'v2',
    memoryMiB: 8192,
    firmware: 'uefi',
    time: NOW,
    address: '172.16.0.31',
    macs: [MAC],
    override: null,
    ...changes,
  };
  expect(checkMachineReport(report, plan, plans, NOW).map(describeMachineProblem)).toEqual(expected);
});

test('a machine that is not in the design is only asked for the cards of one that is', () => {
  const report = parseMachineReport(`/machine?mac=02-00-00-00-00-01&cpu=none&macs=02-00-00-00-00-01,${W2}`);
  expect(report && checkMachineReport(report, null, plans, NOW).map(describeMachineProblem)).toEqual([
    `It also has the MAC address ${W2} of w2`,
  ]);
});
