import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { BootRequest } from '../../../../src/host/boot-server/boot-log.ts';
import {
  describeMachine,
  describeNetworkTestOutcomes,
  listMachineRequirements,
  listNetworkTests,
  readMachineReports,
  readNetworkTestOutcomes,
  reviewLastReport,
} from '../../../../src/steps/shared/machines/machine-reports.ts';
import { exampleImages, exampleSite } from '../../../support/example-design.ts';
import { manualClock } from '../../../support/manual-clock.ts';

const design = exampleSite();
const m1 = design.nodes[1]!;
const plans = listMachineRequirements(design);
const MAC = m1.mac.replaceAll(':', '-');
const request = (at: number, path: string, status = 200): BootRequest => ({
  at,
  path,
  status,
  client: m1.ip[0] ?? '',
  method: 'GET',
  bytes: 0,
  complete: true,
});
const review = (requests: readonly BootRequest[], since = 0) => reviewLastReport(m1, plans, requests, requests, since);

test('the plans follow the version, the role and the DHCP server', () => {
  const find = (role: string, changed = design) =>
    listMachineRequirements(changed).find(({ name }) => design.nodes.find((node) => node.role === role)?.name === name);
  const withVersion = (
    version: string,
    architecture: 'x86_64' | 'aarch64' = 'x86_64',
    osImageStream: 'rhel-9' | 'rhel-10' | null = null,
  ) => exampleSite({ openshift: { version, architecture, osImageStream } });
  expect(find('bootstrap')).toMatchObject({ memoryMiB: 16_384, addresses: [expect.any(String)] });
  expect(find('compute')).toMatchObject({ memoryMiB: 8192 });
  expect(find('storage')?.memoryMiB ?? 8192).toBe(8192);
  const levels = ['4.12', '4.13', '4.20', '5.0'].map((version) => find('compute', withVersion(version))?.cpu);
  expect(levels).toEqual(['v1', 'v2', 'v2', 'v3']);
  // The chosen stream decides, not the version.
  expect(find('compute', withVersion('5.0', 'x86_64', 'rhel-9'))?.cpu).toBe('v2');
  expect(find('compute', withVersion('4.22', 'x86_64', 'rhel-10'))?.cpu).toBe('v3');
  expect(find('compute', withVersion('4.20', 'aarch64'))?.cpu).toBeNull();
  const withoutDhcp = { ...design.services, dhcp: { kind: 'none', server: null } as const };
  expect(find('compute', exampleSite({ services: withoutDhcp }))?.addresses).toEqual([]);
});

test('a machine is stopped until it goes on, is overridden, or is reinstalled', () => {
  const report = `/machine?mac=${MAC}&cpu=v1&memory=0010.&platform=efi`;
  const stopped = review([request(1, '/boot.ipxe'), request(2, report)]);
  expect(stopped).toMatchObject({ isStopped: true, problems: [{ kind: 'cpu' }, { kind: 'memory' }], override: null });
  expect(stopped && describeMachine(stopped)).toEqual([
    'Its iPXE reports: CPU level x86-64-v1, 4 GiB of memory, UEFI',
    'Not as planned: CPU level x86-64-v1, needs x86-64-v2; Memory 4 GiB, needs 16 GiB',
  ]);
  const overridden = review([request(2, report), request(3, `${report}&why=a%20test`)]);
  expect(overridden).toMatchObject({ isStopped: false, override: 'a test' });
  expect(overridden && describeMachine(overridden).at(-1)).toContain('a test');
  expect(review([request(2, report), request(3, `/ipxe/${MAC}.ipxe`)])?.isStopped).toBe(false);
  // Another web server has no answer, and the machine goes on; its report is evidence anyway.
  expect(review([request(2, report, 404)])).toMatchObject({ isStopped: false, problems: [{}, {}] });
  expect(review([request(2, report)], 3)).toBeNull();
  expect(review([request(2, report.replace(MAC, '02-00-00-00-00-01'))])).toBeNull();
});

test('the questions name each file, the API at the balancer, the gateway and the registry', () => {
  const base = 'http://172.16.0.101:8080';
  expect(listNetworkTests(design, m1, exampleImages).map(({ id, url }) => `${id} ${url}`)).toEqual([
    `kernel ${base}/images/${exampleImages.kernel}?head`,
    `initramfs ${base}/images/${exampleImages.initramfs}?head`,
    `rootfs ${base}/images/${exampleImages.rootfs}?head`,
    `ignition ${base}/ignition/master.ign?head`,
    'api-int http://api-int.ocp45.example.localdomain:22623/healthz',
    'api http://api.ocp45.example.localdomain:6443/healthz',
    'registry http://quay.io:443/v2/',
    'gateway http://172.16.0.254/',
  ]);
});

test('the answers of a machine are read with the time that each took', () => {
  const answer = (at: number, id: string, code: string) => request(at, `/questions?mac=${MAC}&id=${id}&answer=${code}`);
  const results = readNetworkTestOutcomes(
    m1,
    [
      answer(100, 'kernel', 'ok'),
      request(1000, `/questions?mac=${MAC}`),
      answer(1200, 'kernel', 'ok'),
      answer(1300, 'initramfs', '0x2d0c613b'),
      answer(1400, 'ignition', '0x410c613c'),
      // The Machine Config Server ends plain HTTP, or HAProxy has no member yet: the port is reached.
      answer(1500, 'api-int', '0xf0a6039'),
      answer(11_500, 'api', '0x4c072035'),
      answer(11_600, 'registry', '0x3e11613b'),
      answer(21_600, 'gateway', '0x4c072035'),
      request(21_700, `/questions?mac=${MAC}&id=x%1b[31m&answer=ok`),
      request(21_800, `/questions?mac=${MAC}&id=api&answer=$(reboot)`),
    ],
    0,
  );
  expect(results.map(({ id, outcome, durationMs }) => `${id} ${outcome} ${durationMs}`)).toEqual([
    'kernel ok 200',
    'initramfs missing 100',
    'ignition forbidden 100',
    'api-int ok 100',
    'api silent 10000',
    'registry no-name 100',
    'gateway unknown 10000',
  ]);
  expect(describeNetworkTestOutcomes(results)).toEqual({
    line: 'Reached from the machine: kernel 0.2 s, api-int port 22623 0.1 s',
    failures: [
      'initramfs: no such file on the boot server (404)',
      'ignition file: the boot server denies it to this address (403)',
      'api port 6443: no answer',
      'registry: the name server of its lease does not resolve it',
    ],
  });
});

test('the check reads the last report of each machine in the log of the boot server', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'reports-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  mkdirSync(join(dir, '.upi-wizard'));
  const requests = [
    request(1000, `/machine?mac=${MAC}&cpu=v1`),
    request(2000, `/machine?mac=${MAC}&cpu=v2`),
    request(3000, `/questions?mac=${MAC}&id=api-int&answer=0x4c072035`),
  ];
  const write = (lines: readonly BootRequest[]) =>
    writeFileSync(
      join(dir, '.upi-wizard/boot-requests.ndjson'),
      lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    );
  const context = { design, dir, clock: manualClock(62_000) };
  const names = design.nodes.map(({ name }) => name);
  expect(await readMachineReports(context, names)).toEqual([]);
  write(requests.slice(0, 1));
  const [unfit] = await readMachineReports(context, names);
  expect(unfit).toEqual({ name: 'm1', ageMs: 61_000, problems: ['CPU level x86-64-v1, needs x86-64-v2'] });
  write(requests);
  const [unreached] = await readMachineReports(context, names);
  expect(unreached).toEqual({ name: 'm1', ageMs: 60_000, problems: ['api-int port 22623: no answer'] });
  expect(await readMachineReports(context, ['w1'])).toEqual([]);
});
