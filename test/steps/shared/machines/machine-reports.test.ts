import { expect, test } from 'vitest';
import type { BootRequest } from '../../../../src/host/boot-server/boot-log.ts';
import {
  describeMachine,
  judgeLastReport,
  listMachinePlans,
} from '../../../../src/steps/shared/machines/machine-reports.ts';
import { exampleSite } from '../../../support/example-design.ts';

const design = exampleSite();
const m1 = design.nodes[1]!;
const plans = listMachinePlans(design);
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
const judge = (requests: readonly BootRequest[], since = 0) => judgeLastReport(m1, plans, requests, requests, since);

test('the plans follow the version, the role and the DHCP server', () => {
  const find = (role: string, changed = design) =>
    listMachinePlans(changed).find(({ name }) => design.nodes.find((node) => node.role === role)?.name === name);
  const withVersion = (version: string, architecture: 'x86_64' | 'aarch64' = 'x86_64') =>
    exampleSite({ openshift: { version, architecture } });
  expect(find('bootstrap')).toMatchObject({ memoryMiB: 16_384, addresses: [expect.any(String)] });
  expect(find('compute')).toMatchObject({ memoryMiB: 8192 });
  expect(find('storage')?.memoryMiB ?? 8192).toBe(8192);
  const levels = ['4.12', '4.13', '4.20', '5.0'].map((version) => find('compute', withVersion(version))?.cpu);
  expect(levels).toEqual(['v1', 'v2', 'v2', 'v3']);
  expect(find('compute', withVersion('4.20', 'aarch64'))?.cpu).toBeNull();
  const withoutDhcp = { ...design.services, dhcp: { kind: 'none', server: null } as const };
  expect(find('compute', exampleSite({ services: withoutDhcp }))?.addresses).toEqual([]);
});

test('a machine is stopped until it goes on, is overridden, or is reinstalled', () => {
  const report = `/machine?mac=${MAC}&cpu=v1&memory=0010.&platform=efi`;
  const stopped = judge([request(1, '/boot.ipxe'), request(2, report)]);
  expect(stopped).toMatchObject({ isStopped: true, problems: [{ kind: 'cpu' }, { kind: 'memory' }], override: null });
  expect(stopped && describeMachine(stopped)).toEqual([
    'Its iPXE reports: CPU level x86-64-v1, 4 GiB of memory, UEFI',
    'Not as planned: CPU level x86-64-v1, needs x86-64-v2; Memory 4 GiB, needs 16 GiB',
  ]);
  const overridden = judge([request(2, report), request(3, `${report}&why=a%20test`)]);
  expect(overridden).toMatchObject({ isStopped: false, override: 'a test' });
  expect(overridden && describeMachine(overridden).at(-1)).toContain('a test');
  expect(judge([request(2, report), request(3, `/ipxe/${MAC}.ipxe`)])?.isStopped).toBe(false);
  // Another web server has no answer, and the machine goes on; its report is evidence all the same.
  expect(judge([request(2, report, 404)])).toMatchObject({ isStopped: false, problems: [{}, {}] });
  expect(judge([request(2, report)], 3)).toBeNull();
  expect(judge([request(2, report.replace(MAC, '02-00-00-00-00-01'))])).toBeNull();
});
