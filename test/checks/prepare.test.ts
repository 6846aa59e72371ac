import { expect, test } from 'vitest';
import { runChecks } from '../../src/checks/check.ts';
import { JOIN_PREPARE_CHECKS, PREPARE_CHECKS } from '../../src/checks/prepare/checks.ts';
import type { PrepareEvidence } from '../../src/checks/prepare/evidence.ts';
import { formatRemainingTime } from '../../src/checks/prepare/items.ts';
import { HOUR } from '../../src/platform/clock.ts';

const NOW = 1_000 * HOUR;
const VALID_EVIDENCE: PrepareEvidence = {
  now: NOW,
  dir: '/home/user/upi-cluster',
  imagesDir: '/home/user/upi-cluster/images',
  images: [{ name: 'rhcos-live-rootfs', state: 'ok' }],
  programDirectories: ['/home/user/upi-cluster'],
  requirements: { version: '4.18', architecture: 'x86_64', goArchitecture: 'amd64' },
  installer: '/home/user/upi-cluster/openshift-install',
  installerVersion: { version: '4.18.11', architecture: 'amd64' },
  installDirStatus: { state: 'ignition', expiresAt: NOW + 20 * HOUR },
  areFilesFromOtherConfig: false,
  isPullSecretOutdated: false,
  isClusterUp: false,
  unservedFiles: [],
  server: 'ours',
  bastionFilesDir: '/home/user/upi-cluster/files/bastion',
};
const imagesInState = (state: PrepareEvidence['images'][number]['state']) => [{ name: 'rhcos-live-rootfs', state }];
const mixed = { state: 'mixed', expiresAt: null } as const;
const expiresInHours = (hours: number) => ({ state: 'ignition', expiresAt: NOW + hours * HOUR }) as const;
const missing = [{ path: '/images/rootfs', isPresent: false, detail: 'status 404' }];

test('the remaining time of the certificates is in hours and minutes, as every duration', () => {
  const texts = [0.5, 1, 23 + 59 / 60, -1].map((hours) => formatRemainingTime(hours * HOUR));
  expect(texts).toEqual(['30 min', '1 h', '23 h 59 min', '0 min']);
});

test('OKD has its own place for a missing openshift-install', () => {
  const requirements = { ...VALID_EVIDENCE.requirements, version: '4.20.0-okd-scos.3' };
  const [finding] = runChecks(PREPARE_CHECKS, { ...VALID_EVIDENCE, requirements, installer: null, version: null });
  expect(finding?.remedy).toContain('github.com/okd-project/okd/releases');
  expect(finding?.remedy).not.toContain('redhat.com');
});

test.each<[string, Partial<PrepareEvidence>, readonly string[]]>([
  ['all is right', {}, []],
  ['no installer', { installer: null, installerVersion: null }, ['warning installer-missing']],
  ['another version', { installerVersion: { version: '4.17.9', architecture: 'amd64' } }, ['fatal installer-version']],
  ['a version without an architecture', { installerVersion: { version: '4.18.2', architecture: null } }, []],
  ['one for all architectures', { installerVersion: { version: '4.18.2', architecture: 'multi' } }, []],
  [
    'a build that knows none',
    { installerVersion: { version: '4.18.2', architecture: 'unknown' } },
    ['note installer-architecture-unknown'],
  ],
  ['a build without a version', { installerVersion: { version: null, architecture: null } }, []],
  [
    'another architecture',
    { installerVersion: { version: '4.18.2', architecture: 'arm64' } },
    ['fatal installer-architecture'],
  ],
  ['a damaged image', { images: imagesInState('wrong') }, ['warning images-wrong']],
  ['an image that is missing', { images: imagesInState('missing') }, ['warning images-missing']],
  ['an image that is not checked', { images: imagesInState('unchecked') }, ['note images-unchecked']],
  ['another design', { areFilesFromOtherConfig: true }, ['warning install-config-changed']],
  ['another design, and a running cluster', { areFilesFromOtherConfig: true, isClusterUp: true }, []],
  ['another pull secret', { isPullSecretOutdated: true }, ['fatal install-config-changed']],
  ['another pull secret, and a running cluster', { isPullSecretOutdated: true, isClusterUp: true }, []],
  ['a directory of two runs', { installDirStatus: mixed }, ['warning install-dir-used']],
  [
    'a directory of two runs, and a running cluster',
    { installDirStatus: mixed, isClusterUp: true },
    ['fatal install-dir-alive'],
  ],
  [
    'a directory of two runs and of another design',
    { installDirStatus: mixed, areFilesFromOtherConfig: true },
    ['warning install-config-changed'],
  ],
  ['12 hours left', { installDirStatus: expiresInHours(12) }, []],
  ['11 hours left', { installDirStatus: expiresInHours(11) }, ['warning ignition-expires']],
  ['expired', { installDirStatus: expiresInHours(0) }, ['warning ignition-expired']],
  [
    'expired, and a running cluster',
    { installDirStatus: expiresInHours(-1), isClusterUp: true },
    ['note ignition-expired'],
  ],
  ['a file that is not served', { unservedFiles: missing }, ['fatal boot-files-missing']],
  [
    'an image that is neither served nor here, so that Prepare fetches it',
    {
      images: imagesInState('missing'),
      unservedFiles: [{ path: '/images/rhcos-live-rootfs', isPresent: false, detail: '404' }],
    },
    ['warning images-missing'],
  ],
  [
    'a file that is not served by another web server',
    { unservedFiles: missing, server: 'other' },
    ['fatal boot-files-missing'],
  ],
])('before a machine is switched on: %s', (_name, change, expected) => {
  const found = runChecks(PREPARE_CHECKS, { ...VALID_EVIDENCE, ...change });
  expect(found.map(({ severity, code }) => `${severity} ${code}`)).toEqual(expected);
  for (const { title, cause, remedy } of found) for (const text of [title, cause, remedy]) expect(text).not.toBe('');
});

test.each([
  ['all is right', 'ok', '4.18.11', []],
  ['not reported by the API', 'ok', null, []],
  ['a cluster that was updated', 'ok', '4.19.2', ['note images-older']],
  ['an image that is missing', 'missing', '4.18.11', ['fatal images-missing']],
] as const)('before nodes join a cluster that runs: %s', (_name, state, clusterVersion, expected) => {
  const { imagesDir, requirements } = VALID_EVIDENCE;
  const ignition = { role: 'worker', isFromCluster: false, problems: [], server: null };
  const images = {
    imagesDir,
    images: imagesInState(state),
    imagesVersion: '4.18.1',
    ignition,
    mustFetchIgnition: false,
  };
  const found = runChecks(JOIN_PREPARE_CHECKS, { ...images, requirements, clusterVersion });
  expect(found.map(({ severity, code }) => `${severity} ${code}`)).toEqual(expected);
});
