import { expect, test } from 'vitest';
import {
  formatMinorRelease,
  formatRelease,
  getNodeOsName,
  getUnknownVersionReason,
  getVersionProfile,
  isOkd,
  isReleaseOfVersion,
  listKnownVersions,
  listMonitoringPlacementKeys,
  parseMinorVersion,
} from '../../src/design/versions.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';

test('versions are known from 4.5 to 5.0, with or without z', () => {
  for (const version of ['4.5', '4.10', '4.18.11', '4.23', '5.0', '5.0.3'])
    expect(parseMinorVersion(version)).not.toBeNull();
  for (const version of ['4.4', '4.1', '4.24', '5.1', '3.11', '4', '4.018', '4.18.', '4.18\n', ' 4.18', 'v4.18', '']) {
    expect(parseMinorVersion(version), version).toBeNull();
  }
  expect(parseMinorVersion('4.18.11')).toBe('4.18');
});

test('OKD is known from 4.19 on, in full; each other version of it is refused with its reason', () => {
  for (const version of ['4.19.0-okd-scos.0', '4.20.0-okd-scos.3', '4.21.0-okd-scos.ec.9', '5.0.0-okd-scos.1']) {
    expect(getUnknownVersionReason(version), version).toBeNull();
    expect(isOkd(version)).toBe(true);
    expect(getVersionProfile(version)).toMatchObject({ minor: parseMinorVersion(version), product: 'OKD' });
  }
  expect(parseMinorVersion('4.20.0-okd-scos.3')).toBe('4.20');
  for (const version of ['4.15.0-0.okd-2024-03-10-010116', '4.5.0-0.okd-2020-10-15-235428'])
    expect(getUnknownVersionReason(version), version).toBe('okd-fedora');
  for (const version of ['4.16.0-okd-scos.1', '4.18.0-okd-scos.10', '4.17.0-0.okd-scos-2024-09-30-101739'])
    expect(getUnknownVersionReason(version), version).toBe('okd-pivot');
  for (const version of ['4.20-okd-scos.3', '4.20.0-okd-scos', '4.20.0-okd-scos.03', '4.24.0-okd-scos.1', 'okd'])
    expect(getUnknownVersionReason(version), version).toBe('okd-inexact');
  for (const version of ['4.4', '4.20.0-okay', '']) expect(getUnknownVersionReason(version)).toBe('unknown');
  // A stream without "okd" is one of OpenShift.
  expect(isReleaseOfVersion('4.20.3', '4.20')).toBe(true);
  expect(isReleaseOfVersion('4.20.0-okd-scos.3', '4.20')).toBe(false);
  expect(isReleaseOfVersion('4.20.0-okd-scos.3', '4.20.0-okd-scos.3')).toBe(true);
  expect(getVersionProfile('4.20').product).toBe('OpenShift');
});

test.each([
  ['4.18', 'OpenShift 4.18', 'OpenShift 4.18', 'RHCOS'],
  ['4.18.11', 'OpenShift 4.18.11', 'OpenShift 4.18', 'RHCOS'],
  ['4.20.0-okd-scos.3', 'OKD 4.20.0-okd-scos.3', 'OKD 4.20', 'SCOS'],
])('%s is named with its product', (version, release, minor, system) => {
  expect([formatRelease(version), formatMinorRelease(version), getNodeOsName(version)]).toEqual([
    release,
    minor,
    system,
  ]);
});

test('OKD has no signatures, no other streams and no installer of its own for FIPS; SCOS is 10 from 4.20 on', () => {
  for (const minor of listKnownVersions('OKD'))
    expect(getVersionProfile(`${minor}.0-okd-scos.1`)).toMatchObject({
      ...{
        signatureVerifiedBy: 'none',
        osImageStream: 'unknown',
        mirrorTool: 'release-mirror',
        requiresFipsHost: false,
      },
      rhel: minor === '4.19' ? 9 : 10,
    });
  expect(listKnownVersions('OKD').at(0)).toBe('4.19');
});

/** The first version of each change, checked on both sides. */
test.each([
  ['4.5', '4.6', 'imageNames', 'installer', 'dash'],
  ['4.18', '4.19', 'imageNames', 'dash', 'dot'],
  ['4.5', '4.6', 'hasLiveRootfs', false, true],
  ['4.11', '4.12', 'defaultNetworkType', 'OpenShiftSDN', 'OVNKubernetes'],
  ['4.11', '4.12', 'hasTrustBundlePolicy', false, true],
  ['4.13', '4.14', 'mirrorKey', 'imageContentSources', 'imageDigestSources'],
  ['4.12', '4.13', 'rhel', 8, 9],
  ['4.23', '5.0', 'rhel', 9, 10],
  ['4.21', '4.22', 'osImageStream', 'unknown', 'preview'],
  ['4.23', '5.0', 'osImageStream', 'preview', 'supported'],
  ['4.5', '4.6', 'canNoProxyBeWildcard', false, true],
  ['4.9', '4.10', 'canMirrorBeRegistry', false, true],
  ['4.15', '4.16', 'mirrorTool', 'release-mirror', 'oc-mirror'],
  ['4.20', '4.21', 'signatureVerifiedBy', 'none', 'cluster'],
  ['4.21', '4.22', 'signatureVerifiedBy', 'cluster', 'node'],
  ['4.7', '4.8', 'hasSingleNode', false, true],
  ['4.7', '4.8', 'singleNodeBootstrap', 'no', 'yes'],
  ['4.17', '4.18', 'singleNodeBootstrap', 'yes', 'some'],
  ['4.19', '4.20', 'singleNodeBootstrap', 'some', 'yes'],
  ['4.21', '4.22', 'hasArbiter', false, true],
  ['4.19', '4.20', 'fencing', 'no', 'preview'],
  ['4.21', '4.22', 'fencing', 'preview', 'supported'],
  ['4.20', '4.21', 'canIpv6BeFirst', false, true],
  ['4.21', '4.22', 'singleNodeVcpu', 8, 4],
  ['4.21', '4.22', 'enforcesBootImageSkew', false, true],
  ['4.16', '4.17', 'nodeImage', 'no', 'iso'],
  ['4.17', '4.18', 'nodeImage', 'iso', 'pxe'],
  ['4.5', '4.6', 'minDiskGiB', 120, 100],
  ['4.15', '4.16', 'requiresFipsHost', false, true],
  ['4.17', '4.18', 'maxControlPlaneNodes', 3, 5],
] as const)('%s and %s differ in %s', (before, after, key, previous, current) => {
  expect(getVersionProfile(before)[key]).toBe(previous);
  expect(getVersionProfile(`${after}.1`)[key]).toBe(current);
});

test('installer timeouts and internal networks by version', () => {
  expect(getVersionProfile('4.5').installerTimeouts).toEqual({ api: 20, bootstrap: 40, initialize: 30 });
  expect(getVersionProfile('4.9').installerTimeouts).toEqual({ api: 20, bootstrap: 30, initialize: 40 });
  expect(getVersionProfile('4.16').installerTimeouts).toEqual({ api: 20, bootstrap: 45, initialize: 40 });
  expect(getVersionProfile('4.17').internalNetworks.map(({ cidr }) => cidr)).toContain('169.254.169.0/29');
  expect(getVersionProfile('4.18').internalNetworks.map(({ cidr }) => cidr)).toContain('169.254.0.0/17');
});

test('architectures, sizes and networks of the zones by version', () => {
  expect(getVersionProfile('4.9').architectures).not.toContain('aarch64');
  expect(getVersionProfile('4.10').architectures).toContain('aarch64');
  const transit = (version: string) =>
    getVersionProfile(version).internalNetworks.some(({ name }) => name === 'transit');
  expect([transit('4.13'), transit('4.14')]).toEqual([false, true]);
  expect(getVersionProfile('4.13').laterInternalNetworks).toEqual(['100.88.0.0/16', 'fd97::/64']);
  expect(getVersionProfile('4.14').laterInternalNetworks).toEqual([]);
  for (const version of ['4.5', '4.18', '5.0']) {
    const { controlPlaneSizes, infraSizes } = getVersionProfile(version);
    for (const sizes of [controlPlaneSizes, infraSizes]) {
      expect(sizes.map(({ maxWorkers }) => maxWorkers)).toEqual(
        sizes.map(({ maxWorkers }) => maxWorkers).sort((a, b) => a - b),
      );
    }
  }
  expect(getVersionProfile('4.9').controlPlaneSizes.at(-1)).toEqual({ maxWorkers: 250, vcpu: 16, memoryGiB: 96 });
  expect(getVersionProfile('4.18.3')).toBe(getVersionProfile('4.18'));
});

test.each([
  ['4.6.1', ['grafana', 'k8sPrometheusAdapter'], ['monitoringPlugin', 'metricsServer']],
  ['4.10.67', ['grafana'], ['monitoringPlugin']],
  ['4.11.0', ['k8sPrometheusAdapter'], ['grafana']],
  ['4.14.2', ['monitoringPlugin', 'k8sPrometheusAdapter'], ['metricsServer']],
  ['4.15.0', ['k8sPrometheusAdapter'], ['metricsServer']],
  ['4.16.0', ['metricsServer', 'monitoringPlugin'], ['k8sPrometheusAdapter', 'grafana']],
  ['4.22.0', ['metricsServer'], ['k8sPrometheusAdapter']],
  ['5.0.0-rc.1', ['metricsServer', 'monitoringPlugin'], ['k8sPrometheusAdapter', 'grafana']],
])('the keys of cluster-monitoring-config in %s', (version, present, absent) => {
  const keys = listMonitoringPlacementKeys(version);
  expect(keys).toEqual(expect.arrayContaining(['prometheusK8s', 'alertmanagerMain', 'thanosQuerier', ...present]));
  for (const key of [...absent, 'nodeExporter', 'prometheusOperatorAdmissionWebhook']) expect(keys).not.toContain(key);
});

test('an invalid version has no keys of cluster-monitoring-config', () => {
  for (const version of ['', 'latest', '3.11.0']) expect(listMonitoringPlacementKeys(version)).toBeNull();
});

test('every text names the minimum of the disk that the rules check', () => {
  const { minDiskGiB } = getVersionProfile('4.18');
  const { screens, pages, diagnosis, operatorWaits } = catalogue();
  const texts = [
    screens.welcome.help.join(' '),
    pages.nodes.edit.diskGiB.reason,
    diagnosis.causes['disk-too-small'].cause,
    operatorWaits['disk-full'].remedy({ operator: 'ingress' } as never),
  ];
  for (const text of texts)
    expect(/(?:at least|a node needs|memory and) (\d+)/i.exec(text)?.[1], text).toBe(`${minDiskGiB}`);
});
