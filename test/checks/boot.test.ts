import { expect, test } from 'vitest';
import { deriveExpectedRequestTimes } from '../../src/checks/boot/boot-activity.ts';
import { BOOT_CHECKS, type BootMachineEvidence } from '../../src/checks/boot/checks.ts';
import { runChecks } from '../../src/checks/check.ts';
import { MINUTE } from '../../src/platform/clock.ts';

const NOW = 100 * MINUTE;
const MAC = '00:50:56:96:e5:2f';
const machine = (changes: Partial<BootMachineEvidence> = {}): BootMachineEvidence => ({
  name: 'm3',
  mac: MAC,
  address: '172.16.0.23',
  conflictingMac: null,
  stage: 'off',
  poweredOnAt: NOW - 11 * MINUTE,
  requestExpectedSince: changes.poweredOnAt === undefined ? NOW - 11 * MINUTE : changes.poweredOnAt,
  lastRequest: null,
  ...changes,
});
const other = machine({ name: 'm2', mac: '00:50:56:96:ec:a7' });
const withRequest = (status: number, minutes: number) =>
  machine({
    stage: 'script',
    poweredOnAt: NOW - minutes * MINUTE,
    lastRequest: { path: '/images/kernel', status, at: NOW - MINUTE },
  });
const stalledMachine = (stage: BootMachineEvidence['stage'], minutes: number) =>
  machine({
    stage,
    poweredOnAt: NOW - 40 * MINUTE,
    lastRequest: { path: '/x', status: 200, at: NOW - minutes * MINUTE },
  });
const bootFindings = (
  machines: readonly BootMachineEvidence[],
  unknownMacs: readonly string[],
  boot: 'ipxe' | 'iso' = 'ipxe',
) => runChecks(BOOT_CHECKS, { now: NOW, boot, machines, unknownMacs });
const listCodes = (nodes: readonly BootMachineEvidence[], unknownMacs: readonly string[] = []) =>
  bootFindings(nodes, unknownMacs).map(({ code, subject }) => `${code} ${subject}`);

test.each<[string, readonly BootMachineEvidence[], readonly string[], readonly string[]]>([
  ['a machine that is not powered on', [machine({ poweredOnAt: null })], [], []],
  ['a machine that is silent for 9 minutes', [machine({ poweredOnAt: NOW - 9 * MINUTE })], [], []],
  ['a machine that is silent for 10 minutes', [machine({ poweredOnAt: NOW - 10 * MINUTE })], [], ['boot-silent m3']],
  ['a machine with an address only', [machine({ stage: 'lease' })], [], []],
  [
    'an address and nothing more for 15 minutes',
    [machine({ stage: 'lease', poweredOnAt: NOW - 15 * MINUTE })],
    [],
    ['boot-halted m3'],
  ],
  ['a script and no kernel for 9 minutes', [stalledMachine('script', 9)], [], []],
  ['a script and no kernel for 10 minutes', [stalledMachine('script', 10)], [], ['boot-halted m3']],
  [
    'a machine that the boot server stopped, for 12 minutes',
    [{ ...stalledMachine('script', 12), problems: ['CPU level x86-64-v1, needs x86-64-v2'] }],
    [],
    ['boot-machine-unfit m3'],
  ],
  [
    'a machine that does not reach api-int from its own port',
    [machine({ stage: 'script', poweredOnAt: NOW - MINUTE, failedNetworkTests: ['api-int port 22623: no answer'] })],
    [],
    ['boot-unreached m3'],
  ],
  ['a kernel and no root file system', [stalledMachine('kernel', 12)], [], ['boot-halted m3']],
  ['a root file system and no ignition file', [stalledMachine('rootfs', 12)], [], ['boot-halted m3']],
  ['a machine that has its ignition file and writes its disk', [stalledMachine('ignition', 30)], [], []],
  ['a machine that is Ready', [machine({ stage: 'ready' })], [], []],
  ['an unknown MAC with one digit changed', [machine()], ['00:50:56:96:e5:2e'], ['boot-unknown-mac m3']],
  [
    'an unknown MAC with two digits exchanged',
    [machine(), other],
    ['00:50:56:96:e5:f2'],
    ['boot-unknown-mac m3', 'boot-silent m2'],
  ],
  ['a quite different MAC and one silent machine', [machine()], ['aa:bb:cc:dd:ee:ff'], ['boot-unknown-mac m3']],
  [
    'a quite different MAC and two silent machines',
    [machine(), other],
    ['aa:bb:cc:dd:ee:ff'],
    ['boot-silent m3', 'boot-silent m2'],
  ],
  [
    'an unknown MAC after 5 minutes',
    [machine({ poweredOnAt: NOW - 5 * MINUTE })],
    ['00:50:56:96:e5:2e'],
    ['boot-unknown-mac m3'],
  ],
  ['an unknown MAC after 4 minutes', [machine({ poweredOnAt: NOW - 4 * MINUTE })], ['00:50:56:96:e5:2e'], []],
  ['a 404, also at once', [withRequest(404, 2)], [], ['boot-stuck m3']],
  ['a 403 for 20 minutes', [withRequest(403, 20)], [], ['boot-stuck m3']],
  [
    'a refused ignition request of an unplanned address, at once and instead of a halt',
    [{ ...stalledMachine('kernel', 12), refusedClient: { address: '172.16.0.200', path: '/ignition/master.ign' } }],
    [],
    ['boot-stuck m3'],
  ],
  ['an answer for 20 minutes', [withRequest(200, 20)], [], []],
])('%s', (_name, nodes, unknownMacs, expected) => {
  expect(listCodes(nodes, unknownMacs)).toEqual(expected);
});

test('each finding gives the observation, the cause and the remedy, with names and numbers', () => {
  const [typo] = bootFindings([machine()], ['00:50:56:96:e5:2e']);
  expect(`${typo?.title} ${typo?.cause} ${typo?.remedy}`).toMatch(/00:50:56:96:e5:2e.*m3.*00:50:56:96:e5:2f.*m3/s);
  const [silent] = bootFindings([machine()], []);
  expect(silent?.cause).toContain('11 min');
  expect(silent?.remedy).toContain(MAC);
  const [stuck] = bootFindings([withRequest(404, 10)], []);
  expect(stuck?.cause).toContain('/images/kernel, with status 404');
  for (const finding of [typo, silent, stuck]) expect(finding?.severity).toBe('fatal');
});

test('the refusal of an unplanned address names the address and the DHCP server that may have given it', () => {
  const refusedClient = { address: '172.16.0.200', path: '/ignition/master.ign' };
  const [found] = bootFindings([{ ...stalledMachine('kernel', 3), refusedClient }], []);
  expect(found).toMatchObject({ severity: 'fatal', title: 'm3: the boot server refuses /ignition/master.ign' });
  expect(found?.cause).toMatch(/172\.16\.0\.200.*not in the design.*another DHCP server/);
  expect(found?.remedy).toMatch(/stop it.*reboot m3.*broadcast-dhcp-discover/s);
});

test('with manual power-on the next machine counts from the last sign, and later machines are not due yet', () => {
  const at = (minutes: number) => NOW - minutes * MINUTE;
  const on = (firstSignAt: number | null) => ({ poweredOnAt: at(60), hasSign: firstSignAt !== null, firstSignAt });
  const machines = [on(at(40)), on(null), on(at(12)), on(null), on(null)];
  expect(deriveExpectedRequestTimes(machines, true)).toEqual([at(12), at(12), at(12), at(12), null]);
  expect(deriveExpectedRequestTimes([on(null), on(null)], true)).toEqual([at(60), null]);
  expect(deriveExpectedRequestTimes([{ ...on(null), poweredOnAt: null }], true)).toEqual([null]);
  expect(deriveExpectedRequestTimes(machines, false)).toEqual(machines.map(() => at(60)));
});

test('a machine that is not due yet is not silent; one that boots from an ISO may stay silent', () => {
  expect(listCodes([machine({ requestExpectedSince: null })])).toEqual([]);
  expect(listCodes([machine({ requestExpectedSince: NOW - 9 * MINUTE })])).toEqual([]);
  const [found] = bootFindings([machine()], [], 'iso');
  expect(found).toMatchObject({ code: 'boot-silent', severity: 'warning', subject: 'm3' });
  expect(found?.cause).toContain('make-isos.sh');
});

test('another machine that answers ARP at the address of a node is reported at once', () => {
  const [found] = bootFindings(
    [machine({ stage: 'lease', poweredOnAt: NOW, conflictingMac: '00:0c:29:5a:b7:10' })],
    [],
  );
  expect(found).toMatchObject({ code: 'boot-address-taken', subject: 'm3', severity: 'fatal' });
  expect(found?.cause).toContain('00:0c:29:5a:b7:10');
});

test('a machine whose address was corrected in the design needs new files and a reboot, and not the design changed', () => {
  const [found, ...others] = bootFindings([machine({ isCorrected: true })], ['00:50:56:96:e5:2e']);
  expect(others).toEqual([]);
  expect(found).toMatchObject({ code: 'boot-silent', severity: 'fatal', subject: 'm3' });
  expect(found?.remedy).toBe('Generate, put the files in place again (Hosts), and reboot m3.');
});

test('a missing file is reported at once, with the remedy for that alone', () => {
  const [found] = bootFindings([withRequest(404, 2)], []);
  expect(found).toMatchObject({ code: 'boot-stuck', subject: 'm3' });
  expect(found?.remedy).not.toContain('403');
  expect(bootFindings([withRequest(403, 2)], [])).toEqual([]);
});
